import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BacklogOperator } from '../../../src/operate/index.js';
import { CountsReader } from '../../../src/overview/counts.js';
import { explain } from '../../../tools/src/cli/explain.js';
import { type FailoverFlags, failover } from '../../../tools/src/cli/failover/failover.js';
import { backlog } from '../../cli/in-process.js';
import { GlobalTables, REGIONS, type RegionName, TABLES } from './global-tables.js';
import { type Attempt, Site } from './site.js';

const [FRANKFURT, IRELAND] = REGIONS;
const MINUTE = 60_000;

let tables: GlobalTables;
let attempts: Attempt[];
let sites: Record<RegionName, Site>;

beforeEach(async () => {
  tables = await GlobalTables.start();
  attempts = [];
  sites = {
    [FRANKFURT]: new Site(FRANKFURT, tables, attempts),
    [IRELAND]: new Site(IRELAND, tables, attempts),
  };
  tables.onChange = (region, change) => sites[region].sees(change);
});
afterEach(async () => {
  for (const region of REGIONS) await sites[region].stop();
  await tables.stop();
});

const minutes = (count: number) => tables.time.runUntil(tables.time.now + count * MINUTE);

async function put(region: RegionName, ...ids: string[]): Promise<void> {
  for (const id of ids) await tables.time.until(sites[region].put(id));
}

/** The lines that the last command has printed on stdout. */
let printed: string[] = [];
async function run(to: RegionName, more: Partial<FailoverFlags> = {}) {
  const said: string[] = [];
  printed = [];
  const from = to === FRANKFURT ? IRELAND : FRANKFURT;
  const flags = {
    ...{ to, table: TABLES.records, controlTable: TABLES.control, yes: true },
    ...{ endpoint: tables.endpoint(to), fromEndpoint: tables.endpoint(from) },
    ...more,
  };
  const output = {
    data: (line: string) => void printed.push(line),
    message: (line: string) => void said.push(line),
  };
  const deps = { clock: tables.time.clock(), createClient: tables.createClient };
  const work = failover(flags, output, deps).then(
    (code) => ({ code, said: said.join('\n') }),
    (error: unknown) => ({ code: undefined, said: [...said, explain(error)].join('\n') }),
  );
  return tables.time.until(work);
}

/** Each record once; the regions of the attempts, in their order. */
function regionsOf(ids: readonly string[]): string[] {
  const own = attempts.filter(({ id }) => ids.includes(id));
  expect(own.map(({ id }) => id).sort()).toEqual([...ids].sort());
  return [...new Set(own.map(({ region }) => region))];
}

async function statuses(ids: readonly string[]): Promise<unknown[]> {
  const all = REGIONS.flatMap((region) => ids.map((id) => sites[region].statusOf(id)));
  return [...new Set(await tables.time.until(Promise.all(all)))];
}

describe('a backlog in two regions', () => {
  it('attempts records in the primary region, wherever they are put', async () => {
    await minutes(2);
    await put(FRANKFURT, 'a');
    await put(IRELAND, 'b');
    await minutes(6);
    expect(regionsOf(['a', 'b'])).toEqual([FRANKFURT]);
    expect(await statuses(['a', 'b'])).toEqual(['SUCCESS']);
  });

  it('moves to the other region and back, and attempts no record in both', async () => {
    await minutes(2);
    const all: string[] = [];
    const puts = async (count: number, name: string) => {
      for (let i = 0; i < count; i++) {
        const region = REGIONS[i % 2] ?? FRANKFURT;
        all.push(`${name}-${i}`);
        tables.time.after(i * 17_000, () => void sites[region].put(`${name}-${i}`));
      }
    };
    for (const [to, name] of [
      [IRELAND, 'there'],
      [FRANKFURT, 'back'],
    ] as const) {
      await puts(16, name);
      await minutes(1);
      const { code, said } = await run(to);
      expect(said).toMatch(
        new RegExp(
          `stops: its functions begin no page after a minute\\n(waiting for .*\\n)?.* has stopped\\n${to} has the same ` +
            `\\d+ due records?\\n${to} is active: its functions begin within a minute`,
        ),
      );
      expect(code).toBe(0);
      await minutes(6);
      expect(attempts.at(-1)?.region).toBe(to);
    }
    expect(regionsOf(all).sort()).toEqual([...REGIONS]);
    expect(await statuses(all)).toEqual(['SUCCESS']);
    // Not even two different ones at the same time.
    for (const one of attempts.filter(({ region }) => region === FRANKFURT)) {
      const others = attempts.filter(({ region }) => region === IRELAND);
      expect(others.filter(({ from, until }) => from < one.until && one.from < until)).toEqual([]);
    }
    expect(await run(FRANKFURT)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^eu-central-1 is active, since 2026/),
    });
  });

  it('goes on with a move that was interrupted, and takes one back', async () => {
    await minutes(2);
    const interrupted = async () => {
      const at = tables.time.now;
      const item = { region: IRELAND, from: at + 30 * MINUTE, at, before: FRANKFURT };
      await tables.time.until(sites[FRANKFURT].store.activeRegion.write(item, undefined));
      await minutes(1);
    };
    await interrupted();
    expect(await run(FRANKFURT)).toEqual({ code: 0, said: 'eu-west-1 had not begun: eu-central-1 goes on' });
    await minutes(1);
    await interrupted();
    const { code, said } = await run(IRELAND);
    expect(said).toContain('eu-west-1 is active: its functions begin within a minute');
    expect(code).toBe(0);
  });

  it('gives the work back where nothing is replicated, and says so', async () => {
    await minutes(2);
    tables.isBroken = true;
    await put(FRANKFURT, 'a');
    const { code, said } = await run(IRELAND);
    expect(said).toContain(
      'the tables of eu-west-1 do not get what is written in eu-central-1: eu-central-1 goes on',
    );
    expect(code).toBe(3);
    await put(FRANKFURT, 'b');
    await minutes(5);
    expect(regionsOf(['a', 'b'])).toEqual([FRANKFURT]);
    await tables.time.until(tables.mend());
    await minutes(3);
    expect(await statuses(['a', 'b'])).toEqual(['SUCCESS']);
  });

  it('begins at once with --force if the active region is down, and takes up what that one has not attempted', async () => {
    await minutes(2);
    await put(FRANKFURT, 'done');
    await minutes(1);
    sites[FRANKFURT].isUp = false;
    await put(FRANKFURT, 'a');
    await put(IRELAND, 'b');
    const down = { fromEndpoint: 'http://127.0.0.1:9' };
    const refused = await run(IRELAND, down);
    expect(refused.said).toContain('eu-central-1 is active, and does not answer');
    expect(refused.said).toContain('If it is down, add --force');
    expect(refused.code).toBeUndefined();
    const { code, said } = await run(IRELAND, { ...down, force: true });
    expect(said).toContain(
      'eu-west-1 is active: its functions begin within a minute\nWhen eu-central-1 is back',
    );
    expect(code).toBe(0);
    await minutes(6);
    expect(regionsOf(['a', 'b'])).toEqual([IRELAND]);
    sites[FRANKFURT].isUp = true;
    await put(FRANKFURT, 'c');
    await minutes(6);
    expect(regionsOf(['a', 'b', 'c'])).toEqual([IRELAND]);
    expect(await statuses(['done', 'a', 'b', 'c'])).toEqual(['SUCCESS']);
  });

  it('refuses changes by operators in the region that is not the active one', async () => {
    await minutes(2);
    const operatorIn = (region: RegionName) => {
      const client = tables.createClient({ region, endpoint: tables.endpoint(region) });
      const { records: table, control: controlTable } = TABLES;
      return new BacklogOperator({ table, controlTable, client, clock: tables.time.clock() });
    };
    const discard = (region: RegionName) =>
      tables.time.until(
        operatorIn(region)
          .discard(['a'], { reason: 'not wanted' })
          .then(
            ({ ended }) => ended,
            ({ message }: Error) => message,
          ),
      );
    expect(await discard(FRANKFURT)).toBe('complete');
    expect(await discard(IRELAND)).toMatch(
      /^expected the region that attempts the records \(the primary one\), got eu-west-1/,
    );
    await run(IRELAND);
    expect(await discard(FRANKFURT)).toContain('(eu-west-1), got eu-central-1: change records there');
    expect(await discard(IRELAND)).toBe('complete');
  });

  it('is known to the console', async () => {
    await minutes(2);
    const { records: table, control: controlTable } = TABLES;
    const passiveIn = async (region: RegionName) => {
      const client = tables.createClient({ region, endpoint: tables.endpoint(region) });
      const backlog = { table, controlTable, client, clock: tables.time.clock() };
      const { counts } = await tables.time.until(new CountsReader({ backlog }).read());
      return counts?.passive;
    };
    expect(await passiveIn(FRANKFURT)).toBeUndefined();
    expect(await passiveIn(IRELAND)).toEqual({ region: IRELAND, active: FRANKFURT });
    await run(IRELAND);
    await minutes(1);
    expect(await passiveIn(FRANKFURT)).toEqual({ region: FRANKFURT, active: IRELAND });
    expect(await passiveIn(IRELAND)).toBeUndefined();
  });

  it('is known to the doctor, which repairs nothing in the region that is not the active one', async () => {
    await minutes(2);
    sites[IRELAND].isUp = false;
    await put(IRELAND, 'a');
    const { records, control } = TABLES;
    // The region of every client of an emulator.
    const at = ['--endpoint', tables.endpoint(IRELAND), '--table', records, '--control-table', control];
    const { out, err } = await backlog('doctor', ...at, '--repair', '--yes', '--json', '--wait', '1s');
    expect(err).toContain('nothing was repaired: us-east-1 is passive: eu-central-1 attempts the records');
    expect(JSON.parse(out).findings).toContainEqual(
      expect.objectContaining({ kind: 'region.passive', severity: 'note' }),
    );
    expect(await sites[IRELAND].store.records.get('a')).toMatchObject({ lane: undefined });
  });

  it('says with --dry-run what is to be known, and changes nothing', async () => {
    await minutes(2);
    const { code, said } = await run(IRELAND, { dryRun: true, yes: false });
    expect(said).toBe(
      'eu-central-1 is active, and answers\neu-west-1 has 0 due records, of which 0 differ from eu-central-1\nnothing was changed',
    );
    expect(code).toBe(0);
    expect(printed).toEqual([]);
    await put(IRELAND, 'a');
    await minutes(6);
    expect(regionsOf(['a'])).toEqual([FRANKFURT]);
  });

  it('prints its result with --json', async () => {
    await minutes(2);
    const result = async (to: RegionName, more: Partial<FailoverFlags> = {}) => {
      await run(to, { json: true, ...more });
      expect(printed).toHaveLength(1);
      return JSON.parse(printed[0] ?? '');
    };
    expect(await result(IRELAND, { dryRun: true })).toEqual({
      ...{ active: FRANKFURT, result: 'unchanged', compared: 0, differing: [] },
    });
    expect(await result(FRANKFURT)).toEqual({ active: FRANKFURT, result: 'alreadyActive' });
    expect(await result(IRELAND)).toEqual({ active: IRELAND, result: 'moved' });
  });

  it('says what is missing', async () => {
    expect((await run(IRELAND)).said).toContain('no Backlog with "primaryRegion" has run on these tables');
    expect((await run(IRELAND, { controlTable: 'Nowhere' })).said).toContain('Nowhere');
    expect((await run(FRANKFURT)).code).toBeUndefined();
    await minutes(2);
    expect(await run(FRANKFURT)).toEqual({ code: 0, said: 'eu-central-1 is active' });
  });
});
