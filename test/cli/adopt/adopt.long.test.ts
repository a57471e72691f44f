import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RawItems } from '../../../src/store/dynamodb/raw-items.js';
import { DynamoDbStore, StoreThrottledError } from '../../../src/store/index.js';
import { systemClock } from '../../../src/support/clock.js';
import { systemRandom } from '../../../src/support/random.js';
import { Adoption, type AdoptionDeps } from '../../../tools/src/cli/adopt/adoption.js';
import { AdoptionCounters } from '../../../tools/src/cli/adopt/counters.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { backlog } from '../in-process.js';
import { oldTable } from '../old-table.js';

const STATES = { OPEN: 'NEW', DONE: 'SUCCESS', BROKEN: 'ERROR' } as const;
const MONTH_AGO = '2026-10-20 09:30:00';
const MAPS = [
  '--map',
  'status=STATE,insertedAt=DATE_INSERTED,payload=BODY',
  '--status-map',
  'OPEN=NEW,DONE=SUCCESS,BROKEN=ERROR',
];

let dynamodb: EmbeddedDynamoDb;
let table: Awaited<ReturnType<typeof oldTable>>;
let tables = 0;
let stateFile: string;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
});
afterAll(async () => {
  await dynamodb.stop();
  vi.unstubAllEnvs();
});
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-adopt-'));
  vi.stubEnv('BACKLOG_RUNTIME_DIR', join(folder, 'runtimes'));
  stateFile = join(folder, 'state.json');
  table = await oldTable(dynamodb.endpoint, `Old${tables++}`);
});
afterEach(() => table.close());

const adopt = (...args: string[]) =>
  backlog('adopt', '--endpoint', dynamodb.endpoint, '--table', table.name, '--resume', stateFile, ...args);

describe('backlog adopt', () => {
  beforeEach(() =>
    table.put(
      { id: 'open', STATE: 'OPEN', DATE_INSERTED: MONTH_AGO, BODY: { n: 1 } },
      { id: 'broken', STATE: 'BROKEN', DATE_INSERTED: 1_795_000_000, BODY: 'text' },
      { id: 'done', STATE: 'DONE', DATE_INSERTED: MONTH_AGO },
      { id: 'parked', STATE: 'PARKED', DATE_INSERTED: MONTH_AGO },
    ),
  );

  it('gives a table its place in the backlog, keeps the originals, and says what it left', async () => {
    const { code, out, err } = await adopt(...MAPS, '--queue', 'orders', '--yes');
    expect(code).toBe(3);
    expect(out).toMatch(/^ +2 +indexed in lane orders +\S+/m);
    expect(out).toMatch(/^ +1 +done, and marked SUCCESS +done$/m);
    expect(out).toMatch(/^ +1 +left alone: STATE = "PARKED" is neither known nor in --status-map +parked$/m);
    expect(err).toMatch(/4 items looked at .*; 3 written, \d+ write units; [\d.]+ read units/);
    expect(await table.get('open')).toEqual({
      id: 'open',
      STATE: 'OPEN',
      DATE_INSERTED: MONTH_AGO,
      BODY: { n: 1 },
      status: 'NEW',
      insertedAt: '2026-10-20T09:30:00.000Z',
      queue: 'orders',
      payload: { n: 1 },
      lane: 'orders',
      dueAt: '2026-10-20T09:30:00.000Z',
      rev: expect.stringMatching(/^[\w-]{8}$/),
    });
    expect(await table.get('parked')).toEqual({ id: 'parked', STATE: 'PARKED', DATE_INSERTED: MONTH_AGO });
    const store = new DynamoDbStore({
      client: table.client,
      tables: { records: table.name, control: table.name },
      clock: systemClock,
    });
    const due = await store.pages.query({
      lane: 'orders',
      until: Date.now(),
      order: 'oldestFirst',
      limit: 9,
    });
    expect(due.keys.map(({ id }) => id)).toEqual(['open', 'broken']);
  });

  it('changes nothing the second time', async () => {
    await adopt(...MAPS, '--yes');
    const before = await Promise.all(['open', 'broken', 'done', 'parked'].map(table.get));
    const { out } = await adopt(...MAPS, '--yes', '--json');
    expect(JSON.parse(out)).toMatchObject({ written: 0, items: 4, complete: true });
    expect(await Promise.all(['open', 'broken', 'done', 'parked'].map(table.get))).toEqual(before);
  });

  it('only counts with --dry-run, and writes nothing', async () => {
    const before = await table.all();
    const { code, out, err } = await adopt(...MAPS, '--dry-run');
    expect(code).toBe(3);
    expect(out).toMatch(/^ +2 +would be indexed in lane default/m);
    expect(err).toMatch(/3 would be written, for about 5 write units/);
    expect(await table.all()).toEqual(before);
    expect(existsSync(stateFile)).toBe(false);
  });

  it('changes nothing where no terminal can be asked, and --yes is not given', async () => {
    const { code, err } = await adopt(...MAPS);
    expect(code).toBeUndefined();
    expect(err).toMatch(/no terminal to ask at: look with --dry-run, then give --yes/);
    expect(await table.get('open')).not.toHaveProperty('lane');
  });

  it('that failed goes on behind the last page of each segment, and leaves no state at its end', async () => {
    await table.put(...Array.from({ length: 600 }, (_, i) => ({ id: `o${i}`, STATE: 'OPEN' })));
    let writes = 0;
    const change = vi.spyOn(RawItems.prototype, 'change').mockImplementation(async () => {
      if (writes++ > 550) throw new Error('out of order');
      return 'written';
    });
    expect((await adopt(...MAPS, '--yes', '--segments', '1')).err).toMatch(/out of order/);
    change.mockRestore();
    const { segments, counters } = JSON.parse(await readFile(stateFile, 'utf8'));
    expect(segments).toEqual([{ after: expect.any(String), done: false }]);
    expect(counters.items).toBe(500);
    const { out, err } = await adopt(...MAPS, '--yes', '--json');
    expect(err).toContain(`going on after ${counters.items} items of ${stateFile}`);
    expect(JSON.parse(out)).toMatchObject({ items: 604, complete: true });
    expect(existsSync(stateFile)).toBe(false);
  });

  it('does not go on with the state of another adoption', async () => {
    await writeFile(
      stateFile,
      JSON.stringify({
        version: 1,
        adoption: { where: `table ${table.name} at ${dynamodb.endpoint}`, sources: {}, statuses: STATES },
        segments: [{ done: true }],
        counters: new AdoptionCounters().state,
      }),
    );
    const { err } = await adopt(...MAPS, '--yes');
    expect(err).toMatch(/began with another sources/);
    await writeFile(stateFile, 'nonsense');
    expect((await adopt(...MAPS, '--yes')).err).toMatch(/expected the state of an adoption/);
    expect(await table.get('open')).not.toHaveProperty('lane');
  });
});

describe('a table that cannot hold a backlog', () => {
  it('for its key is explained', async () => {
    const other = await oldTable(dynamodb.endpoint, `Old${tables++}`, { key: 'ORDER_ID' });
    const args = ['--endpoint', dynamodb.endpoint, '--table', other.name];
    for (const flag of ['--dry-run', '--yes']) {
      const { err } = await backlog('adopt', ...args, flag);
      expect(err).toMatch(/the table has the partition key "ORDER_ID" \(S\).*DynamoDB changes no keys: make/);
    }
    other.close();
  });

  it('for want of the index says exactly what to add, and may be looked at all the same', async () => {
    const other = await oldTable(dynamodb.endpoint, `Old${tables++}`, { index: false });
    await other.put({ id: 'a', status: 'NEW', payload: 1 });
    const args = ['--endpoint', dynamodb.endpoint, '--table', other.name];
    const { err } = await backlog('adopt', ...args, '--yes');
    expect(err).toContain('partition key "lane" (S), sort key "dueAt" (S), projection KEYS_ONLY');
    expect(err).toContain(`aws dynamodb update-table --table-name ${other.name} --attribute-definitions`);
    const look = await backlog('adopt', ...args, '--dry-run');
    expect(look.code).toBe(0);
    expect(look.err).toMatch(/warning: the table has no index "due"/);
    const create = await backlog('adopt', ...args, '--yes', '--create-index');
    expect(create.err).toMatch(/no index was made: .*an embedded DynamoDB cannot add one/);
    other.close();
  });
});

describe('wrong usage', () => {
  it.each([
    [['--map', 'status'], /Expected pairs such as status=STATE/],
    [['--map', 'stauts=STATE'], /Did you mean "status"\?/],
    [['--map', 'id=ORDER_ID'], /The key of an item cannot be changed in place/],
    [['--map', 'status=A', '--map', 'status=B'], /mapped twice/],
    [['--status-map', 'OPEN=WAITING'], /expected one of NEW, ERROR, SUCCESS, DEAD, got "WAITING"/],
    [['--utc-offset', 'Berlin'], /Expected an offset from UTC/],
    [['--segments', '0'], /Expected a whole number from 1 to 64/],
  ])('%j is refused with what was expected', async (args, message) => {
    const { error, err } = await adopt(...args);
    expect(error).toMatchObject({ name: 'CommanderError' });
    expect(err.replace(/\s+/g, ' ')).toMatch(message);
  });
});

describe('an adoption beside others at work', () => {
  class Meddled extends RawItems {
    before: (id: string) => Promise<void> = async () => {};
    override async change(...args: Parameters<RawItems['change']>) {
      await this.before(args[0]);
      return super.change(...args);
    }
  }
  const deps = (items: RawItems, counters: AdoptionCounters): AdoptionDeps => ({
    items,
    counters,
    rules: {
      sources: { status: 'STATE' },
      statuses: STATES,
      utcOffsetMinutes: 0,
      undatedNow: false,
      leastAgeSeconds: 0,
    },
    clock: systemClock,
    random: systemRandom,
    segments: [{ done: false }],
    dryRun: false,
    signal: new AbortController().signal,
    onPage: async () => {},
    onTrouble: () => {},
  });
  let items: Meddled;
  let counters: AdoptionCounters;
  const run = () => new Adoption(deps(items, counters)).run();

  beforeEach(async () => {
    items = new Meddled({ client: table.client, table: table.name, clock: systemClock });
    counters = new AdoptionCounters();
    await table.put({ id: 'a', STATE: 'OPEN' });
  });

  it('lets a producer win that finishes an item between the look and the write', async () => {
    items.before = async () => {
      items.before = async () => {};
      await table.set('a', 'STATE', 'DONE');
    };
    await run();
    expect(await table.get('a')).toEqual({
      id: 'a',
      STATE: 'DONE',
      status: 'SUCCESS',
      rev: expect.any(String),
    });
    expect(counters.state.indexed).toEqual({});
  });

  it('lets a run win that has settled an item meanwhile', async () => {
    items.before = () => table.put({ id: 'a', STATE: 'OPEN', status: 'SUCCESS', rev: 'settled1' });
    await run();
    expect(await table.get('a')).toMatchObject({ status: 'SUCCESS', rev: 'settled1' });
    expect(counters.state.left).toMatchObject({ done: { '': { count: 1 } } });
  });

  it('does not bring back what was deleted meanwhile', async () => {
    items.before = async () => {
      await table.client.send(
        new (await import('@aws-sdk/client-dynamodb')).DeleteItemCommand({
          TableName: table.name,
          Key: { id: { S: 'a' } },
        }),
      );
    };
    await run();
    expect(await table.get('a')).toBeUndefined();
  });

  it('gives up on an item that changes at every look, and says so', async () => {
    let looks = 0;
    items.before = () => table.set('a', 'STATE', looks++ % 2 ? 'OPEN' : 'BROKEN');
    await run();
    expect(counters.state).toMatchObject({
      indexed: {},
      left: { changing: { '': { count: 1, ids: ['a'] } } },
    });
  });

  it('waits when DynamoDB throttles, and goes on', async () => {
    let trouble = 0;
    items.before = async () => {
      if (trouble++ < 2) throw new StoreThrottledError('UpdateItem: DynamoDB throttles');
    };
    const waits: number[] = [];
    const clock = { ...systemClock, sleep: async (ms: number) => void waits.push(ms) };
    await new Adoption({ ...deps(items, counters), clock }).run();
    expect(waits).toEqual([500, 1000]);
    expect(await table.get('a')).toMatchObject({ lane: 'default' });
  });
});
