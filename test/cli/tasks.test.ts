import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

let dynamodb: EmbeddedDynamoDb;
let table: Awaited<ReturnType<typeof oldTable>>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backlog-tasks-'));
  vi.stubEnv('BACKLOG_RUNTIME_DIR', folder);
  dynamodb = await startEmbeddedDynamoDb();
  table = await oldTable(dynamodb.endpoint, 'Records');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  table.close();
  await dynamodb.stop();
});

it('records of tasks are imported, listed and shown with them, and the doctor lists those of unknown tasks', async () => {
  const target = ['--endpoint', dynamodb.endpoint, '--table', table.name];
  const file = join(folder, 'records.ndjson');
  const lines = [
    { id: 'r-1', task: 'mail', queue: 'mails', payload: 1 },
    { id: 'r-2', queue: 'mails', payload: 2 },
  ];
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(await backlog('list', ...target)).toMatchObject({ code: 0 });
  expect(await backlog('import', file, ...target)).toMatchObject({ code: 0 });
  expect(await table.get('r-1')).toMatchObject({ task: 'mail' });
  await table.set('r-1', 'unknownTaskSince', new Date(Date.now() - 150_000).toISOString());

  const { out } = await backlog('list', ...target);
  const [head = '', ...rows] = out.split('\n');
  expect(head).toMatch(/^ID +QUEUE +TASK +STATUS/);
  expect(rows.find((row) => row.startsWith('r-1'))).toMatch(
    /mails +mail +NEW .* no handler knows its task, for 2 min 30 s/,
  );
  expect(rows.find((row) => row.startsWith('r-2'))).toMatch(/mails +- +NEW/);

  const shown = await backlog('show', 'r-1', ...target);
  expect(shown.out).toMatch(/task +mail\nwaits +no handler knows its task, for 2 min 30 s/);
  expect(JSON.parse((await backlog('show', 'r-1', '--json', ...target)).out)).toMatchObject({ task: 'mail' });

  const doctor = await backlog('doctor', '--json', ...target);
  expect(doctor.code).toBe(3);
  expect(JSON.parse(doctor.out).findings).toContainEqual(
    expect.objectContaining({
      kind: 'task.mails.mail',
      severity: 'warning',
      ids: ['r-1'],
      what: 'of the task mail, which the handler of the queue mails does not know: it waits for one that does',
    }),
  );
});
