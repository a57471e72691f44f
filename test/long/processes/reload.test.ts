import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BacklogClient } from '../../../src/client/index.js';
import { CommandLine, until } from '../../cli/process.js';
import {
  startAttemptReceiver,
  versionText,
  WATCHED_APP,
  writeWatchedApp,
} from '../../local/reload/watched-app.js';

const WAIT_MS = 120_000;

let folder: string;
let receiver: Awaited<ReturnType<typeof startAttemptReceiver>>;
let cli: CommandLine;
beforeEach(async () => {
  folder = await writeWatchedApp();
  receiver = await startAttemptReceiver();
  cli = await CommandLine.create({ cwd: folder, env: { RECEIVER: receiver.url } });
});
afterEach(async () => {
  cli.close();
  receiver.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A runtime of the app, at work, with a producer beside it. */
async function watched() {
  const runtime = await cli.startRuntime('--app', WATCHED_APP, '--watch', '--data-dir', 'data');
  const [, endpoint = ''] = /^DynamoDB +(\S+)/m.exec(runtime.out()) ?? [];
  const backlog = new BacklogClient({ table: 'BacklogRecords', endpoint });
  const put = (id: string, queue = 'orders') => backlog.insert({ id, queue, payload: 1 });
  const save = (name: string, text: string) => writeFile(join(folder, name), text);
  const edit = async (name: string, from: string, to: string) => {
    const text = await readFile(join(folder, name), 'utf8');
    if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
    await save(name, text.replace(from, to));
  };
  /** The length of the runtime's output at the last look: the next one begins there. */
  let seen = 0;
  const reported = async (pattern: RegExp) => {
    await until(() => pattern.test(runtime.err().slice(seen)), WAIT_MS).catch((error) => {
      throw new Error(`${error.message}\n${runtime.err()}`);
    });
    const text = runtime.err().slice(seen);
    seen = runtime.err().length;
    return text;
  };
  const attempt = (id: string, at: 'begin' | 'end') =>
    receiver.attempts.find((one) => one.id === id && one.at === at)?.version;
  const attempted = async (id: string, at: 'begin' | 'end') => {
    await until(() => attempt(id, at) !== undefined, WAIT_MS);
    return attempt(id, at);
  };
  return { runtime, put, save, edit, reported, attempted };
}

describe('a runtime that watches its app', () => {
  it('runs a saved handler from the next event on; an attempt that is at work ends in the old code', async () => {
    const { put, save, edit, reported, attempted } = await watched();
    await put('slow-12');
    expect(await attempted('slow-12', 'begin')).toBe('v0');
    // Two folders away from the handler.
    await save('shared/deep/version.ts', versionText('v1'));
    await reported(
      /handlers\/orders\.ts is live, \d+\.\d real seconds after the save: BacklogQueuesordersFunction/,
    );
    await put('r1');
    expect(await attempted('r1', 'end')).toBe('v1');
    expect(await attempted('slow-12', 'end')).toBe('v0');

    // What cannot be bundled changes nothing, and the next good save does.
    await edit('handlers/orders.ts', 'process: async', 'process: asinc');
    const error = await reported(/runs its old code[\s\S]*╵/);
    expect(error).toContain('ERROR: handlers/orders.ts:7:27: Expected "}" but found "=>"');
    expect(error).toContain('7 │   process: asinc ({ id }) => {');
    await put('r2');
    expect(await attempted('r2', 'end')).toBe('v1');
    await edit('handlers/orders.ts', 'process: asinc', 'process: async');
    await reported(/can be bundled again/);
    await save('shared/deep/version.ts', versionText('v2'));
    await reported(/is live/);
    await put('r3');
    expect(await attempted('r3', 'end')).toBe('v2');
  });

  it('synthesizes a changed app again, shows what has changed, and keeps the records', async () => {
    const { put, edit, reported, attempted } = await watched();
    await put('r1');
    await attempted('r1', 'end');
    await edit('infra/app.ts', 'App()', 'Ap()');
    expect(await reported(/goes on with the app as it was[\s\S]*Node\.js v/)).toContain(
      'ERROR: ReferenceError: Ap is not defined; the runtime goes on with the app as it was',
    );

    await edit('infra/app.ts', 'Ap()', 'App()');
    await reported(/the app was synthesized again, nothing has changed/);
    await edit(
      'infra/app.ts',
      "retry: { type: 'fibonacci', maxAttempts: 20 },",
      "retry: { type: 'exponential', maxAttempts: 20 },\n      timeout: Duration.seconds(90),",
    );
    const queue = `  mails: { retry: { type: 'none' }, deliverTo: '${receiver.url}' },\n  },\n});`;
    await edit('infra/app.ts', '  },\n});', queue);
    const changes = await reported(/the app has changed[\s\S]*FibonacciDelivery/);
    expect(changes).toContain('queue orders: policy fibonacci → exponential');
    expect(changes).toContain('queue mails: added');
    expect(changes).toContain('function BacklogFibonacciDeliveryFunction: added');
    expect(changes).toContain('timeout 300 s → 90 s');

    await put('r2');
    expect(await attempted('r2', 'end')).toBe('v0');
    const records = await cli.records();
    expect(records.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(['r1 SUCCESS', 'r2 SUCCESS']);
    // The new queue is known to other commands.
    expect((await cli.run('pause', 'mails')).code).toBe(0);
    expect((await cli.run('pause', 'nothing')).code).not.toBe(0);
  });

  it('leaves nothing behind when it is killed', async () => {
    const { runtime, save, reported } = await watched();
    await save('shared/deep/version.ts', versionText('v1'));
    await reported(/is live/);
    const children = () => {
      const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
      return rows
        .map((row) => row.trim().split(/\s+/))
        .filter(([, parent]) => parent === String(runtime.pid));
    };
    const before = children();
    expect(before.some((row) => row.join(' ').includes('esbuild'))).toBe(true);
    runtime.kill('SIGKILL');
    await runtime.ended;
    const isThere = ([pid]: string[]) => {
      try {
        return process.kill(Number(pid), 0);
      } catch {
        return false;
      }
    };
    await until(() => !before.some(isThere), WAIT_MS);
  });
});

it('a folder that is synthesized again is read again', async () => {
  const out = await mkdtemp(join(tmpdir(), 'backlog-out-'));
  const synth = (env: NodeJS.ProcessEnv = {}) =>
    execFileSync(process.execPath, ['--import', 'tsx', 'infra/app.ts'], {
      cwd: folder,
      env: { ...process.env, CDK_VALIDATION: 'false', RECEIVER: receiver.url, ...env, CDK_OUTDIR: out },
    });
  synth();
  const runtime = await cli.startRuntime('--app', out, '--watch');
  await writeFile(join(folder, 'shared/names.ts'), "export const QUEUE = 'mails';\n");
  synth();
  await until(() => runtime.err().includes('queue orders: renamed to mails'), WAIT_MS);
  await rm(out, { recursive: true, force: true });
});
