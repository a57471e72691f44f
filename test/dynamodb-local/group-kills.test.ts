import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RecordGroups } from '../../src/groups/index.js';
import { memberText } from '../../src/groups/names.js';
import { DynamoDbSharedItems } from '../../src/store/dynamodb/shared-items.js';
import { tablesOf } from '../../src/store/dynamodb/store.js';
import { createDynamoDbClient, DynamoDbOperatorStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { until } from '../cli/process.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

/** 100,000 take a quarter of an hour. */
const MEMBERS = Number(process.env.GROUP_MEMBERS ?? 4_000);
const DIST = pathToFileURL(join(import.meta.dirname, '../../dist/src/')).href;

const endpoint = dynamoDbLocalEndpoint();
const client = createDynamoDbClient({ endpoint });
const children = new Set<ChildProcess>();
let tables: TestTables;
let store: DynamoDbOperatorStore;
let folder: string;

beforeAll(async () => {
  tables = await createTables(client);
  store = new DynamoDbOperatorStore({ client, tables, clock: systemClock });
  folder = await mkdtemp(join(tmpdir(), 'group-kills-'));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await deleteTables(client, tables);
  client.destroy();
});

/** The beginning of both programs. The time of a page of the program before is over. */
const HEAD = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { RecordGroups } from '${DIST}index.js';
import { noteStates } from '${DIST}groups/note-states.js';
import { DynamoDbSharedItems } from '${DIST}store/dynamodb/shared-items.js';
import { tablesOf } from '${DIST}store/dynamodb/store.js';
import { createDynamoDbClient, DynamoDbOperatorStore } from '${DIST}store/index.js';
const [, , endpoint, table, controlTable, run, folder, members] = process.argv;
const ahead = Number(run) * 400_000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const clock = { now: Date.now, wall: () => Date.now() + ahead, sleep };
const client = createDynamoDbClient({ endpoint });
`;
const INSERT = `${HEAD}
const groups = new RecordGroups({ table, controlTable, client, clock });
function* records() {
  for (let i = 0; i < Number(members); i++) yield { id: 'row-' + i, payload: i, queue: 'rows' };
}
const onProgress = ({ inserted, duplicates }) => writeFileSync(folder + '/inserted', String(inserted + duplicates));
const { state } = await groups.insert('import', records(), { onComplete: { queue: 'mail' }, onProgress });
if (state !== 'sealed') throw new Error(state);
`;
const COUNT = `${HEAD}
const of = { client, tables: { records: table, control: controlTable }, clock };
const { records } = new DynamoDbOperatorStore(of);
const groups = new DynamoDbSharedItems(tablesOf(of).control);
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const deps = { groups, records, clock, random: Math.random, indexesAtOnce: () => false, logger };
const changes = JSON.parse(readFileSync(folder + '/changes.json', 'utf8'));
const counted = folder + '/counted';
// A stream comes again from a place before the last one.
for (let from = Math.max(0, Number(readFileSync(counted, 'utf8')) - 250); from < changes.length; from += 100) {
  await noteStates(changes.slice(from, from + 100), deps);
  writeFileSync(counted, String(from + 100));
}
`;

async function program(name: string, source: string, run: number): Promise<ChildProcess> {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, source);
  const args = [file, endpoint, tables.records, tables.control, String(run), folder, String(MEMBERS)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  children.add(child);
  return child;
}

/** Runs a program that is killed twice, when it has come so far, and then goes on to its end. */
async function killTwice(name: string, source: string, progress: string): Promise<void> {
  const done = async () => Number(await readFile(join(folder, progress), 'utf8').catch(() => '0'));
  for (const [run, part] of [0.3, 0.6].entries()) {
    const child = await program(name, source, run);
    const exited = once(child, 'exit');
    await until(async () => (await done()) >= MEMBERS * part, 240_000, 5);
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
  }
  const child = await program(name, source, 2);
  expect(await once(child, 'exit')).toEqual([0, null]);
}

it(`${MEMBERS} members end once, with the right counts, though kill -9 ends insertions and counts`, async () => {
  await killTwice('insert', INSERT, 'inserted');
  const groups = new RecordGroups({ table: tables.records, controlTable: tables.control, client });
  expect(await groups.get('import')).toMatchObject({ state: 'sealed', members: MEMBERS, waiting: MEMBERS });

  // Every 100th is dead. The places are those of the records: a killed insertion has left some unused.
  const changes: object[] = [];
  for (let start = 0; start < MEMBERS; start += 100) {
    const ids = Array.from({ length: Math.min(100, MEMBERS - start) }, (_, i) => `row-${start + i}`);
    const found = new Map((await store.records.getItems(ids)).map(({ item, record }) => [record.id, item]));
    for (const [i, id] of ids.entries()) {
      const number = Number(/^\d+/.exec(String(found.get(id)?.memberOf))?.[0]);
      const place = { group: 'import', page: Math.floor(number / 1_000), index: number % 1_000 };
      expect(found.get(id)?.memberOf).toBe(memberText(place));
      changes.push({ place, state: i === 0 ? 'dead' : 'succeeded', id });
    }
  }
  await writeFile(join(folder, 'changes.json'), JSON.stringify(changes));
  await writeFile(join(folder, 'counted'), '0');
  // The records of the dead are read once more before the end.
  for (let i = 0; i < MEMBERS; i += 100) {
    const record = await store.records.get(`row-${i}`);
    if (record) await store.records.change(record, { set: { status: 'DEAD' }, remove: [] }, `dead-${i}`);
  }
  await killTwice('count', COUNT, 'counted');
  const record = await store.records.get('import');
  const dead = Math.ceil(MEMBERS / 100);
  const counts = { members: MEMBERS, succeeded: MEMBERS - dead, dead, cancelled: 0, removed: 0, lost: 0 };
  expect(record?.payload).toEqual({ group: { id: 'import', complete: true, ...counts } });
  const { control } = tablesOf({ client, tables, clock: systemClock });
  expect(await new DynamoDbSharedItems(control).list('group')).toEqual([]);
  // The last changes come again, and start nothing.
  expect(await once(await program('count', COUNT, 3), 'exit')).toEqual([0, null]);
  expect((await store.records.get('import'))?.rev).toBe(record?.rev);
});
