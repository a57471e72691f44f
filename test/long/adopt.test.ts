import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { expectAdopted, FOREIGN_FLAGS, foreignItems } from '../cli/adopt/foreign-items.js';
import { oldTable } from '../cli/old-table.js';
import { CommandLine, until } from '../cli/process.js';

const ITEMS = 2_000;
const KILLS = 3;

let cli: CommandLine;
let dynamodb: EmbeddedDynamoDb;
let table: Awaited<ReturnType<typeof oldTable>>;

beforeEach(async () => {
  cli = await CommandLine.create();
  dynamodb = await startEmbeddedDynamoDb();
  table = await oldTable(dynamodb.endpoint, 'Old');
  await table.put(...foreignItems(ITEMS));
});
afterEach(async () => {
  cli.close();
  table.close();
  await dynamodb.stop();
});

it(`${ITEMS} foreign items are adopted once each, over ${KILLS} kills`, async () => {
  const stateFile = join(await mkdtemp(join(tmpdir(), 'backlog-adopt-')), 'state.json');
  const target = ['--endpoint', dynamodb.endpoint, '--table', 'Old'];
  const adopt = ['adopt', ...target, ...FOREIGN_FLAGS, '--resume', stateFile, '--yes', '--json'];
  const looked = () =>
    existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')).counters.items : 0;

  for (let kill = 0, before = 0; kill < KILLS; kill++) {
    const running = cli.start(...adopt, '--limit-per-second', '200', '--segments', '4');
    await until(() => looked() > before, 120_000);
    running.kill('SIGKILL');
    expect(await running.ended).toBeNull();
    before = looked();
    expect(before).toBeLessThan(ITEMS);
  }
  const { code, out } = await cli.run(...adopt);
  expect(code).toBe(3);
  expect(JSON.parse(out)).toMatchObject({
    items: ITEMS,
    complete: true,
    left: { unknownStatus: { 'STATE = "PARKED"': { count: ITEMS / 4 } } },
  });
  const adopted = await table.all();
  expectAdopted(adopted, ITEMS);

  const again = await cli.run(...adopt);
  expect(JSON.parse(again.out)).toMatchObject({ items: ITEMS, written: 0 });
  expect(await table.all()).toEqual(adopted);

  const doctor = await cli.run('doctor', ...target, '--queues', 'orders', '--json');
  const kinds = JSON.parse(doctor.out).findings.map(({ kind }: { kind: string }) => kind);
  // The parked ones have no status of the contract: once a backlog is deployed they would count as NEW.
  expect(kinds).toEqual(expect.arrayContaining(['notIndexed', 'attribute.status']));
  expect(kinds).not.toContain('attribute.insertedAt');
});
