import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../src/store/index.js';
import { wrongItems } from '../../cli/doctor/records.js';
import { CommandLine, startReceiver, until } from '../../cli/process.js';

/** Records as other services put them: not indexed, and wrong in all ways. */
const ARRIVALS: readonly Record<string, unknown>[] = [
  { id: 'bare', status: 'NEW', payload: 1 },
  { id: 'a-no-status', payload: 1 },
  { id: 'a-status-new', status: 'new', payload: 1 },
  { id: 'a-no-payload', status: 'NEW' },
  { id: 'a-number-inserted', status: 'NEW', payload: 1, insertedAt: 1_795_167_000 },
  { id: 'a-offset-inserted', status: 'NEW', payload: 1, insertedAt: '2026-01-01T10:00:00+02:00' },
  { id: 'a-ahead', status: 'NEW', payload: 1, insertedAt: '2099-01-01T00:00:00.000Z' },
  { id: 'a-no-queue-name', status: 'NEW', payload: 1, queue: 'or ders' },
  { id: 'a-odd-available', status: 'NEW', payload: 1, availableAt: 'soon' },
  { id: 'a-number-available', status: 'NEW', payload: 1, availableAt: 1_795_167_000 },
  { id: 'a-odd-retry', status: 'NEW', payload: 1, retry: { type: 'fibonaci' } },
  { id: 'a-odd-attempts', status: 'NEW', payload: 1, attempts: 'many' },
  { id: 'a-foreign', STATE: 'OPEN', DATE_INSERTED: '01.02.2026' },
];
/** Records that no run can attempt: they must be listed. */
const HELPLESS: readonly Record<string, unknown>[] = [
  { id: 'a-unknown-queue', status: 'NEW', payload: 1, queue: 'oders' },
  { id: 'a-dead', status: 'DEAD', payload: 1 },
];

let cli: CommandLine;
let erp: Awaited<ReturnType<typeof startReceiver>>;

beforeEach(async () => {
  cli = await CommandLine.create();
  erp = await startReceiver(() => 200);
});
afterEach(async () => {
  cli.close();
  await erp.stop();
});

function connect() {
  const folder = cli.runtimeFolder;
  const [file = ''] = readdirSync(folder);
  const { endpoint, tables, clock } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { name } = tables.find(({ records }: { records: boolean }) => records);
  const documents = DynamoDBDocumentClient.from(createDynamoDbClient({ endpoint }));
  return {
    now: () => clock.start + (Date.now() - clock.wallStart) * clock.speed,
    put: async (items: readonly Record<string, unknown>[]) => {
      for (const Item of items) await documents.send(new PutCommand({ TableName: name, Item }));
    },
    done: async () => {
      const { Items = [] } = await documents.send(new ScanCommand({ TableName: name, ConsistentRead: true }));
      return new Set(Items.filter(({ status }) => status === 'SUCCESS').map(({ id }) => String(id)));
    },
    close: () => documents.destroy(),
  };
}

async function doctor(...args: string[]): Promise<{ code: number | null; listed: Set<string> }> {
  const { code, out } = await cli.run('doctor', '--json', ...args);
  const { findings } = JSON.parse(out) as { findings: { ids: string[] }[] };
  return { code, listed: new Set(findings.flatMap(({ ids }) => ids)) };
}

const isAmong = (ids: readonly string[], all: ReadonlySet<string>) => ids.every((id) => all.has(id));

it('of a record that is put in a wrong way each is attempted or listed, and none is lost in silence', async () => {
  await cli.startRuntime('--no-sample', '--deliver-to', erp.url, '--speed', '60');
  const records = connect();
  const alreadyIndexed = wrongItems(records.now()).map(
    ([item]) => JSON.parse(JSON.stringify(item).replaceAll('"orders', '"default')) as Record<string, unknown>,
  );
  const all = [...alreadyIndexed, ...ARRIVALS, ...HELPLESS];
  await records.put(all);
  const arrivals = ARRIVALS.map(({ id }) => String(id));
  await until(async () => isAmong(arrivals, await records.done()), 120_000);

  const { listed } = await doctor();
  const attempted = await records.done();
  expect(all.map(({ id }) => String(id)).filter((id) => !attempted.has(id) && !listed.has(id))).toEqual([]);
  for (const id of ['half', 'text-due', 'letter-due', 'risen', 'a-unknown-queue', 'a-dead']) {
    expect([id, listed.has(id)]).toEqual([id, true]);
  }

  await doctor('--repair', '--yes', '--wait', '1s');
  const repaired = ['half', 'text-due', 'letter-due', 'risen', 'risen-error'];
  await until(async () => isAmong(repaired, await records.done()), 120_000);
  expect(erp.deliveries.map(({ id }) => id)).toEqual(expect.arrayContaining(repaired));
  const after = await doctor();
  expect(repaired.filter((id) => after.listed.has(id))).toEqual([]);
  records.close();
});
