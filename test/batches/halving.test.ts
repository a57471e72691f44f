import { describe, expect, it } from 'vitest';
import { Cancel, Dead, Done, inBatches, Pending, RetryAfter, Snooze } from '../../functions/index.js';
import type { ProcessBatch } from '../../src/batches/index.js';
import { seededRandom } from '../simulation/random.js';
import { Harness } from '../worker/harness.js';
import { breaksAt, Calls, numbered } from './support.js';

const AT_ONCE = { concurrency: 100 };

function withRecords(count: number, attributes: (i: number) => Record<string, unknown> = () => ({})) {
  const harness = new Harness();
  const ids = numbered(count);
  for (const [i, id] of ids.entries()) harness.put(id, attributes(i));
  return { harness, ids, calls: new Calls(harness) };
}

describe('a record that breaks a batch', () => {
  it('is found, whichever it is, in few calls: it alone fails', async () => {
    for (let bad = 0; bad < 100; bad += 7) {
      const { harness, ids, calls } = withRecords(100);
      const summary = await harness.run(calls.process(breaksAt(String(ids[bad]))), AT_ONCE);
      expect(summary).toMatchObject({ attempted: 100, succeeded: 99, failed: 1 });
      expect(harness.item(String(ids[bad]))).toMatchObject({ status: 'ERROR', attempts: 1, failures: 1 });
      // The batch, two alone, and two for each halving of 98.
      expect(calls.ids.length).toBeLessThanOrEqual(1 + 2 + 2 * Math.ceil(Math.log2(98)));
      // No record is sent again after its success.
      const succeeded = new Set<string>();
      for (const some of calls.ids) {
        for (const id of some) expect(succeeded).not.toContain(id);
        if (!some.includes(String(ids[bad]))) for (const id of some) succeeded.add(id);
      }
    }
  });

  it('is named in the log', async () => {
    const { harness, calls } = withRecords(8);
    await harness.run(calls.process(breaksAt('r-003')), AT_ONCE);
    expect(harness.warnings).toEqual([
      'a batch has failed as a whole, and two of its records are tried alone',
      'records that break a batch',
    ]);
  });

  it('is found beside others like it', async () => {
    const { harness, calls } = withRecords(64);
    const summary = await harness.run(calls.process(breaksAt('r-003', 'r-020', 'r-021', 'r-063')), AT_ONCE);
    expect(summary).toMatchObject({ succeeded: 60, failed: 4 });
  });

  it('has the outcome that it throws where it is alone', async () => {
    const { harness, calls } = withRecords(16);
    const process: ProcessBatch = (records) => {
      if (records.some(({ id }) => id === 'r-005')) throw new Dead('the order is invalid');
      return records.map(() => new Done());
    };
    expect(await harness.run(calls.process(process), AT_ONCE)).toMatchObject({ succeeded: 15, dead: 1 });
    expect(harness.item('r-005')).toMatchObject({ status: 'DEAD', deadReason: 'the order is invalid' });
  });

  it('has the others in one call where it was tried alone and failed', async () => {
    const { harness, calls } = withRecords(20, (i) =>
      i === 7 ? {} : { status: 'ERROR', attempts: i, failures: i },
    );
    await harness.run(calls.process(breaksAt('r-000')), AT_ONCE);
    expect(calls.sizes).toEqual([20, 1, 1, 18]);
  });

  it('is not looked for in the minute after a search that found too many', async () => {
    const { harness, calls } = withRecords(60, (i) =>
      i < 2 ? {} : { status: 'ERROR', attempts: 1, failures: 1 },
    );
    const process = calls.process((records) => {
      if (records.some(({ id }) => !['r-000', 'r-001'].includes(id))) throw new Error('down');
      return { batchItemFailures: [] };
    });
    await harness.run(process, AT_ONCE);
    calls.ids.length = 0;
    for (let i = 0; i < 4; i++) harness.put(`new-${i}`);
    await harness.run(process, AT_ONCE);
    expect(calls.sizes).toEqual([4]);
  });

  it('is looked for without the records that are cancelled meanwhile', async () => {
    const cancels = new Map<string, AbortController>();
    const calls: string[][] = [];
    const process = inBatches((records) => {
      calls.push(records.map(({ id }) => id));
      if (records.length === 1) for (const end of cancels.values()) end.abort(new Cancel('withdrawn'));
      if (records.length > 1) throw new Error('HTTP 400');
      return [new Done()];
    });
    const attempt = (id: string) => {
      const end = new AbortController();
      if (id !== 'a' && id !== 'b') cancels.set(id, end);
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const record = { id, queue: 'q', attempts: cancels.has(id) ? 5 : 0 } as never;
      return process(record, { signal: end.signal, token: 't', attempt: 1, logger });
    };
    const ends = await Promise.allSettled(['a', 'b', 'c', 'd'].map(attempt));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(calls.map(({ length }) => length)).toEqual([4, 1, 1]);
  });

  it.each([
    ['Dead', () => new Dead('no such order'), { dead: 2, failed: 18 }],
    ['Cancel', () => new Cancel('withdrawn'), { cancelled: 2, failed: 18 }],
  ])('cannot end others by a %s that a call of several throws', async (_, outcome, counts) => {
    const { harness, ids, calls } = withRecords(20);
    const process = calls.process(() => {
      throw outcome();
    });
    expect(await harness.run(process, AT_ONCE)).toMatchObject(counts);
    expect(calls.sizes).toEqual([20, 1, 1]);
    const failed = ids.map((id) => harness.item(id)).filter(({ status }) => status === 'ERROR');
    expect(failed).toHaveLength(18);
    for (const { lastError } of failed) expect(lastError).toMatchObject({ message: outcome().message });
    // Nor in the minute after that.
    await harness.pass(59);
    for (let i = 0; i < 3; i++) harness.put(`new-${i}`);
    expect(await harness.run(process, AT_ONCE)).toMatchObject({ dead: 0, failed: 21 });
    expect(calls.sizes.slice(3)).toEqual([21]);
  });

  it('is found in batches of one name while those of another one rest', async () => {
    const { harness, calls } = withRecords(20, (i) => ({ key: i < 10 ? 'down' : 'well' }));
    const process = calls.process(
      (records) => {
        if (records.some(({ id, key }) => key === 'down' || id === 'r-015')) throw new Error('no');
        return { batchItemFailures: [] };
      },
      { by: ({ key }) => String(key) },
    );
    expect(await harness.run(process, AT_ONCE)).toMatchObject({ succeeded: 9, failed: 11 });
    calls.ids.length = 0;
    await harness.pass(10);
    for (let i = 0; i < 3; i++) harness.put(`new-${i}`, { key: 'down' });
    expect(await harness.run(process, AT_ONCE)).toMatchObject({ failed: 3 });
    expect(calls.sizes).toEqual([3]);
  });

  it('is found where two of its batch were tried alone and one of them was it', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { harness, calls } = withRecords(3);
      const process = calls.process(breaksAt('r-001'), { random: seededRandom(seed) });
      expect(await harness.run(process, AT_ONCE)).toMatchObject({ succeeded: 2, failed: 1 });
      expect(calls.ids.length).toBeLessThanOrEqual(5);
    }
  });

  it('is looked for beside records that were attempted less often', async () => {
    // Half of them have failed before: two of these are not what is tried alone.
    const { harness, calls } = withRecords(40, (i) =>
      i % 2 ? { status: 'ERROR', attempts: 3, failures: 3 } : {},
    );
    await harness.run(calls.process(breaksAt('r-001')), AT_ONCE);
    const [, one, other] = calls.ids;
    for (const id of [one, other].flat()) expect(Number(id?.slice(2)) % 2).toBe(0);
  });

  it('does not stand for its batch each time: which records are tried alone is left to chance', async () => {
    const tried = new Set<string>();
    for (let seed = 1; seed <= 30; seed++) {
      const { harness, calls } = withRecords(10);
      await harness.run(calls.process(breaksAt('r-000', 'r-001'), { random: seededRandom(seed) }), AT_ONCE);
      for (const id of calls.ids.slice(1, 3).flat()) tried.add(id);
    }
    expect(tried.size).toBe(10);
  });
});

describe('a call that fails for a cause that its records share', () => {
  const down: ProcessBatch = () => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { name: 'NetworkError' });
  };

  it('fails all of them, after two were tried alone', async () => {
    const { harness, calls } = withRecords(50);
    expect(await harness.run(calls.process(down), AT_ONCE)).toMatchObject({ attempted: 50, failed: 50 });
    expect(calls.sizes).toEqual([50, 1, 1]);
    expect(harness.warnings).toEqual([
      'a batch has failed as a whole, and two of its records are tried alone',
      'both have failed, too: no batch is halved for a minute',
    ]);
  });

  it('costs one call for each further batch of the next minute, and is looked into again after it', async () => {
    const { harness, calls } = withRecords(60);
    const process = calls.process(down);
    await harness.run(process, {
      concurrency: 20,
      retry: { type: 'constant', interval: 30, jitter: 'none' },
    });
    expect(calls.sizes).toEqual([20, 1, 1, 20, 20]);
    calls.ids.length = 0;
    await harness.pass(90);
    await harness.run(process, { concurrency: 20 });
    expect(calls.sizes).toEqual([20, 1, 1, 20, 20]);
  });

  it('does not have every record called alone, where the destination fails in the middle of the search', async () => {
    const { harness, calls } = withRecords(100);
    const process: ProcessBatch = (records) => {
      if (records.some(({ id }) => id === 'r-050') || calls.ids.length > 5) throw new Error('HTTP 500');
      return { batchItemFailures: [] };
    };
    const summary = await harness.run(calls.process(process), AT_ONCE);
    expect(summary).toMatchObject({ attempted: 100 });
    expect(summary.succeeded + summary.failed).toBe(100);
    expect(calls.ids.length).toBeLessThan(50);
  });

  it.each([
    ['RetryAfter', new RetryAfter(900, 'busy'), { failed: 20 }],
    ['Snooze', new Snooze(600, 'closed'), { snoozed: 20 }],
    ['Pending', new Pending({ timeout: 600 }), { pending: 20 }],
    ['Done', new Done(), { succeeded: 20 }],
  ])('is not tried again where it throws a %s', async (_, thrown, counts) => {
    const { harness, calls } = withRecords(20);
    const process = calls.process(() => {
      throw thrown;
    });
    expect(await harness.run(process, AT_ONCE)).toMatchObject({ attempted: 20, ...counts });
    expect(calls.sizes).toEqual([20]);
    expect(harness.warnings).toEqual([]);
  });

  it('of one record alone is its failure, without another call', async () => {
    const { harness, calls } = withRecords(1);
    expect(await harness.run(calls.process(down), AT_ONCE)).toMatchObject({ failed: 1 });
    expect(calls.sizes).toEqual([1]);
    expect(harness.warnings).toEqual([]);
  });
});
