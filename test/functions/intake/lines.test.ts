import type { Logger } from '@aws-lambda-powertools/logger';
import { describe, expect, it } from 'vitest';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import { Lines, type LineTables } from '../../../functions/intake/lines.js';
import { parseStreamEvent, parseVersions } from '../../../functions/intake/stream-event.js';
import { type Item, parseRecord } from '../../../src/record/index.js';
import { toAttributes } from '../../../src/store/dynamodb/attribute-values.js';
import { StoreUnavailableError } from '../../../src/store/errors.js';
import { MemoryStore } from '../../../src/store/index.js';
import { context, workbench } from '../support.js';

const NOW = Date.UTC(2026, 0, 1);

/** The lines of queues q and r, which have order, beside the queue `free`. */
function bench() {
  const clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };
  const store = new MemoryStore({ clock });
  const logged: string[] = [];
  const log = (text: string) => void logged.push(text);
  const logger = { debug() {}, info() {}, warn: log, error: log };
  const sent: [readonly string[], number][] = [];
  const state = { fails: false };
  const lines = new Lines(
    {
      settings: {
        tables: { records: 'records', control: 'control' },
        functionTimeoutSeconds: 60,
        queues: {
          q: { retryMode: 'perRecord', order: 'key' },
          r: { retryMode: 'perRecord', order: 'key' },
          free: { retryMode: 'perRecord' },
        },
        metrics: 'full',
        redeliveryUrl: 'https://sqs/returns',
        eventDlqUrl: undefined,
        functions: new Map(),
        arrivalFunctions: new Map(),
      },
      indexing: { store, clock, random: Math.random, logger },
      invoker: {
        async sendToRedelivery(ids, seconds) {
          if (state.fails) throw new Error('SQS does not answer');
          sent.push([ids, seconds]);
        },
      },
      logger: logger as unknown as Logger,
    },
    { lines: store.lines, control: store.control },
  );
  const image = (item: Item | undefined) => item && toAttributes(item);
  let place = 0;
  /** A write of a record, as the stream has it. */
  const write = (before: Item | undefined, after: Item | undefined) => {
    const id = String((after ?? before)?.id);
    if (after) store.put(after);
    else store.delete(id);
    const eventName = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
    const images = { OldImage: image(before), NewImage: image(after) };
    return {
      eventSource: 'aws:dynamodb',
      eventName,
      dynamodb: { SequenceNumber: `${++place}`, Keys: { id: { S: id } }, ...images },
    };
  };
  const sift = (...Records: object[]) =>
    lines.sift(parseVersions({ Records }, NOW), parseStreamEvent({ Records }, NOW));
  return { lines, store, sent, logged, state, write, sift };
}

const item = (id: string, seq: number, more: Item = {}): Item => ({
  ...{ id, status: 'NEW', queue: 'q', key: 'k', seq, payload: 0, ...more },
});

describe('a batch of the stream', () => {
  it('starts the heads of its lines, and what has no order, in the order of the stream', async () => {
    const { sift, write } = bench();
    const records = [
      item('b', 2),
      item('free', 1, { queue: 'free' }),
      item('a', 1),
      item('l', 1, { key: 'l' }),
    ].map((one) => write(undefined, one));
    const { changes, failed } = await sift(...records);
    expect(changes.map(({ id }) => id)).toEqual(['free', 'a', 'l']);
    expect(changes.map(({ kind }) => kind)).toEqual(['inserted', 'inserted', 'inserted']);
    expect(failed).toBeUndefined();
  });

  it('starts the next record where one has ended or was deleted', async () => {
    const { sift, write } = bench();
    const [a, b, c] = [item('a', 1), item('b', 2), item('c', 3)];
    await sift(write(undefined, a), write(undefined, b), write(undefined, c));
    const ended = await sift(write(a, { ...a, status: 'SUCCESS', rev: 'r' }));
    expect(ended.changes.map(({ id }) => id)).toEqual(['b']);
    expect((await sift(write(b, undefined))).changes.map(({ id }) => id)).toEqual(['c']);
  });

  it('leaves ends of records without order alone', async () => {
    const { sift, write } = bench();
    const free = item('a', 1, { queue: 'free' });
    expect((await sift(write(free, { ...free, status: 'SUCCESS', rev: 'r' }))).changes).toEqual([]);
  });

  it('does not start a record that has come from another queue: a run of that one may be attempting it', async () => {
    const { lines, sift, write } = bench();
    const a = item('a', 1);
    await sift(write(undefined, a));
    const { changes } = await sift(write(a, { ...a, queue: 'r' }));
    expect(changes.map(({ id, kind }) => [id, kind])).toEqual([['a', 'changed']]);
    expect((await lines.admit(['a'], false)).ids).toEqual(['a']);
  });

  it('begins again at the first change that could not be handled', async () => {
    const { store, state, sift, write } = bench();
    const free = write(undefined, item('free', 1, { queue: 'free' }));
    const gap = write(undefined, item('b', 2));
    state.fails = true;
    expect((await sift(free, gap)).failed).toBe('2');
    state.fails = false;
    store.lines.read = () => Promise.reject(new StoreUnavailableError('no answer'));
    expect((await sift(free, gap)).failed).toBe('2');
  });

  it('asks for another look when a number is missing, in at most a quarter of an hour', async () => {
    const { lines, sent, sift, write } = bench();
    await sift(write(undefined, item('b', 2)));
    expect(sent).toEqual([[['b'], 120]]);
    Object.assign(Reflect.get(lines, 'deps'), {
      rulesOf: () => ({ onDeadHead: 'hold', skipGapAfter: 86_400 }),
    });
    await sift(write(undefined, item('c', 2, { key: 'l' })));
    expect(sent[1]).toEqual([['c'], 900]);
  });

  it('asks with one message for all lines that wait equally long', async () => {
    const { sent, sift, write } = bench();
    await sift(...['k', 'l', 'm'].map((key) => write(undefined, item(`2-${key}`, 2, { key }))));
    expect(sent).toEqual([[['2-k', '2-l', '2-m'], 120]]);
  });

  it('notes the lines that are held by a dead record, until the note is written', async () => {
    const { store, sift, write } = bench();
    const [a, b] = [item('a', 1), item('b', 1, { key: 'l' })];
    await sift(write(undefined, a), write(undefined, b));
    const ends = [a, b].map((one) => write(one, { ...one, status: 'DEAD', rev: 'r' }));
    const { write: real } = store.lines;
    store.lines.write = (key, ...rest) =>
      key.startsWith('held-lines#')
        ? Promise.reject(new StoreUnavailableError('no answer'))
        : real.call(store.lines, key, ...rest);
    expect((await sift(...ends)).failed).toBe(ends[0]?.dynamodb.SequenceNumber);
    store.lines.write = real;
    expect((await sift(...ends)).failed).toBeUndefined();
    const note = (await store.lines.read(['held-lines#q'])).get('held-lines#q');
    expect(note).toMatchObject({ keys: ['k', 'l'], hasMore: false });
  });

  it('names records that have a key, and no number', async () => {
    const { logged, sift, write } = bench();
    const { changes } = await sift(
      write(undefined, item('a', 0)),
      write(undefined, item('f', 0, { queue: 'free' })),
    );
    expect(changes).toHaveLength(2);
    expect(logged).toHaveLength(1);
  });
});

describe('records that come back', () => {
  it('are admitted where it is their turn, or they have no order', async () => {
    const { lines, store, sift, write } = bench();
    await sift(write(undefined, item('a', 1)), write(undefined, item('b', 2)));
    store.put(item('free', 1, { queue: 'free' }));
    expect(await lines.admit(['a', 'b', 'free', 'gone'], false)).toEqual({
      ids: ['free', 'gone', 'a'],
      undone: [],
    });
  });

  it('bring to light that the end of a head was missed, if the sweep has found them', async () => {
    const { lines, store, sift, write } = bench();
    await sift(write(undefined, item('a', 1)), write(undefined, item('b', 2)));
    store.put(item('a', 1, { status: 'SUCCESS' }));
    expect((await lines.admit(['b'], false)).ids).toEqual([]);
    expect((await lines.admit(['b'], true)).ids).toEqual(['b']);
  });

  it('wait for an attempt that a claim or a lease names', async () => {
    const { lines, store, sent, sift, write } = bench();
    const [a, b] = [item('a', 1), item('b', 2)];
    await sift(write(undefined, a), write(undefined, b));
    await store.claims.take('q', {
      batch: 'x',
      holder: 'x',
      ids: ['a'],
      now: NOW,
      until: NOW + 60_000,
    } as never);
    const { changes } = await sift(write(a, undefined));
    expect(changes).toEqual([]);
    expect(sent).toEqual([[['b'], 900]]);
    expect(parseRecord(b, NOW).seq).toBe(2);
    expect((await lines.admit(['b'], false)).ids).toEqual([]);
  });

  it('take their places in their lines, if no event has notified of them', async () => {
    const { lines, store, sift, write } = bench();
    const a = item('a', 1);
    await sift(write(undefined, a));
    store.put(item('b', 2));
    expect((await lines.admit(['b'], true)).ids).toEqual([]);
    const { changes } = await sift(write(a, { ...a, status: 'SUCCESS', rev: 'r' }));
    expect(changes.map(({ id }) => id)).toEqual(['b']);
  });
});

describe('the intake of queues with order', () => {
  it('makes the client of its lines once, for all its invocations', async () => {
    const made: LineTables[] = [];
    class Watched extends Lines {
      constructor(...given: ConstructorParameters<typeof Lines>) {
        super(...given);
        made.push(given[1]);
      }
    }
    const { overrides, changesOf, store } = workbench({
      q: { retryMode: 'perRecord', order: 'key' },
      free: { retryMode: 'perRecord' },
    });
    const handler = intakeHandler({ ...overrides, lines: Watched, lineTables: undefined });
    const Records = changesOf(() => void store.put({ id: 'a', status: 'NEW', payload: 1, queue: 'free' }));
    for (let times = 0; times < 2; times++) await handler({ Records }, context);
    expect(made).toHaveLength(2);
    expect(made[1]).toBe(made[0]);
  });

  it('makes none where no queue has order', async () => {
    const never = class extends Lines {
      constructor(...given: ConstructorParameters<typeof Lines>) {
        super(...given);
        throw new Error('made without a queue that has order');
      }
    };
    const { overrides, changesOf, store } = workbench({ q: { retryMode: 'perRecord' } });
    const Records = changesOf(
      () => void store.put({ id: 'a', status: 'NEW', payload: 1, queue: 'q', key: 'k' }),
    );
    const handler = intakeHandler({ ...overrides, lines: never, lineTables: undefined });
    expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [] });
  });
});
