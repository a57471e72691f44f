import { describe, expect, it } from 'vitest';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import type { Invoker } from '../../../functions/intake/invoker.js';
import { asText } from '../../../functions/service-limits.js';
import { intercepted } from '../../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../../src/store/errors.js';
import { context, workbench } from '../support.js';

const QUEUES = {
  default: { retryMode: 'perRecord' },
  orders: { retryMode: 'perRecord' },
  bulk: { retryMode: 'progressive' },
} as const;
const NOW_SECONDS = Date.UTC(2026, 10, 20, 9, 30) / 1000;

interface Put {
  readonly id: string;
  readonly writtenAt?: number;
  readonly [attribute: string]: unknown;
}

type Options = Parameters<typeof workbench>[1];

function bench(answer: 'accepted' | 'refused' | 'unknown' = 'accepted', options: Options = {}) {
  const made = workbench(QUEUES, options);
  const invoked: unknown[] = [];
  const sent: unknown[] = [];
  const givenUp: string[] = [];
  const invoker: Invoker = {
    invoke: async ({ functionName, event }) => {
      invoked.push([functionName, event]);
      return answer;
    },
    sendToRedelivery: async (ids, delaySeconds) => void sent.push([ids, delaySeconds]),
    async sendShortWait() {},
    giveUp: async (body) => void givenUp.push(body),
  };
  const env = {
    ...made.overrides.env,
    BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Fast: ['default', 'orders'] }),
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
  };
  /** Puts items into the table, and returns the stream's records of them. They are written now, or at `writtenAt`. */
  const put = (...items: Put[]) => {
    const changes = made.changesOf(() => {
      for (const { writtenAt: _, ...item } of items) made.store.put(item);
    });
    const writtenAt = (id: unknown) => items.find((item) => item.id === id)?.writtenAt ?? NOW_SECONDS;
    return {
      Records: changes.map(({ dynamodb, ...change }) => {
        const { S: id } = dynamodb.Keys.id as { S?: string };
        return { ...change, dynamodb: { ...dynamodb, ApproximateCreationDateTime: writtenAt(id) } };
      }),
    };
  };
  const lane = (id: string) => made.store.items().find((item) => item.id === id)?.lane;
  return {
    ...made,
    invoker,
    invoked,
    sent,
    givenUp,
    put,
    lane,
    intake: intakeHandler({ ...made.overrides, env, invoker }),
  };
}

/** The name of a batch that begins with this change of an event. */
const batchOf = (event: ReturnType<ReturnType<typeof bench>['put']>, first: number, count: number) =>
  `${event.Records[first]?.dynamodb.SequenceNumber}/${count}`;

const bare = (id: string, more: object = {}): Put => ({ id, status: 'NEW', payload: 1, ...more });

describe('the intake, for queues with arrivals "attempt"', () => {
  it('starts the function of each queue once for a batch, and writes nothing itself', async () => {
    const { intake, put, invoked, store, measured, log } = bench('accepted', { logLevel: 'DEBUG' });
    const event = put(bare('a'), bare('b', { queue: 'orders' }), bare('c'));
    const before = store.items();
    expect(await intake(event, context)).toEqual({ batchItemFailures: [] });
    expect(invoked).toEqual([
      ['Fast', { queue: 'default', arrivals: { batch: batchOf(event, 0, 2), ids: ['a', 'c'] } }],
      ['Fast', { queue: 'orders', arrivals: { batch: batchOf(event, 1, 1), ids: ['b'] } }],
    ]);
    expect(store.items()).toEqual(before);
    expect(measured).toMatchObject([[{ indexed: 0 }, 'records-table']]);
    const lines = log().filter(({ message }) => message === 'intake');
    expect(lines).toMatchObject([{ level: 'DEBUG', started: 3 }]);
    expect(lines[0]).not.toHaveProperty('indexed');
  });

  it('writes no line about records that it has only handed on', async () => {
    const { intake, put, invoked, lines } = bench();
    await intake(put(bare('a')), context);
    expect(invoked).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it('looks later at a record that is in a batch twice, because its producer has overwritten it at once', async () => {
    const { intake, put, invoked, sent } = bench();
    const event = put(bare('a'), bare('a', { payload: 2 }));
    await intake(event, context);
    expect(event.Records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY']);
    expect(invoked).toEqual([
      ['Fast', { queue: 'default', arrivals: { batch: batchOf(event, 0, 1), ids: ['a'] } }],
    ]);
    expect(sent).toEqual([[['a'], 75]]);
  });

  it('names the same batch the same way when it comes again', async () => {
    const { intake, put, invoked } = bench();
    const event = put(bare('a'), bare('b', { queue: 'orders' }));
    await intake(event, context);
    await intake(event, context);
    expect(invoked.slice(2)).toEqual(invoked.slice(0, 2));
  });

  it('splits what is too much for one event', async () => {
    const { intake, put, invoked } = bench();
    const long = (i: number) => `${i}-${'ü'.repeat(1000)}`;
    await intake(put(...Array.from({ length: 150 }, (_, i) => bare(long(i)))), context);
    const events = invoked as [string, { arrivals: { batch: string; ids: string[] } }][];
    expect(events.length).toBe(2);
    expect(events.flatMap(([, { arrivals }]) => arrivals.ids)).toEqual(
      Array.from({ length: 150 }, (_, i) => long(i)),
    );
    for (const [, event] of events) expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(220_000);
    expect(new Set(events.map(([, { arrivals }]) => arrivals.batch)).size).toBe(2);
  });

  it('splits what is too much in the characters that are sent', async () => {
    const { intake, put, invoked } = bench();
    const long = (i: number) => `${i}-${'\uffff'.repeat(680)}`;
    await intake(put(...Array.from({ length: 90 }, (_, i) => bare(long(i)))), context);
    const events = invoked as [string, { arrivals: { ids: string[] } }][];
    expect(events.flatMap(([, { arrivals }]) => arrivals.ids)).toHaveLength(90);
    for (const [, event] of events) expect(Buffer.byteLength(asText(event))).toBeLessThan(220_000);
  });

  it('indexes those of queues that are left to their rules, delayed, dead or odd ones', async () => {
    const { intake, put, invoked, lane, sent } = bench();
    const later = new Date((NOW_SECONDS + 600) * 1000).toISOString();
    await intake(
      put(
        bare('slow', { queue: 'bulk' }),
        bare('stranger', { queue: 'nobody' }),
        bare('delayed', { availableAt: later }),
        bare('dead', { status: 'DEAD' }),
        bare('odd', { status: 'new' }),
        bare('odd-time', { insertedAt: 5 }),
      ),
      context,
    );
    expect(invoked).toEqual([]);
    expect(['slow', 'stranger', 'delayed', 'dead', 'odd', 'odd-time'].map(lane)).toEqual([
      'bulk',
      'nobody',
      'default',
      'default/dead',
      'default',
      'default',
    ]);
    expect(sent).toEqual([]);
  });

  it('has overwritten ones looked at when any run of theirs has shown itself, whatever queue they are in now', async () => {
    const { intake, put, invoked, sent, lane } = bench();
    put(bare('over'), bare('moved'));
    await intake(
      put(bare('over', { payload: 2 }), bare('moved', { payload: 2, queue: 'bulk' }), bare('new')),
      context,
    );
    expect(sent).toEqual([[['over', 'moved'], 75]]);
    expect(invoked).toMatchObject([['Fast', { arrivals: { ids: ['new'] } }]]);
    expect([lane('over'), lane('moved')]).toEqual([undefined, undefined]);
  });

  it('has a record attempted whose bytes fit, though their text in the event would not', async () => {
    const { intake, put, invoked } = bench();
    await intake(put(bare('bytes', { payload: new Uint8Array(310_000) })), context);
    expect(invoked).toMatchObject([['Fast', { arrivals: { ids: ['bytes'] } }]]);
  });

  it('has a belated record attempted as any other', async () => {
    const { intake, put, invoked } = bench();
    await intake(put(bare('belated', { writtenAt: NOW_SECONDS - 7200 })), context);
    expect(invoked).toMatchObject([['Fast', { arrivals: { ids: ['belated'] } }]]);
  });

  it('indexes them if the function cannot be started, and looks later if no answer came', async () => {
    const refused = bench('refused');
    await refused.intake(refused.put(bare('a')), context);
    expect(refused.lane('a')).toBe('default');
    const unknown = bench('unknown');
    await unknown.intake(unknown.put(bare('a')), context);
    expect(unknown.lane('a')).toBeUndefined();
    expect(unknown.sent).toEqual([[['a'], 75]]);
    expect(unknown.log()).toContainEqual(
      expect.objectContaining({ level: 'WARN', functionName: 'Fast', answer: 'unknown', count: 1 }),
    );
  });

  it('names a record once that was deleted and inserted again in a batch', async () => {
    const { intake, put, invoked } = bench();
    const first = put(bare('a'));
    const again = first.Records.map((one) => ({
      ...one,
      dynamodb: { ...one.dynamodb, SequenceNumber: `${one.dynamodb.SequenceNumber}9` },
    }));
    await intake({ Records: [...first.Records, ...again] }, context);
    expect(invoked).toMatchObject([['Fast', { arrivals: { batch: batchOf(first, 0, 1), ids: ['a'] } }]]);
  });

  it('has a record come again that is to be indexed instead, where DynamoDB does not answer', async () => {
    const { put, overrides, invoker, store, lane } = bench('refused');
    const failing = intercepted(store, async (name, call, [record]) => {
      if (name === 'records.settle' && (record as { id: string }).id === 'b')
        throw new StoreUnavailableError('settle: no answer');
      return call();
    });
    const env = {
      ...overrides.env,
      BACKLOG_ARRIVAL_FUNCTIONS: '{"Fast":["default"]}',
      BACKLOG_REDELIVERY_URL: 'http://x/y',
    };
    const intake = intakeHandler({ ...overrides, env, invoker, store: failing });
    const event = put(bare('a'), bare('b'), bare('c'));
    expect(await intake(event, context)).toEqual({
      batchItemFailures: [{ itemIdentifier: event.Records[1]?.dynamodb.SequenceNumber }],
    });
    expect([lane('a'), lane('b')]).toEqual(['default', undefined]);
  });

  it('waits for a run whose start was refused the second time, and whose record is in another queue by now', async () => {
    const { intake, put, store, lane, sent, clock } = bench('refused');
    const event = put(bare('moved', { queue: 'orders' }));
    put(bare('moved', { queue: 'bulk' }));
    const now = clock.wall();
    const claim = { batch: 'b', holder: 'h', ids: ['moved'], until: now + 60_000, now };
    await store.claims.take('orders', claim);
    await intake(event, context);
    expect(lane('moved')).toBeUndefined();
    expect(sent).toEqual([[['moved'], 30]]);
  });

  it('starts runs for what comes before the first change that fails, and for none that comes again', async () => {
    const { put, invoked, overrides, invoker } = bench();
    const sendToRedelivery = async () => {
      throw new Error('SQS does not answer');
    };
    const env = {
      ...overrides.env,
      BACKLOG_ARRIVAL_FUNCTIONS: '{"Fast":["default"]}',
      BACKLOG_REDELIVERY_URL: 'http://x/y',
    };
    const intake = intakeHandler({ ...overrides, env, invoker: { ...invoker, sendToRedelivery } });
    put(bare('over'), bare('later'));
    const event = put(
      bare('a'),
      bare('over', { payload: 2 }),
      bare('b'),
      bare('later', { payload: 2 }),
      bare('c'),
    );
    expect(await intake(event, context)).toEqual({
      batchItemFailures: [{ itemIdentifier: event.Records[1]?.dynamodb.SequenceNumber }],
    });
    expect(invoked).toEqual([
      ['Fast', { queue: 'default', arrivals: { batch: batchOf(event, 0, 1), ids: ['a'] } }],
    ]);
  });

  it('waits for a run of an earlier queue although all queues are left to their rules by now', async () => {
    const { put, overrides, invoker, store, lane, sent, clock } = bench();
    const env = { ...overrides.env, BACKLOG_REDELIVERY_URL: 'http://x/y' };
    const intake = intakeHandler({ ...overrides, env, invoker });
    put(bare('moved', { queue: 'orders' }));
    const event = put(bare('moved', { queue: 'bulk' }), bare('new', { queue: 'bulk' }));
    const until = clock.wall() + 60_000;
    await store.claims.take('orders', {
      batch: 'b',
      holder: 'h',
      ids: ['moved'],
      until,
      now: clock.wall(),
    });
    await intake(event, context);
    expect([lane('moved'), lane('new')]).toEqual([undefined, 'bulk']);
    expect(sent).toEqual([[['moved'], 30]]);
  });

  it('reports a record without a payload, and has it attempted all the same', async () => {
    const { intake, put, invoked, measured, log } = bench();
    await intake(put({ id: 'a', status: 'NEW' }), context);
    expect(invoked).toHaveLength(1);
    expect(measured).toMatchObject([[{ repaired: 1 }, 'records-table']]);
    expect(log()).toContainEqual(expect.objectContaining({ message: 'record without a payload', id: 'a' }));
  });
});

const message = (body: unknown, messageId = 'm') => ({
  Records: [
    {
      eventSource: 'aws:sqs',
      messageId,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    },
  ],
});

/** The report of a failed invocation, as Lambda sends it to a destination. */
const lost = (arrivals: { batch: string; ids: string[] }) => ({
  version: '1.0',
  requestContext: { condition: 'RetriesExhausted' },
  requestPayload: { queue: 'default', arrivals },
  responsePayload: { errorMessage: 'Runtime exited' },
});

describe('records that come back to the intake', () => {
  const claim = { batch: '100/1', holder: 'h', ids: ['a'], now: NOW_SECONDS * 1000 };

  it('are indexed when their run was lost, and are counted', async () => {
    const { intake, store, lane, measured } = bench();
    store.put(bare('a'));
    store.put(bare('done', { status: 'SUCCESS' }));
    const event = message(lost({ batch: '100/1', ids: ['a', 'done'] }));
    expect(await intake(event, context)).toEqual({ batchItemFailures: [] });
    expect(lane('a')).toBe('default');
    expect(measured).toMatchObject([[{ redelivered: 2, indexed: 1 }, 'records-table']]);
  });

  it('wait while a claim on them lasts: it may be another delivery of the same event that was lost', async () => {
    const { intake, store, lane, sent, clock } = bench();
    store.put(bare('a'));
    await store.claims.take('default', { ...claim, until: clock.wall() + 60_000 });
    const arrivals = { batch: '100/1', ids: ['a'] };
    await intake(message(lost(arrivals)), context);
    expect(lane('a')).toBeUndefined();
    expect(sent).toEqual([[['a'], 30]]);
    clock.advance(66);
    await intake(message({ notIndexed: ['a'] }), context);
    expect(lane('a')).toBe('default');
    expect(sent).toHaveLength(1);
  });

  it('wait for the run of the queue that they were in when it began', async () => {
    const { intake, store, lane, sent, clock } = bench();
    store.put(bare('a', { queue: 'bulk' }));
    store.put(bare('b'));
    await store.claims.take('orders', { ...claim, until: clock.wall() + 60_000 });
    await intake(message({ notIndexed: ['a', 'b'] }), context);
    expect(sent).toEqual([[['a'], 30]]);
    expect([lane('a'), lane('b')]).toEqual([undefined, 'default']);
    await store.claims.release('orders', claim);
    await intake(message({ notIndexed: ['a'] }), context);
    expect(lane('a')).toBe('bulk');
  });

  it.each([
    [{ requestPayload: { queue: 'default' }, responsePayload: { errorMessage: 'throttled' } }],
    ['no JSON'],
    [{ notIndexed: 'a' }],
  ])('%j is no such thing, and left to people as it is', async (body) => {
    const { intake, givenUp } = bench();
    const event = message(body);
    expect(await intake(event, context)).toEqual({ batchItemFailures: [] });
    expect(givenUp).toEqual([event.Records[0]?.body]);
  });

  it('come again where DynamoDB does not answer', async () => {
    const { overrides, store, invoker, lane } = bench();
    store.put(bare('a'));
    const failing = intercepted(store, async (name, call) => {
      if (name === 'records.settle') throw new StoreUnavailableError('settle: no answer');
      return call();
    });
    const intake = intakeHandler({ ...overrides, invoker, store: failing });
    const event = message({ notIndexed: ['a'] });
    expect(await intake(event, context)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
    expect(lane('a')).toBeUndefined();
  });

  it('are counted as not indexed if the sweep has found them', async () => {
    const { intake, store, measured } = bench();
    store.put(bare('a'));
    await intake(message({ notIndexed: ['a'], swept: true }), context);
    expect(measured).toMatchObject([[{ indexed: 1, notIndexed: 1, redelivered: 0 }, 'records-table']]);
  });

  it('come again alone if they cannot be handled now, and hold up no others', async () => {
    const { overrides, store, invoker, lane } = bench();
    store.put(bare('a'));
    const giveUp = async () => {
      throw new Error('SQS does not answer');
    };
    const intake = intakeHandler({ ...overrides, invoker: { ...invoker, giveUp } });
    const Records = [...message('odd', 'm1').Records, ...message({ notIndexed: ['a'] }, 'm2').Records];
    expect(await intake({ Records }, context)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(lane('a')).toBe('default');
  });
});
