import { describe, expect, it } from 'vitest';
import { sweep } from '../../src/intake/index.js';
import { MemoryStore, StoreThrottledError, type SweepStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 3_600_000;

/** A table of 40 pages per segment, each with one record that is not indexed. */
function bench(pages = 40) {
  let now = NOW;
  const clock = { now: () => now, wall: () => now, sleep: async () => {} };
  const memory = new MemoryStore({ clock });
  const read: string[] = [];
  let failsAt: string | undefined;
  const scan: SweepStore['sweep']['scan'] = async ({ segment, after }) => {
    now += 1000;
    const page = after === undefined ? 0 : Number(after.split('/')[1]) + 1;
    const id = `${segment}/${page}`;
    if (id === failsAt) throw new StoreThrottledError('Scan: throttled');
    read.push(id);
    return { ids: [id], next: page + 1 < pages ? id : undefined };
  };
  const store = replacing({ sweep: { scan } }, memory);
  const found: string[] = [];
  return {
    clock,
    found,
    read,
    store,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    failAt: (id: string | undefined) => {
      failsAt = id;
    },
    sweep: (seconds = 900) =>
      sweep({ store, clock, deadline: now + seconds * 1000, found: async (ids) => void found.push(...ids) }),
  };
}

describe('the sweep', () => {
  it('reads the whole table, in several segments, and hands over what it finds', async () => {
    const { sweep, found } = bench();
    expect(await sweep()).toEqual({ ended: 'finished', found: 160 });
    expect(new Set(found).size).toBe(160);
  });

  it('rests for no longer than a day where the clock was set back', async () => {
    const { sweep, pass } = bench(1);
    await sweep();
    pass(-48 * HOUR);
    expect(await sweep()).toMatchObject({ ended: 'finished' });
  });

  it('finds again what could not be handed over', async () => {
    const { clock, store, sweep: again, found } = bench(3);
    const lost = new Error('the queue does not answer');
    const copyForHandler = async (ids: readonly string[]) => {
      if (ids.some((id) => id.endsWith('/1'))) throw lost;
    };
    const deadline = clock.now() + 900_000;
    await expect(sweep({ store, clock, deadline, found: copyForHandler })).rejects.toBe(lost);
    await again();
    expect(found).toEqual(expect.arrayContaining(['0/1', '1/1', '2/1', '3/1']));
  });

  it('rests until a day has passed since it began', async () => {
    const { sweep, read, pass } = bench(2);
    await sweep();
    pass(23 * HOUR);
    expect(await sweep()).toEqual({ ended: 'rested', found: 0 });
    expect(read).toHaveLength(8);
    pass(HOUR);
    expect(await sweep()).toMatchObject({ ended: 'finished', found: 8 });
  });

  it('ends in time, and goes on where it ended', async () => {
    const { sweep, read, found } = bench();
    expect(await sweep(60)).toMatchObject({ ended: 'unfinished' });
    const sofar = read.length;
    expect(sofar).toBeGreaterThan(40);
    expect(sofar).toBeLessThan(60);
    for (let i = 0; i < 2; i++) expect(await sweep(60)).toMatchObject({ ended: 'unfinished' });
    expect(await sweep(60)).toEqual({ ended: 'finished', found: 160 });
    expect(new Set(read).size).toBe(160);
    expect(read).toHaveLength(160);
    expect(found).toHaveLength(160);
  });

  it('keeps what it has read when DynamoDB throttles, and when its finds cannot be handed over', async () => {
    const { sweep, read, failAt } = bench(10);
    failAt('2/5');
    await expect(sweep()).rejects.toThrow('throttled');
    expect(read).toContain('2/4');
    failAt(undefined);
    expect(await sweep()).toMatchObject({ ended: 'finished' });
    expect(read.filter((id) => id === '2/4')).toHaveLength(1);
    expect(new Set(read).size).toBe(40);
  });
});
