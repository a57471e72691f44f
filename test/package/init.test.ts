import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { until } from '../cli/process.js';
import { freePort, killGroup } from './background.js';
import { LOOK_MS, LocalBacklog } from './local-backlog.js';
import { type Ended, environment, mustRun, run } from './run.js';

/** No registry, no AWS. */
const OFFLINE = {
  npm_config_offline: 'true',
  npm_config_registry: 'http://127.0.0.1:9',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
};

const library = inject('packed').file;
const tools = inject('packedTools').file;
const OF_TARBALLS = ['--package', library, '--tools-package', tools];
const seconds = (since: number) => Math.round((Date.now() - since) / 100) / 10;
const say = (line: string) => process.stdout.write(`${line}\n`);

let parent: string;
let app: string;
const steps: { readonly command: string; readonly ended: Ended; readonly seconds: number }[] = [];

/** Runs the commands that a user types, with the tarballs in place of the registry's packages. */
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'backlog-init-'));
  app = join(parent, 'my-app');
  const npx = ['--yes', `--package=${inject('packedCreate').file}`, 'create-dynamo-backlog', 'my-app'];
  for (const [command, args, cwd] of [
    ['npx', [...npx, ...OF_TARBALLS], parent],
    ['npm', ['install'], app],
    ['npm', ['test'], app],
  ] as const) {
    const began = Date.now();
    const ended = await mustRun(command, args, { cwd, env: await ownNpxCache() });
    steps.push({ command: [command, args[0]].join(' '), ended, seconds: seconds(began) });
  }
});

/** npx keeps what it installs under the path of the tarball, which is another one each time: that goes with the test. */
async function ownNpxCache(): Promise<Record<string, string>> {
  const cache = join(parent, 'npm-cache');
  if (await mkdir(cache, { recursive: true })) {
    const { out } = await mustRun('npm', ['config', 'get', 'cache'], { cwd: parent });
    await symlink(join(out.trim(), '_cacache'), join(cache, '_cacache'));
  }
  return { npm_config_cache: cache };
}

const read = (path: string) => readFile(join(app, path), 'utf8');

describe('backlog init, from the tarballs', () => {
  it("leads to a green test of the app's handler in three commands, and says how long each took", () => {
    const [, , test] = steps;
    expect(test?.ended.out).toMatch(/5 passed/);
    say(steps.map((step) => `${step.command}: ${step.seconds} s`).join(', '));
  });

  it('says what to type next', () => {
    const said = steps[0]?.ended.err ?? '';
    expect(said).toContain('\n  cd my-app\n  npm install\n  npm test ');
  });

  it('type-checks', async () => {
    await mustRun('npm', ['run', 'typecheck'], { cwd: app, env: OFFLINE });
  });

  it('`npx cdk synth` works without a network', async () => {
    await mustRun('npx', ['cdk', 'synth', '--quiet'], { cwd: app, env: OFFLINE });
    const template = JSON.parse(await read('cdk.out/my-app.template.json'));
    expect(Object.keys(template.Outputs)).toEqual(['TableName']);
    const functions = Object.values<{ Type: string; Properties: Record<string, unknown> }>(
      template.Resources,
    ).filter(({ Type }) => Type === 'AWS::Lambda::Function');
    expect(JSON.stringify(functions)).toContain('"ERP_URL":"https://erp.example.com"');
  });

  it('`npm start` runs it, and what `npm run produce` places arrives, or is refused', async () => {
    const began = Date.now();
    const port = String(await freePort());
    const flags = ['--deliver-to', `http://127.0.0.1:${port}`];
    await using backlog = await LocalBacklog.start(app, flags, OFFLINE, ['npm', 'start', '--']);
    const started = seconds(began);
    await using shop = startShop({
      ...OFFLINE,
      ERP_PORT: port,
      AWS_ENDPOINT_URL_DYNAMODB: backlog.endpoint,
    });
    const statuses = async () => (await backlog.records()).map(({ status }) => status);
    await until(async () => (await statuses()).includes('SUCCESS'), 120_000, LOOK_MS);
    say(`npm start: ${started} s, with the first success: ${seconds(began)} s`);
    await until(async () => (await statuses()).includes('DEAD'), 120_000, LOOK_MS);
    const dead = (await backlog.records()).filter(({ status }) => status === 'DEAD');
    expect(dead[0]?.deadReason).toBe('the ERP refuses this order');
    expect(shop.said()).toMatch(/^shop {2}placed order-\d+: mug$/m);
    expect(shop.said()).toMatch(/^ERP {3}200 PUT \/orders\/order-\d+ \{"article":"mug","quantity":1\}$/m);
  });

  it('its test fails when the handler is broken, and a second `init` keeps the changed file', async () => {
    const file = 'src/send-order.ts';
    const text = await read(file);
    const broken = text.replace('if (!response.ok)', 'if (response.status === 500)');
    expect(broken).not.toBe(text);
    await writeFile(join(app, file), broken);
    const tested = await run('npm', ['test'], { cwd: app, env: { NO_COLOR: '1' } });
    expect(tested.code).toBe(1);
    expect(tested.err).toMatch(/FAIL .*sends an order again when the ERP was down/);

    const backlog = join(app, 'node_modules/.bin/backlog');
    const again = await run(backlog, ['init', 'my-app', ...OF_TARBALLS], { cwd: parent });
    expect([again.code, again.out]).toEqual([1, '']);
    expect(again.err).toContain(`In the way: cdk.out, node_modules, package-lock.json, ${file}. Name`);
    expect(await read(file)).toBe(broken);
    await writeFile(join(app, file), text);
  });
});

function startShop(env: Readonly<Record<string, string>>): AsyncDisposable & { said(): string } {
  const child = spawn('npm', ['run', 'produce'], {
    cwd: app,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => {
    said += data;
  });
  const ended = once(child, 'close');
  return {
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      killGroup(child, 'SIGKILL');
      await ended;
    },
  };
}
