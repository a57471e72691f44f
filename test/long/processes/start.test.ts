import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandLine, startReceiver, until } from '../../cli/process.js';

let cli: CommandLine;
beforeEach(async () => {
  cli = await CommandLine.create();
});
afterEach(() => cli.close());

describe('backlog start', () => {
  it('delivers what was imported, retries what fails, and stops by itself with a summary', async () => {
    const receiver = await startReceiver((id, delivery) => (id === 'r0' && delivery === 1 ? 503 : 200));
    const folder = await mkdtemp(join(tmpdir(), 'backlog-start-'));
    const file = join(folder, 'records.ndjson');
    const payloads = Array.from({ length: 6 }, (_, i) => ({ i, text: 'Łódź', nested: [{ a: null }] }));
    await writeFile(file, payloads.map((payload, i) => JSON.stringify({ id: `r${i}`, payload })).join('\n'));

    // Imported before: how long a command takes to start must not eat the time that the next one has.
    const data = ['--no-sample', '--data-dir', join(folder, 'data')];
    const previous = await cli.startRuntime(...data);
    expect((await cli.run('import', file)).code).toBe(0);
    previous.kill('SIGTERM');
    expect(await previous.ended).toBe(0);
    const flags = ['--speed', '600', '--deliver-to', receiver.url, '--for', '60m'];
    const runtime = await cli.startRuntime(...data, ...flags);
    expect(await runtime.ended).toBe(0);
    await receiver.stop();

    expect(runtime.out()).toMatch(/attempted 7: 6 ok, 1 failed, 0 dead/);
    expect(runtime.out()).toMatch(/default: 0 NEW, 0 ERROR, 6 SUCCESS, 0 DEAD/);
    expect(`${runtime.out()}${runtime.err()}`).not.toContain('\u001b');
    const taken = receiver.deliveries.filter(({ status }) => status === 200);
    expect(taken.map(({ id }) => id).sort()).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5']);
    for (const { id, body } of taken) expect(JSON.parse(body)).toEqual(payloads[Number(id.slice(1))]);
    expect((await cli.run('list')).err).toMatch(/no local runtime is running/);
  });

  it('shows the sample at work, and ends with exit code 0 at SIGTERM', async () => {
    const runtime = await cli.startRuntime();
    await until(() => /attempted \d+: [1-9]\d* ok/.test(runtime.out()), 120_000);
    expect((await cli.records()).some(({ status }) => status === 'SUCCESS')).toBe(true);
    runtime.kill('SIGTERM');
    const code = await runtime.ended;
    expect({ code, err: code === 0 ? '' : runtime.err() }).toEqual({ code: 0, err: '' });
    // A run that the stop met is counted as given up.
    expect(runtime.out()).toMatch(/\d+ runs( \(.*\))?; attempted \d+/);
  });

  it('without anywhere to deliver says that the rules are disabled, and still takes records', async () => {
    const runtime = await cli.startRuntime('--no-sample');
    // It comes after the line that the runtime is taken to be ready by.
    await until(() => /Delivers +nothing: .*the app's rules are disabled/.test(runtime.out()), 120_000);
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-start-')), 'records.ndjson');
    await writeFile(file, '1\n');
    expect((await cli.run('import', file)).code).toBe(0);
    expect(await cli.records()).toMatchObject([{ status: 'NEW', attempts: 0 }]);
    runtime.kill('SIGINT');
    expect(await runtime.ended).toBe(0);
  });

  it('fails with one readable line and exit code 1 when a port is taken', async () => {
    const receiver = await startReceiver(() => 200);
    const { port } = new URL(receiver.url);
    const { code, err } = await cli.run('start', '--dynamodb-port', '0', '--port', port);
    await receiver.stop();
    expect(code).toBe(1);
    expect(err).toMatch(
      new RegExp(`^error: port ${port} is taken by another program: choose another with --port`, 'm'),
    );
  });

  it('refuses wrong usage with exit code 2', async () => {
    expect((await cli.run('start', '--for', '5')).code).toBe(2);
    expect((await cli.run('nothing')).code).toBe(2);
    expect((await cli.run('--version')).code).toBe(0);
  });
});
