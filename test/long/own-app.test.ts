import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommandLine, startReceiver, until } from '../cli/process.js';

let cli: CommandLine;
beforeEach(async () => {
  cli = await CommandLine.create();
});
afterEach(() => cli.close());

it('an app with a handler of its own, a URL and an imported table works on one machine', async () => {
  const receiver = await startReceiver((_id, delivery) => (delivery === 1 ? 503 : 200));
  const file = join(await mkdtemp(join(tmpdir(), 'backlog-own-app-')), 'records.ndjson');
  const lines = [
    { id: 'mug', queue: 'orders', payload: 'mug' },
    { id: 'yeti', queue: 'orders', payload: 'yeti' },
    { id: 'late', queue: 'orders', payload: 'late' },
    { id: 'price', queue: 'prices', payload: 'price' },
  ];
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const app = ['--app', 'npx tsx test/long/fixtures/app.ts'];
  const runtime = await cli.startRuntime(...app, '--speed', '300', '--deliver-to', receiver.url);

  const records = async (table: string) =>
    JSON.parse((await cli.run('list', '--json', '--table', table)).out) as Record<string, unknown>[];
  const pending = ({ status }: Record<string, unknown>) => status === 'NEW' || status === 'ERROR';
  expect((await cli.run('import', file, '--table', 'BacklogRecords')).err).toContain('inserted 4');
  await writeFile(file, JSON.stringify({ id: 'old', queue: 'legacy', payload: 'old' }));
  expect((await cli.run('import', file, '--table', 'OldRecords')).err).toContain('inserted 1');
  const all = async () => [...(await records('BacklogRecords')), ...(await records('OldRecords'))];
  await until(async () => !(await all()).some(pending), 120_000);

  const byId = new Map((await all()).map((record) => [record.id, record]));
  expect(byId.get('mug')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  expect(byId.get('yeti')).toMatchObject({ status: 'DEAD', attempts: 1, deadReason: 'no such article' });
  expect(byId.get('late')).toMatchObject({ status: 'SUCCESS', attempts: 2 });
  expect(byId.get('price')).toMatchObject({ status: 'SUCCESS', attempts: 2 });
  expect(byId.get('old')).toMatchObject({ status: 'SUCCESS', attempts: 2 });
  runtime.kill('SIGINT');
  expect(await runtime.ended).toBe(0);
  await receiver.stop();
});
