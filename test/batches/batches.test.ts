import { describe, expect, it, vi } from 'vitest';
import { Cancel, Dead, Done, Pending, RetryAfter, Snooze } from '../../functions/index.js';
import type { ProcessBatch } from '../../src/batches/index.js';
import type { BacklogRecord } from '../../src/record/index.js';
import type { Process } from '../../src/worker/index.js';
import { Harness, START } from '../worker/harness.js';
import { allSucceed, Calls, numbered } from './support.js';

function withRecords(count: number, attributes: (i: number) => Record<string, unknown> = () => ({})) {
  const harness = new Harness();
  const ids = numbered(count);
  // One after the other: records of one due time have no order.
  const dueAt = (i: number) => new Date(START - (count - i) * 1000).toISOString();
  for (const [i, id] of ids.entries()) harness.put(id, { dueAt: dueAt(i), ...attributes(i) });
  return { harness, ids, calls: new Calls(harness) };
}

describe('a run in batches', () => {
  it('has the records that it attempts at once in one call, and the rest in further ones', async () => {
    const { harness, ids, calls } = withRecords(25);
    const summary = await harness.run(calls.process(allSucceed), { concurrency: 10 });
    expect(summary).toMatchObject({ attempted: 25, succeeded: 25, ended: 'drained' });
    expect(calls.sizes).toEqual([10, 10, 5]);
    expect(calls.ids.flat().sort()).toEqual(ids);
  });

  it('has no more than maxRecords in one', async () => {
    const { harness, calls } = withRecords(25);
    await harness.run(calls.process(allSucceed, { maxRecords: 4 }), { concurrency: 12 });
    expect(Math.max(...calls.sizes)).toBe(4);
    expect(calls.sizes.reduce((sum, size) => sum + size)).toBe(25);
    expect(calls.sizes.length).toBeLessThan(10);
  });

  it('calls at once for a full batch, and after the longest wait for another one', async () => {
    const { harness, calls } = withRecords(3);
    const startedAt = harness.time.now;
    const at: number[] = [];
    const process = calls.process(
      () => {
        at.push(harness.time.now - startedAt);
        return { batchItemFailures: [] };
      },
      { maxRecords: 2, maxWaitMs: 5_000 },
    );
    await harness.run(process);
    expect(calls.sizes).toEqual([2, 1]);
    expect(at).toEqual([0, 5_000]);
  });

  it('has no more than maxBytes of JSON in one, and a larger payload alone', async () => {
    const { harness, calls } = withRecords(6, (i) => ({
      payload: i === 3 ? 'x'.repeat(200) : 'ä'.repeat(20),
    }));
    await harness.run(calls.process(allSucceed, { maxBytes: 90 }));
    expect(calls.ids).toEqual([['r-000', 'r-001'], ['r-002'], ['r-003'], ['r-004', 'r-005']]);
  });

  it('keeps records apart that belong to different batches', async () => {
    const { harness, calls } = withRecords(6, (i) => ({ key: i % 2 ? 'b' : 'a' }));
    await harness.run(calls.process(allSucceed, { by: ({ key }) => key ?? '' }));
    expect(calls.ids.map((ids) => ids.sort())).toEqual([
      ['r-000', 'r-002', 'r-004'],
      ['r-001', 'r-003', 'r-005'],
    ]);
  });

  it.each([
    ['a promise', async () => 'a', /inBatches.by returned a Promise: expected a string/],
    ['nothing', () => undefined, /inBatches.by returned a undefined: expected a string/],
    [
      'an error',
      () => {
        throw new Error('no customer');
      },
      /no customer/,
    ],
  ])('fails a record for which `by` gives %s, and no other', async (_, bad, message) => {
    const { harness, calls } = withRecords(3);
    const by = ({ id }: BacklogRecord) => (id === 'r-001' ? (bad() as unknown as string) : 'a');
    expect(await harness.run(calls.process(allSucceed, { by }))).toMatchObject({ succeeded: 2, failed: 1 });
    expect(harness.item('r-001').lastError).toMatchObject({ message: expect.stringMatching(message) });
    expect(calls.ids).toEqual([['r-000', 'r-002']]);
  });

  it('calls nothing after a wait in which its process was frozen: that is no failure', async () => {
    for (const [frozenMs, sizes] of [
      [5_001, []],
      [4_999, [3]],
    ] as const) {
      const { harness, calls } = withRecords(3);
      const process = calls.process(allSucceed, {
        sleep: (ms, signal) => harness.clock.sleep(ms + frozenMs, signal),
      });
      expect(await harness.run(process)).toMatchObject({ failed: 0, snoozed: sizes.length ? 0 : 3 });
      expect(calls.sizes).toEqual(sizes);
    }
  });

  it('gives each record an outcome where the logger throws', async () => {
    const { harness, calls } = withRecords(3);
    const inner = calls.process(() => {
      throw new Error('down');
    });
    const warn = () => {
      throw new Error('EPIPE');
    };
    const process: Process = (record, context) =>
      inner(record, { ...context, signal: context.signal, logger: { ...context.logger, warn } });
    expect(await harness.run(process)).toMatchObject({ failed: 3 });
    expect(harness.item('r-001').lastError).toMatchObject({ message: 'EPIPE' });
  });

  it('has records that are permitted one after the other in one call, if they come within the wait', async () => {
    const { harness, calls } = withRecords(10);
    await harness.run(calls.process(allSucceed, { maxWaitMs: 1_000 }), { attemptsPerSecond: 5 });
    expect(calls.sizes.length).toBeLessThan(5);
    expect(calls.ids.flat()).toHaveLength(10);
  });
});

describe('the result of a batch', () => {
  const outcomes = [
    new Done({ result: 7 }),
    new Error('no'),
    new Dead('never'),
    new Snooze(600, 'later'),
    new Cancel('withdrawn'),
    new RetryAfter(900, 'busy'),
    new Pending({ timeout: 3_600 }),
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason: new TypeError('x is no function') },
  ] as const;
  const expected = {
    'r-000': { status: 'SUCCESS', result: '7' },
    'r-001': { status: 'ERROR', attempts: 1, lastError: { name: 'Error', message: 'no' } },
    'r-002': { status: 'DEAD', deadReason: 'never' },
    'r-003': { status: 'NEW', attempts: 1 },
    'r-004': { status: 'DEAD', deadReason: 'cancelled: withdrawn' },
    'r-005': { status: 'ERROR', lastError: { message: 'busy' } },
    'r-006': { status: 'NEW', notBefore: { pending: expect.anything() } },
    'r-007': { status: 'SUCCESS' },
    'r-008': { status: 'ERROR', lastError: { name: 'TypeError' } },
  };
  const settles = async (result: (ids: readonly string[]) => unknown) => {
    const { harness, ids, calls } = withRecords(outcomes.length);
    const process = calls.process(((records) => result(records.map(({ id }) => id))) as ProcessBatch);
    const summary = await harness.run(process);
    expect(calls.sizes).toEqual([outcomes.length]);
    return { summary, items: Object.fromEntries(ids.map((id) => [id, harness.item(id)])) };
  };

  it.each([
    ['a list', (ids: readonly string[]) => ids.map((id) => outcomes[Number(id.slice(2))])],
    ['a map', (ids: readonly string[]) => new Map(ids.map((id) => [id, outcomes[Number(id.slice(2))]]))],
  ])('as %s gives each record its own outcome', async (_, result) => {
    const { items, summary } = await settles(result);
    expect(items).toMatchObject(expected);
    expect(summary).toMatchObject({ succeeded: 2, failed: 3, dead: 1, snoozed: 1, cancelled: 1, pending: 1 });
  });

  it('as batchItemFailures fails those, and the others succeed', async () => {
    const { items, summary } = await settles(() => ({ batchItemFailures: [{ itemIdentifier: 'r-002' }] }));
    expect(summary).toMatchObject({ succeeded: 8, failed: 1 });
    expect(items['r-002']).toMatchObject({ lastError: { name: 'BatchItemFailure' } });
  });

  it.each([
    ['nothing', () => undefined, /returned a undefined: expected a list with one outcome/],
    ['a text', () => 'done', /returned a string: expected a list/],
    ['another object', () => ({ ok: true }), /returned a Object: expected a list/],
    ['a list that is too short', () => [new Done()], /a list of 1 outcomes: expected 9, one for each record/],
    [
      'an unknown id',
      () => ({ batchItemFailures: [{ itemIdentifier: 'r-2' }] }),
      /expected the id of a record/,
    ],
    ['a failure without its id', () => ({ batchItemFailures: [{}] }), /expected the id of a record/],
    ['a failure that is null', () => ({ batchItemFailures: [null] }), /expected the id of a record/],
    ['failures that are no list', () => ({ batchItemFailures: 'r-002' }), /returned a Object: expected/],
  ])(
    'is refused where it is %s: every record fails, and no other call is made',
    async (_, result, message) => {
      const { items, summary } = await settles(result);
      expect(summary).toMatchObject({ succeeded: 0, failed: 9 });
      for (const item of Object.values(items)) {
        expect(item.lastError).toMatchObject({
          name: 'InvalidBatchResult',
          message: expect.stringMatching(message),
        });
      }
    },
  );

  it.each([
    ['a list', (ids: readonly string[]) => ids.map((id) => (id === 'r-004' ? undefined : new Done()))],
    [
      'a map',
      (ids: readonly string[]) => new Map(ids.filter((id) => id !== 'r-004').map((id) => [id, new Done()])),
    ],
    [
      'a map with a null',
      (ids: readonly string[]) => new Map(ids.map((id) => [id, id === 'r-004' ? null : new Done()])),
    ],
  ])('as %s without an outcome of one record fails that record alone', async (_, result) => {
    const { items, summary } = await settles(result);
    expect(summary).toMatchObject({ succeeded: 8, failed: 1 });
    expect(items['r-004']).toMatchObject({ lastError: { name: 'MissingOutcome' } });
  });

  it('may have outcomes that throw when they are read: these fail alone', async () => {
    const hostile = Object.defineProperty({}, 'status', {
      get() {
        throw new Error('read');
      },
    });
    const { summary } = await settles((ids) => ids.map((id) => (id === 'r-004' ? hostile : new Done())));
    expect(summary).toMatchObject({ succeeded: 8, failed: 1 });
  });

  it('may be a map or a list that throws where it is read: that record fails alone, and nothing is sent again', async () => {
    const refuse = () => {
      throw new Error('read');
    };
    class Hostile extends Map<string, unknown> {
      override get(id: string) {
        return id === 'r-004' ? refuse() : super.get(id);
      }
    }
    const results = [
      (ids: readonly string[]) => new Hostile(ids.map((id) => [id, new Done()])),
      (ids: readonly string[]) =>
        Object.defineProperty(
          ids.map(() => new Done()),
          4,
          { get: refuse },
        ),
    ];
    for (const result of results) {
      const { items, summary } = await settles(result);
      expect(summary).toMatchObject({ succeeded: 8, failed: 1 });
      expect(items['r-004']).toMatchObject({ lastError: { message: 'read' } });
    }
  });

  it('ends no process where it is refused and has a promise that rejects', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      const { summary } = await settles(() => [Promise.reject(new Error('no'))]);
      await new Promise((resolve) => setImmediate(resolve));
      expect(summary).toMatchObject({ succeeded: 0, failed: 9 });
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  it('cannot get out of the order of the records: their list is frozen', async () => {
    const { harness, calls } = withRecords(3);
    const sorted = vi.fn((records: readonly BacklogRecord[]) => (records as BacklogRecord[]).reverse());
    const process = calls.process((records) => {
      expect(() => sorted(records)).toThrow(TypeError);
      return records.map(() => new Done());
    });
    expect(await harness.run(process)).toMatchObject({ succeeded: 3 });
    expect(sorted).toHaveBeenCalledTimes(1);
  });

  it('may have promises, each of which is the outcome of its record', async () => {
    const { items, summary } = await settles((ids) =>
      ids.map(async (id) => {
        if (id === 'r-004') throw new Error('no');
      }),
    );
    expect(summary).toMatchObject({ succeeded: 8, failed: 1 });
    expect(items['r-004']).toMatchObject({ lastError: { name: 'Error', message: 'no' } });
  });
});
