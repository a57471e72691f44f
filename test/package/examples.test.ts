import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { until } from '../cli/process.js';
import { startServer } from './background.js';
import { LOOK_MS, LocalBacklog } from './local-backlog.js';
import { mustRun, run } from './run.js';

const TSX = 'node_modules/tsx/dist/cli.mjs';
const app = inject('examplesApp');

/** Runs a program of an example as its README says. */
const tsx = (args: readonly string[], env: Record<string, string>) =>
  run(process.execPath, [TSX, '--env-file=examples/local.env', ...args], { cwd: app, env });

const start = (example: string, args: readonly string[], env: Record<string, string> = {}) =>
  LocalBacklog.start(app, ['--app', `npx tsx examples/${example}/app.ts`, ...args], env);

describe('the examples, copied out of the package', () => {
  it('type-check', async () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      skipLibCheck: true,
      types: ['node'],
    };
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['examples'] }));
    const tsc = join(inject('compilers'), 'node_modules/typescript-7/bin/tsc');
    expect((await run(process.execPath, [tsc, '-p', '.'], { cwd: app })).out).toBe('');
  });

  it('outbox: an order and its webhook are written together, and the webhook arrives after a failure', async () => {
    await using receiver = await startServer(app, 'examples/receiver.ts');
    await using backlog = await start('outbox', ['--deliver-to', receiver.url, '--speed', '600']);
    const placeOrder = () =>
      tsx(['examples/outbox/place-order.ts', 'order-1', 'mug', '2'], backlog.environment);
    expect(await placeOrder()).toMatchObject({ code: 0, out: 'placed order-1\n' });
    const records = await backlog.finished(1);
    expect(records.get('order-1/placed')).toMatchObject({
      status: 'SUCCESS',
      attempts: 2,
      queue: 'webhooks',
    });
    const [refused, taken] = receiver.lines().map((line) => line.split(' '));
    expect([refused?.slice(0, 2), taken?.slice(0, 2)]).toEqual([
      ['503', 'order-1/placed'],
      ['200', 'order-1/placed'],
    ]);
    expect(JSON.parse(String(taken?.[2]))).toEqual({ id: 'order-1', article: 'mug', quantity: 2 });
    expect(await placeOrder()).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('not placed: order-1 is there already'),
    });
  });

  it('signed webhooks: the receiver verifies what comes, and refuses what has another secret', async () => {
    const secrets = 'examples/signed-webhooks/secrets.json';
    const { WebhookSecret: secret } = JSON.parse(await readFile(join(app, secrets), 'utf8'));
    const server = 'examples/signed-webhooks/server.ts';
    for (const [known, line, status] of [
      [secret, 'verified order-7 {"total":12}', 'SUCCESS'],
      [`${secret.slice(0, -8)}AAAAAAA=`, 'refused with 401', 'ERROR'],
    ]) {
      await using receiver = await startServer(app, server, { WEBHOOK_SECRET: known });
      const flags = ['--deliver-to', receiver.url, '--secrets', secrets, '--speed', '600'];
      await using backlog = await start('signed-webhooks', flags);
      await writeFile(
        join(app, 'order.ndjson'),
        '{"id":"order-7","queue":"webhooks","payload":{"total":12}}\n',
      );
      await backlog.import('order.ndjson');
      await until(() => receiver.lines().includes(line), 120_000);
      await until(async () => (await backlog.records())[0]?.status === status, 120_000, LOOK_MS);
    }
  });

  it('ERP poller: orders get to an ERP that fails, are asked for until they are shipped, and yetis are dead', async () => {
    await using erp = await startServer(app, 'examples/erp-poller/erp.ts');
    await using backlog = await start('erp-poller', ['--speed', '600'], { ERP_URL: erp.url });
    const { out } = await tsx(['examples/erp-poller/shop.ts', '5'], backlog.environment);
    expect(out).toBe('placed 5 orders\n');
    // The order without an article is asked for 60 days long.
    await backlog.insertedLongAgo('order-5/progress');
    const records = await backlog.finished(10, 'progress');
    for (const id of ['order-1', 'order-4', 'order-1/progress', 'order-4/progress']) {
      expect(records.get(id), id).toMatchObject({ status: 'SUCCESS' });
    }
    expect(records.get('order-5')).toMatchObject({
      status: 'DEAD',
      deadReason: 'the ERP does not know this article',
    });
    expect(records.get('order-5/progress')).toMatchObject({ status: 'DEAD', deadReason: 'expired' });
    const shipped = erp.lines().filter((line) => line.includes('shipped'));
    expect(shipped.map((line) => line.split(' ')[2]).toSorted()).toEqual(
      [1, 2, 3, 4].map((i) => `order-${i}`),
    );
  });

  it('events of records: the log has one for each order that has ended, and show prints it', async () => {
    await using receiver = await startServer(app, 'examples/receiver.ts');
    const data = await mkdtemp(join(tmpdir(), 'backlog-events-'));
    const flags = ['--deliver-to', receiver.url, '--speed', '600', '--data-dir', data];
    await using backlog = await start('record-events', flags);
    await writeFile(join(app, 'orders.ndjson'), '{"id":"order-3","queue":"orders","payload":{"total":3}}\n');
    await backlog.import('orders.ndjson');
    const records = await backlog.finished(1);
    expect(records.get('order-3')).toMatchObject({ status: 'SUCCESS', attempts: 2 });
    const log = () => readFile(join(data, 'logs/BacklogRecordEventsFunction.log'), 'utf8').catch(() => '');
    await until(async () => (await log()).includes('Backlog record succeeded'), 120_000);
    const lines = (await log()).split('\n').filter((line) => line.includes('"Backlog record'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { detail: { id: 'order-3', end: 'succeeded' } },
    ]);
    await rm(data, { recursive: true });
  });

  it('recurring records: heartbeats are sent, and each tenant has a schedule of its own', async () => {
    await using receiver = await startServer(app, 'examples/receiver.ts');
    await using backlog = await start('recurring', ['--deliver-to', receiver.url, '--speed', '600']);
    expect(await tsx(['examples/recurring/tenants.ts'], backlog.environment)).toMatchObject({ code: 0 });
    await until(
      () => receiver.lines().filter((line) => line.startsWith('200 heartbeat@')).length >= 3,
      120_000,
    );
    const sent = receiver.lines().filter((line) => line.startsWith('200'));
    // No occurrence is delivered twice.
    expect(new Set(sent).size).toBe(sent.length);
    const ids = (await backlog.records()).map(({ id }) => id);
    for (const name of ['heartbeat', 'nightly-report', 'invoices/acme', 'invoices/globex'])
      expect(ids).toContain(`recurring:${name}`);
  });

  it('two regions: on one machine the primary region attempts what comes', async () => {
    await using receiver = await startServer(app, 'examples/receiver.ts');
    await using backlog = await start('two-regions', ['--speed', '600'], { ERP_URL: receiver.url });
    backlog.table = 'Orders';
    await writeFile(join(app, 'orders.ndjson'), '{"id":"order-9","queue":"orders","payload":{"total":3}}\n');
    await backlog.import('orders.ndjson');
    const records = await backlog.finished(1);
    expect(records.get('order-9')).toMatchObject({ status: 'SUCCESS', attempts: 2 });
    expect(receiver.lines()).toContain('200 order-9 {"total":3}');
  });

  it('order: the events of each order are attempted one after another, also where one of them has to wait', async () => {
    await using backlog = await start('order', ['--speed', '60']);
    expect((await tsx(['examples/order/put.ts'], backlog.environment)).out).toBe('80 events inserted\n');
    const records = await backlog.finished(80);
    expect(records.get('order-7/paid')).toMatchObject({ status: 'SUCCESS', attempts: 2 });
    const steps = ['created', 'paid', 'packed', 'shipped'];
    for (let order = 1; order <= 20; order++) {
      const times = steps.map((step) => String(records.get(`order-${order}/${step}`)?.lastAttemptAt));
      expect(times, `order-${order}`).toEqual(times.toSorted());
    }
  });

  it('a noisy customer: the webhooks of five others are delivered beside the many of one', async () => {
    await using backlog = await start('noisy-customer', ['--speed', '1']);
    const { out } = await tsx(['examples/noisy-customer/burst.ts', '20'], backlog.environment);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toBe('big: 20 webhooks');
    expect(lines.slice(1).map((line) => line.replace(/[\d.]+ s$/, 'N s'))).toEqual(
      ['ann', 'ben', 'cem', 'dia', 'eve'].map((customer) => `${customer}: delivered after N s`),
    );
    const records = await backlog.finished(25);
    expect([...records.values()].map(({ status }) => status)).toEqual(Array(25).fill('SUCCESS'));
  });

  it('Python producer: what boto3 put arrives, once', async () => {
    await using receiver = await startServer(app, 'examples/receiver.ts');
    await mustRun('python3', ['-m', 'venv', '.venv'], { cwd: app });
    const pip = [
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '-r',
      'examples/python-producer/requirements.txt',
    ];
    await mustRun('.venv/bin/pip', pip, { cwd: app });
    await using backlog = await LocalBacklog.start(app, [
      '--no-sample',
      '--deliver-to',
      receiver.url,
      '--speed',
      '600',
    ]);
    const script = 'set -a && . examples/local.env && set +a && export AWS_ENDPOINT_URL_DYNAMODB="$0" &&';
    const produce = `${script} .venv/bin/python examples/python-producer/produce.py order-1 order-2`;
    const producer = () => mustRun('sh', ['-c', produce, backlog.endpoint], { cwd: app });
    expect((await producer()).out).toBe('order-1 inserted\norder-2 inserted\n');
    const records = await backlog.finished(2);
    expect([...records.values()].map(({ attempts }) => attempts)).toEqual([2, 2]);
    expect((await producer()).out).toBe('order-1 was there already\norder-2 was there already\n');
    expect(receiver.lines().filter((line) => line.startsWith('200'))).toHaveLength(2);
  });
});
