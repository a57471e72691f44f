import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { type LocalRuntime, startRuntime } from '../../src/tools/local/runtime.js';
import type { RuntimeOptions } from '../../src/tools/local/runtime-options.js';
import {
  functionResource,
  ruleResource,
  scheduleResource,
  tableResource,
  writeAssembly,
} from './assembly-fixture.js';
import { failWritesFrom, ioError } from './dynalite/failing-disk.js';

/** Behaves as its event says, and answers as a run does. */
const HANDLER = `export const handler = async (event) => {
  if (event.queue === 'exits') process.exit(3);
  if (event.queue === 'throws') throw new TypeError('no such thing');
  const clock = JSON.parse(process.env.BACKLOG_CLOCK);
  const attempted = event.queue === 'idle' ? 0 : 2;
  return { queue: event.queue, lane: event.queue, attempted, succeeded: attempted, failed: 0, dead: 0, skipped: 0,
    unsettled: 0, leftOver: 0, lagSeconds: 0, ended: 'drained', durationMs: clock.speed };
};`;

const runtimes: LocalRuntime[] = [];
beforeEach(async () => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-runtime-')));
});
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.stop()));
  vi.unstubAllEnvs();
});

async function start(changes: Record<string, unknown>, options: Partial<RuntimeOptions> = {}) {
  const runtime = await startRuntime({
    app: await writeAssembly(changes, HANDLER),
    dynamodbPort: 0,
    port: 0,
    sample: false,
    speed: 600,
    ...options,
  });
  runtimes.push(runtime);
  return runtime;
}

const poll = (queue: string, properties: object = {}) => ({
  ...ruleResource,
  Properties: {
    ...ruleResource.Properties,
    Targets: [{ ...ruleResource.Properties.Targets[0], Input: JSON.stringify({ queue }) }],
    ...properties,
  },
});

describe('the local runtime', () => {
  it('fires the rules of the app, with their inputs, into its functions, on the faster clock', async () => {
    const runtime = await start({});
    await vi.waitFor(() => expect(runtime.status().runs.length).toBeGreaterThanOrEqual(2), {
      timeout: 60_000,
    });
    const [run] = runtime.status().runs;
    expect(run).toMatchObject({
      label: 'default, every minute',
      outcome: 'ok',
      summary: { queue: 'default' },
    });
    expect(run?.text).toBe('attempted 2: 2 ok, 0 failed, 0 dead - drained in 600 ms');
  });

  it('fires the schedules of the app, and shows their time zone', async () => {
    const daily = { ScheduleExpression: 'cron(0 0 * * ? *)', ScheduleExpressionTimezone: 'Asia/Tokyo' };
    const runtime = await start({
      PollAAAA0000: scheduleResource,
      Daily: { ...scheduleResource, Properties: { ...scheduleResource.Properties, ...daily } },
    });
    await vi.waitFor(() => expect(runtime.status().rules[0]?.fired).toBeGreaterThanOrEqual(2), {
      timeout: 60_000,
    });
    const [poll, tokyo] = runtime.status().rules;
    expect(poll).toMatchObject({ label: 'default, every minute', enabled: true });
    expect(tokyo).toMatchObject({ expression: 'cron(0 0 * * ? *)', timeZone: 'Asia/Tokyo' });
    expect(tokyo?.nextAt).toMatch(/T15:00:00\.000Z$/);
    expect(runtime.status().runs[0]).toMatchObject({ outcome: 'ok', summary: { queue: 'default' } });
  });

  it('hands what any client puts into a table over to the function of its stream', async () => {
    const mapping = {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Records0A1B2C3D', 'StreamArn'] },
        FunctionName: { Ref: 'Worker11112222' },
      },
    };
    const stream = { ...tableResource.Properties, StreamSpecification: { StreamViewType: 'NEW_IMAGE' } };
    const handler = `import { appendFileSync } from 'node:fs';
      export const handler = async (event) => {
        if (!event.Records) return {};
        for (const { dynamodb } of event.Records) appendFileSync(process.env.SEEN, JSON.stringify(dynamodb.NewImage) + '\\n');
      };`;
    const folder = await mkdtemp(join(tmpdir(), 'backlog-stream-'));
    const seen = join(folder, 'seen');
    const worker = { ...functionResource.Properties, Environment: { Variables: { SEEN: seen } } };
    const app = await writeAssembly(
      {
        Records0A1B2C3D: { ...tableResource, Properties: stream },
        Worker11112222: { ...functionResource, Properties: worker },
        Map: mapping,
      },
      handler,
    );
    const dataDir = join(folder, 'data');
    const lines = () =>
      readFileSync(seen, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const first = await start({}, { app, dataDir });
    const client = createDynamoDbClient({ endpoint: first.status().endpoint });
    const Item = { id: { S: 'a' }, payload: { S: 'ü' } };
    await client.send(new PutItemCommand({ TableName: 'Records', Item }));
    client.destroy();
    await vi.waitFor(() => expect(lines()).toEqual([Item]), { timeout: 60_000 });
    // What a killed runtime had not handed over is handed over by the next one.
    await first.stop();
    await start({}, { app, dataDir });
    await vi.waitFor(() => expect(lines()).toEqual([Item, Item]), { timeout: 60_000 });
  });

  it('goes on when a handler ends its process or throws, and says so', async () => {
    const runtime = await start({ PollAAAA0000: poll('exits'), Other: poll('throws') });
    await vi.waitFor(
      () => {
        const texts = new Set(runtime.status().runs.map(({ text }) => text));
        expect(texts).toContain('Runtime exited with exit status 3');
        expect(texts).toContain('failed: TypeError: no such thing');
      },
      { timeout: 60_000 },
    );
    const { rules, totals } = runtime.status();
    expect(totals.broken).toBeGreaterThanOrEqual(2);
    for (const rule of rules) expect(rule.failed).toBeGreaterThanOrEqual(1);
  });

  it('does not list runs that found nothing, but counts them', async () => {
    const runtime = await start({ PollAAAA0000: poll('idle') });
    await vi.waitFor(() => expect(runtime.status().totals.runs).toBeGreaterThanOrEqual(2), {
      timeout: 60_000,
    });
    expect(runtime.status().runs).toEqual([]);
  });

  it('fires no disabled rule, and says so', async () => {
    const runtime = await start({ PollAAAA0000: poll('default', { State: 'DISABLED' }) });
    expect(runtime.status().rules).toMatchObject([{ enabled: false, fired: 0 }]);
    expect(runtime.status().rules[0]?.nextAt).toBeUndefined();
  });

  it('shows its status as JSON and as a page, without what a URL holds in secret', async () => {
    const deliverTo = 'https://erp.example.com/in?token=tok-1';
    const runtime = await start({}, { deliverTo });
    const { statusPage } = runtime.status();
    const json = await (await fetch(`${statusPage}status.json`)).json();
    expect(json).toMatchObject({
      speed: 600,
      tables: ['Records'],
      rules: [{ expression: 'rate(1 minute)' }],
    });
    const page = await (await fetch(statusPage)).text();
    expect(page).toContain('local runtime');
    expect(page).toContain('delivers to <code>https://erp.example.com/in</code>');
    expect(JSON.stringify(json)).not.toContain('tok-1');
  });

  it('answers those programs only that mean this machine, and no foreign web page, at each of its servers', async () => {
    const runtime = await start({});
    const { statusPage, endpoint } = runtime.status();
    for (const url of [statusPage, `${endpoint}/`]) {
      const { port } = new URL(url);
      const isPage = url === statusPage;
      for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST']) {
        expect(await statusOf(url, { host: `${name}:${port}` })).toBe(200);
        const origin = `http://${name.toLowerCase()}:${port}`;
        expect(await statusOf(url, { host: `${name}:${port}`, origin })).toBe(isPage ? 200 : 403);
      }
      for (const host of [
        'evil.example',
        `evil.example:${port}`,
        '127.0.0.1',
        `127.0.0.1:${Number(port) + 1}`,
      ]) {
        expect(await statusOf(url, { host })).toBe(421);
      }
      for (const origin of [
        'https://evil.example',
        'null',
        'http://127.0.0.1:1',
        `https://127.0.0.1:${port}`,
      ]) {
        expect(await statusOf(url, { host: `127.0.0.1:${port}`, origin })).toBe(403);
      }
    }
  });

  it('ends by itself when its disk is full, and says what to do; nothing it started goes on', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-full-'));
    const runtime = await start({ PollAAAA0000: poll('idle') }, { dataDir });
    const { endpoint, statusPage } = runtime.status();
    const disk = failWritesFrom(1, ioError('No space left on device'));
    const Item = { id: { S: 'a' } };
    const client = createDynamoDbClient({ endpoint });
    await expect(client.send(new PutItemCommand({ TableName: 'Records', Item }))).rejects.toThrow();
    client.destroy();
    expect((await runtime.failure).message).toMatch(
      /dynamodb cannot be used: its disk is full .*All that was accepted before is kept/,
    );
    runtimes.length = 0;
    runtime.hurry();
    await runtime.stop();
    disk.restore();
    await expect(fetch(statusPage)).rejects.toThrow();
    const again = await start({}, { dataDir });
    expect(again.status().tables).toEqual(['Records']);
  });

  it('says of a disk that is full at its start what to do', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-full-'));
    const disk = failWritesFrom(1, ioError('No space left on device'));
    await expect(start({}, { dataDir })).rejects.toThrow(/its disk is full/);
    disk.restore();
  });

  it('names the runtime that has the data folder, and takes over the folder of one that was killed', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-shared-'));
    const first = await start({}, { dataDir });
    await expect(start({}, { dataDir })).rejects.toThrow(
      `it is in use by the local runtime with pid ${process.pid}, started in ${process.cwd()}: stop that`,
    );
    await first.stop();
    runtimes.length = 0;
    await start({}, { dataDir });
  });

  it('names the flag when a port is taken, and leaves nothing behind', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await expect(start({}, { port })).rejects.toThrow(
        new RegExp(`port ${port} is taken by another program: choose another with --port`),
      );
      await expect(start({}, { dynamodbPort: port })).rejects.toThrow(
        new RegExp(`port ${port} is taken by another program: choose another with --dynamodb-port`),
      );
    } finally {
      server.close();
    }
  });

  it('says so when the data folder cannot be one', async () => {
    const file = fileURLToPath(import.meta.url);
    for (const dataDir of [file, join(file, 'below')]) {
      await expect(start({}, { dataDir })).rejects.toThrow(
        `--data-dir: ${dataDir} cannot be a folder: there is a file of that name`,
      );
    }
  });

  it('shows what a CDK app says when it fails', async () => {
    const app = `"${process.execPath}" -e "console.error('Error: deliverTo: no URL'); process.exit(1)"`;
    await expect(start({}, { app })).rejects.toThrow(/failed with exit code 1\nError: deliverTo: no URL/);
  });

  it('runs an app by its command, as the CDK does, with the context', async () => {
    const folder = await writeAssembly({}, HANDLER);
    const script = `const fs = require('node:fs'); fs.cpSync('${folder}', process.env.CDK_OUTDIR, { recursive: true });
      if (JSON.parse(process.env.CDK_CONTEXT_JSON).deliverTo !== 'https://example.com/') process.exit(9)`;
    const app = `"${process.execPath}" -e "${script.replaceAll('"', '\\"').replaceAll('\n', ' ')}"`;
    const runtime = await start({}, { app, deliverTo: 'https://example.com/' });
    expect(runtime.status().tables).toEqual(['Records']);
  });

  it('refuses an app that it cannot run, naming the resource', async () => {
    const python = {
      ...functionResource,
      Properties: { ...functionResource.Properties, Runtime: 'python3.13' },
    };
    await expect(start({ Worker11112222: python })).rejects.toThrow(/Worker11112222/);
  });

  it('lets time and rules go on where they were, with a folder for its data', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-data-'));
    const first = await start({}, { dataDir, speed: 100_000 });
    await vi.waitFor(() => expect(first.status().totals.runs).toBeGreaterThanOrEqual(1), { timeout: 60_000 });
    const before = first.status().now;
    await first.stop();
    runtimes.length = 0;
    const second = await start({}, { dataDir });
    expect(second.status().startedAt >= before).toBe(true);
    await vi.waitFor(() => expect(second.status().totals.runs).toBeGreaterThanOrEqual(1), {
      timeout: 60_000,
    });
  });
});

function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}
