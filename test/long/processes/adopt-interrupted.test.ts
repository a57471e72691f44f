import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { expectAdopted, FOREIGN_FLAGS, foreignItems } from '../../cli/adopt/foreign-items.js';
import { oldTable } from '../../cli/old-table.js';
import { CommandLine, until } from '../../cli/process.js';

const ITEMS = 600;

let cli: CommandLine;
let dynamodb: EmbeddedDynamoDb;
let table: Awaited<ReturnType<typeof oldTable>>;
let stateFile: string;

beforeEach(async () => {
  cli = await CommandLine.create();
  dynamodb = await startEmbeddedDynamoDb();
  table = await oldTable(dynamodb.endpoint, 'Old');
  stateFile = join(await mkdtemp(join(tmpdir(), 'backlog-adopt-')), 'state.json');
  await table.put(...foreignItems(ITEMS));
});
afterEach(async () => {
  cli.close();
  table.close();
  await dynamodb.stop();
});

const args = (...others: string[]) => [
  ...['adopt', '--endpoint', dynamodb.endpoint, '--table', 'Old', '--resume', stateFile, '--yes', '--json'],
  ...FOREIGN_FLAGS,
  ...others,
];

it.each(['SIGKILL', 'SIGINT'] as const)(
  'an adoption that ended by %s goes on where it was',
  async (signal) => {
    const first = cli.start(...args('--limit-per-second', '100', '--segments', '2'));
    const looked = () =>
      existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')).counters.items : 0;
    await until(() => looked() > 0, 120_000);
    first.kill(signal);
    expect(await first.ended).toBe(signal === 'SIGKILL' ? null : 1);
    if (signal === 'SIGINT') expect(first.err()).toMatch(/interrupted: the same command goes on from there/);
    const before = looked();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(ITEMS);

    const { code, out, err } = await cli.run(...args());
    expect(code).toBe(3);
    expect(err).toContain(`going on after ${before} item`);
    const { items, written, left, complete } = JSON.parse(out);
    expect({ items, complete }).toEqual({ items: ITEMS, complete: true });
    // A page that was at hand when the process was killed is looked at again; no more than that.
    const again = (left.indexed?.['']?.count ?? 0) + (left.done?.['']?.count ?? 0);
    expect(written + again).toBe(ITEMS - left.unknownStatus['STATE = "PARKED"'].count);
    expect(again).toBeLessThanOrEqual(signal === 'SIGKILL' ? 100 : 0);
    expectAdopted(await table.all(), ITEMS);
  },
);
