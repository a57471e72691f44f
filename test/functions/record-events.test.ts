import { readFileSync } from 'node:fs';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { eventBus } from '../../functions/events/event-bus.js';
import type { OutgoingEvent, Publish, Refusal } from '../../functions/events/publish.js';
import { sqsQueue, topic } from '../../functions/events/sns-sqs.js';
import { recordEventsHandler } from '../../functions/record-events/record-events-handler.js';
import { keepingLogger, type LogEntry } from '../../src/testing/logs.js';
import { context } from './support.js';

const detailSchema = z.fromJSONSchema(JSON.parse(readFileSync('docs/record-event.schema.json', 'utf8')));

const succeeded = {
  ...{ id: 'order-7', status: 'SUCCESS', queue: 'orders', rev: 'abc', attempts: 2, payload: { total: 12 } },
  ...{ insertedAt: '2026-11-20T09:30:00.000Z', lastAttemptAt: '2026-11-20T09:32:00.000Z' },
  ...{ result: '{"number":4711}', task: 'send', expiresAt: 1_800_000_000 },
};
const dead = {
  ...{ id: 'order-8', status: 'DEAD', queue: 'orders', rev: 'def', attempts: 3, payload: { total: 13 } },
  ...{ lane: 'orders/dead', dueAt: '2026-11-20T09:33:00.000Z', insertedAt: '2026-11-20T09:30:00.000Z' },
  ...{ deadReason: 'maxAttempts', lastAttemptAt: '2026-11-20T09:32:59.000Z' },
  lastError: { name: 'HttpError', message: 'HTTP 503: secret', at: '2026-11-20T09:32:59.000Z', attempt: 3 },
};
const ALL = { on: ['succeeded', 'dead', 'cancelled'], include: [] };

let number = 100;

function changeOf(item: object, eventName = 'MODIFY') {
  const SequenceNumber = String(number++);
  const { id } = item as { readonly id: string };
  const dynamodb = { SequenceNumber, Keys: { id: { S: id } }, NewImage: marshall(item) };
  return { eventSource: 'aws:dynamodb', eventName, dynamodb };
}

interface Wishes {
  readonly queues?: object;
  readonly refuse?: (event: OutgoingEvent) => Refusal | undefined;
  readonly lettersFail?: boolean;
  readonly env?: Record<string, string>;
}

/** The function, with a target and a dead-letter queue that keep what they get. */
function functionWith({ queues = { orders: ALL }, refuse, lettersFail = false, env }: Wishes = {}) {
  const sent: OutgoingEvent[] = [];
  const letters: OutgoingEvent[] = [];
  const logs: LogEntry[] = [];
  const refusals = (events: readonly OutgoingEvent[], ask: Wishes['refuse']) =>
    new Map(
      events.flatMap((event) => {
        const refusal = ask?.(event);
        return refusal ? [[event, refusal] as const] : [];
      }),
    );
  const publish: Publish = async (events) => {
    sent.push(...events);
    return refusals(events, refuse);
  };
  const deadLetters: Publish = async (events) => {
    letters.push(...events);
    return refusals(events, () => (lettersFail ? { code: 'TimeoutError', message: '' } : undefined));
  };
  const logger = keepingLogger(logs, undefined) as never;
  const variables = {
    BACKLOG_TABLE: 'records',
    BACKLOG_RECORD_EVENTS: JSON.stringify(queues),
    BACKLOG_EVENT_DLQ_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/dlq',
    ...env,
  };
  const handler = recordEventsHandler({ logger, env: variables, publish, deadLetters });
  const take = (...changes: readonly object[]) => handler({ Records: changes }, context);
  const details = () => sent.map(({ detail }) => JSON.parse(detail) as Record<string, unknown>);
  return { take, sent, letters, logs, details };
}

describe('an event of a record', () => {
  it('has its facts, and neither payload nor texts', async () => {
    const { take, sent, details } = functionWith();
    expect(await take(changeOf(succeeded), changeOf(dead))).toEqual({ batchItemFailures: [] });
    expect(sent.map(({ type }) => type)).toEqual(['Backlog record succeeded', 'Backlog record dead']);
    expect(details()).toEqual([
      {
        ...{
          version: 1,
          id: 'order-7',
          table: 'records',
          queue: 'orders',
          task: 'send',
          rev: 'abc',
          attempts: 2,
        },
        ...{ end: 'succeeded', endedAt: succeeded.lastAttemptAt, insertedAt: succeeded.insertedAt },
      },
      {
        ...{ version: 1, id: 'order-8', table: 'records', queue: 'orders', rev: 'def', attempts: 3 },
        ...{ end: 'dead', endedAt: dead.dueAt, insertedAt: dead.insertedAt },
        ...{ reason: 'maxAttempts', error: { name: 'HttpError', status: 503 } },
      },
    ]);
    for (const detail of details()) expect(detailSchema.parse(detail)).toEqual(detail);
  });

  it('names the key of its record, and what is no key it does not', async () => {
    const { take, details } = functionWith();
    await take(
      changeOf({ ...succeeded, key: '__proto__' }),
      changeOf({ ...dead, key: 'Zoë \u0000' }),
      changeOf({ ...dead, key: 7 }),
      changeOf({ ...dead, key: 'é'.repeat(129) }),
    );
    expect(details().map(({ key }) => key)).toEqual(['__proto__', 'Zoë \u0000', undefined, undefined]);
    for (const detail of details()) expect(detailSchema.parse(detail)).toEqual(detail);
  });

  it('has what is asked for beside them', async () => {
    const orders = { ...ALL, include: ['payload', 'result', 'texts'] };
    const { take, details } = functionWith({ queues: { orders } });
    await take(changeOf(succeeded), changeOf(dead));
    expect(details()[0]).toMatchObject({ payload: { total: 12 }, result: { number: 4711 } });
    expect(details()[1]).toMatchObject({
      ...{ payload: { total: 13 }, deadReason: 'maxAttempts' },
      error: { name: 'HttpError', status: 503, message: 'HTTP 503: secret' },
    });
    for (const detail of details()) expect(detailSchema.parse(detail)).toEqual(detail);
    // A record that succeeded, was put again by hand and died has kept the result of its success.
    await take(changeOf({ ...dead, result: succeeded.result }));
    expect(details()[2]).not.toHaveProperty('result');
  });

  it.each([
    ['maxAttempts', 'dead', 'maxAttempts'],
    ['expired: not ready: no invoice yet', 'dead', 'expired'],
    ['quarantined: too large', 'dead', 'quarantined'],
    ['HTTP 422: no such customer', 'dead', 'refused'],
    // Texts of handlers.
    ['expired card', 'dead', 'refused'],
    ['maxAttempts at the bank', 'dead', 'refused'],
    ['cancelled by the customer', 'dead', 'refused'],
    ['discarded by the shop', 'dead', 'refused'],
    ['cancelled: withdrawn', 'cancelled', 'cancelled'],
    ['discarded', 'cancelled', 'discarded'],
    ['discarded: by phone', 'cancelled', 'discarded'],
    [undefined, 'dead', undefined],
  ])('by the reason %s it is %s, by the word %s', async (deadReason, end, reason) => {
    const { take, details } = functionWith();
    const { deadReason: _, ...without } = dead;
    await take(changeOf(deadReason === undefined ? without : { ...dead, deadReason }));
    const [detail] = details();
    expect([detail?.end, detail?.reason]).toEqual([end, reason]);
    expect(detailSchema.parse(detail)).toEqual(detail);
  });

  it('has the same end again when the record was changed since', async () => {
    const { take, sent } = functionWith();
    await take(changeOf(dead), changeOf({ ...dead, rev: 'new', payload: { edited: true } }));
    await take(changeOf(succeeded), changeOf({ ...succeeded, note: 'of its producer' }));
    const names = sent.map(({ deduplicationId }) => deduplicationId);
    expect(new Set(names)).toHaveLength(2);
    // A discard of a dead record is another end, and so is the next death.
    await take(changeOf({ ...dead, deadReason: 'discarded' }));
    await take(changeOf({ ...dead, dueAt: '2026-11-21T00:00:00.000Z' }));
    expect(new Set(sent.map(({ deduplicationId }) => deduplicationId))).toHaveLength(4);
  });

  it('has the same end again when nothing but its write tells the time of it', async () => {
    // The item that `adopt` leaves of work that is done.
    const { insertedAt: _, lastAttemptAt: __, ...adopted } = succeeded;
    const change = changeOf(adopted);
    const written = {
      ...change,
      dynamodb: { ...change.dynamodb, ApproximateCreationDateTime: 1_795_000_000 },
    };
    const { take, details } = functionWith();
    await take(written);
    expect(details()[0]?.endedAt).toBe(new Date(1_795_000_000_000).toISOString());
  });

  it('has one name where the record was set to DEAD by hand, in the lane where it waited', async () => {
    const { take, sent } = functionWith();
    const byHand = { ...dead, lane: 'orders' };
    // The next run lists it with the dead.
    await take(
      changeOf(byHand),
      changeOf({ ...byHand, lane: 'orders/dead', dueAt: '2026-11-20T09:40:00.000Z' }),
    );
    expect(sent.map(({ detail }) => JSON.parse(detail).endedAt)).toEqual(['2026-11-20T09:40:00.000Z']);
  });

  it('is sent for the ends and the queues that are named, and for no other', async () => {
    const { take, sent } = functionWith({
      queues: { orders: { on: ['dead'] }, default: { on: ['succeeded'] } },
    });
    const { queue: _, ...noQueue } = succeeded;
    const { rev: __, ...byHand } = dead;
    await take(
      changeOf(succeeded),
      changeOf({ ...dead, id: 'cancelled', deadReason: 'cancelled: x' }),
      changeOf({ ...dead, id: 'elsewhere', queue: 'bulk' }),
      changeOf({ ...dead, id: 'waits', status: 'ERROR' }),
      changeOf({ ...byHand, id: 'by-hand' }),
      { ...changeOf(dead, 'REMOVE') },
    );
    expect(sent).toEqual([]);
    await take(changeOf(noQueue), changeOf(dead));
    expect(sent.map(({ type }) => type)).toEqual(['Backlog record succeeded', 'Backlog record dead']);
  });

  it('leaves out a payload that is too large, and says so', async () => {
    const { take, details, sent } = functionWith({ queues: { orders: { ...ALL, include: ['payload'] } } });
    const payloads = ['x'.repeat(262_000), '\uffff'.repeat(60_000), 'x'.repeat(250_000), '€'.repeat(90_000)];
    await take(...payloads.map((payload, i) => changeOf({ ...succeeded, id: `${i}`, payload })));
    expect(details().map(({ omitted }) => omitted)).toEqual([
      ['payload'],
      ['payload'],
      undefined,
      ['payload'],
    ]);
    expect(details()[2]?.payload).toHaveLength(250_000);
    for (const { detail } of sent) expect(Buffer.byteLength(detail)).toBeLessThanOrEqual(255 * 1024);
    for (const detail of details()) expect(detailSchema.parse(detail)).toEqual(detail);
  });

  it('has no more of a fence than the library writes', async () => {
    const { take, details } = functionWith();
    await take(changeOf({ ...dead, rev: 'x'.repeat(300_000) }));
    expect(String(details()[0]?.rev).length).toBeLessThanOrEqual(128);
  });

  it('keeps every digit of a number', async () => {
    const { take, sent } = functionWith({ queues: { orders: { ...ALL, include: ['payload'] } } });
    await take(changeOf({ ...succeeded, payload: { n: 12345678901234567890n } }));
    expect(sent[0]?.detail).toContain('"payload":{"n":12345678901234567890}');
  });

  it('is made of whatever was written into the attributes of a record', async () => {
    const anything = fc.anything({ withBigInt: false, withNullPrototype: false, maxDepth: 3 });
    const hostile = fc.dictionary(
      fc.constantFrom(...Object.keys({ ...dead, ...succeeded, traceparent: '', notBefore: '', history: '' })),
      anything,
    );
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom('DEAD', 'SUCCESS'), async (attributes, status) => {
        const { take, details, sent } = functionWith({
          queues: { orders: { ...ALL, include: ['payload', 'result', 'texts'] } },
        });
        const own = { id: 'hostile', status, queue: 'orders', rev: 'x' };
        const item = marshallable({ ...attributes, ...own });
        expect(await take(changeOf(item), changeOf(dead))).toEqual({ batchItemFailures: [] });
        expect(sent.at(-1)?.type).toBe('Backlog record dead');
        for (const detail of details()) expect(detailSchema.parse(detail)).toEqual(detail);
      }),
      { numRuns: 300 },
    );
  });
});

/** The item with what DynamoDB can hold of it. */
function marshallable(item: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).filter(([, value]) => {
      try {
        marshall({ value });
        return true;
      } catch {
        return false;
      }
    }),
  );
}

describe('an event that the target does not take', () => {
  const throttled = { code: 'ThrottlingException', message: 'Rate exceeded' };

  it('comes again with all behind it, and the log says why', async () => {
    const { take, logs } = functionWith({
      refuse: ({ detail }) => (detail.includes('"order-7"') ? undefined : throttled),
    });
    const [first, second, third] = [
      changeOf(succeeded),
      changeOf(dead),
      changeOf({ ...dead, id: 'order-9' }),
    ];
    expect(await take(first, second, third)).toEqual({
      batchItemFailures: [{ itemIdentifier: second.dynamodb.SequenceNumber }],
    });
    expect(logs).toMatchObject([
      {
        level: 'error',
        extra: {
          events: 2,
          code: 'ThrottlingException',
          reason: 'Rate exceeded',
          ids: ['order-8', 'order-9'],
        },
      },
    ]);
    expect(JSON.stringify(logs)).not.toContain('secret');
  });

  it('goes to the dead-letter queue if it never will be taken, so that it holds up no other', async () => {
    const { take, letters, logs } = functionWith({
      refuse: ({ detail }) =>
        detail.includes('"order-8"')
          ? { code: 'MalformedDetail', message: 'Detail is malformed.' }
          : undefined,
    });
    expect(await take(changeOf(dead), changeOf(succeeded))).toEqual({ batchItemFailures: [] });
    expect(letters).toEqual([
      { type: 'Backlog record dead', detail: '{"id":"order-8","refused":"MalformedDetail"}' },
    ]);
    expect(logs).toMatchObject([{ level: 'error', extra: { events: 1, ids: ['order-8'] } }]);
  });

  it('is named in the dead-letter queue whatever characters its id has', async () => {
    const { take, letters } = functionWith({ refuse: () => ({ code: 'MalformedDetail', message: '' }) });
    await take(changeOf({ ...dead, id: 'order-\uffff' }));
    expect(letters[0]?.detail).toBe('{"id":"order-\\uffff","refused":"MalformedDetail"}');
  });

  it('comes again if the dead-letter queue does not take it either', async () => {
    const malformed = { code: 'MalformedDetail', message: '' };
    const { take } = functionWith({ refuse: () => malformed, lettersFail: true });
    const change = changeOf(dead);
    expect(await take(change)).toEqual({
      batchItemFailures: [{ itemIdentifier: change.dynamodb.SequenceNumber }],
    });
  });

  it('is named in one line of the log with the first ten of many', async () => {
    const { take, logs } = functionWith({ refuse: () => throttled });
    await take(...Array.from({ length: 100 }, (_, i) => changeOf({ ...dead, id: `order-${i}` })));
    expect(logs).toHaveLength(1);
    expect(logs[0]?.extra).toMatchObject({ events: 100, ids: { length: 10 } });
  });
});

describe('the settings', () => {
  it.each([
    [{ BACKLOG_RECORD_EVENTS: '{"orders":{"on":["died"]}}' }, 'BACKLOG_RECORD_EVENTS.orders.on'],
    [{ BACKLOG_RECORD_EVENTS: '{' }, 'BACKLOG_RECORD_EVENTS: expected JSON'],
    [{ BACKLOG_EVENT_DLQ_URL: 'dlq' }, 'BACKLOG_EVENT_DLQ_URL'],
  ])('%j fail with the name of the variable', async (env, message) => {
    const { take, sent } = functionWith({ env });
    await expect(take(changeOf(dead))).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });

  it('are a line of the log for each event where there is no target, without texts', async () => {
    const logs: LogEntry[] = [];
    const env = {
      BACKLOG_TABLE: 'records',
      BACKLOG_RECORD_EVENTS: JSON.stringify({ orders: { ...ALL, include: ['payload', 'texts', 'result'] } }),
      BACKLOG_EVENT_DLQ_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/dlq',
    };
    const handler = recordEventsHandler({ env, logger: keepingLogger(logs, undefined) as never });
    const change = changeOf({ ...dead, deadReason: 'HTTP 422: secret' });
    expect(await handler({ Records: [change] }, context)).toEqual({ batchItemFailures: [] });
    expect(logs).toMatchObject([
      { level: 'info', message: 'Backlog record dead', extra: { detail: { id: 'order-8' } } },
    ]);
    expect(JSON.stringify(logs)).not.toMatch(/secret|total|4711/);
  });
});

describe('a target', () => {
  const events = Array.from(
    { length: 12 },
    (_, i): OutgoingEvent => ({
      type: 'Backlog record dead',
      detail: `{"id":"${i}"}`,
      group: `g${i}`,
      deduplicationId: `d${i}`,
    }),
  );

  interface Input {
    readonly Entries?: readonly object[];
  }
  /** The answer of a bus that has taken all events but those that are named by their place. */
  const taken = ({ Entries = [] }: Input, refused: Readonly<Record<number, object>> = {}) => ({
    Entries: Entries.map((_, i) => refused[i] ?? {}),
  });

  /** An SDK that keeps the inputs of its commands and answers all of them so. */
  function sdk(client: string, command: string, answer: (input: Input) => object | Promise<object>) {
    const inputs: Record<string, unknown>[] = [];
    const made = { clients: 0 };
    class Client {
      constructor() {
        made.clients++;
      }
      send = async (input: object) => {
        inputs.push(input as Record<string, unknown>);
        return answer(input as Input);
      };
    }
    class Command {
      constructor(input: object) {
        Object.assign(this, input);
      }
    }
    return { load: () => ({ [client]: Client, [command]: Command }) as never, inputs, made };
  }

  it('that is a bus gets ten entries at a time, by one client', async () => {
    const { load, inputs, made } = sdk('EventBridgeClient', 'PutEventsCommand', (input) =>
      taken(input, { 1: { ErrorCode: 'InternalFailure', ErrorMessage: 'oh' } }),
    );
    const publish = eventBus('arn:bus', load);
    const refused = await publish(events);
    await publish(events.slice(0, 1));
    expect([...refused].map(([{ detail }, { code }]) => [detail, code])).toEqual([
      ['{"id":"1"}', 'InternalFailure'],
      ['{"id":"11"}', 'InternalFailure'],
    ]);
    expect(inputs.map(({ Entries }) => (Entries as unknown[]).length)).toEqual([10, 2, 1]);
    expect(inputs[0]?.Entries).toContainEqual({
      ...{ EventBusName: 'arn:bus', Source: 'dynamo-backlog', DetailType: 'Backlog record dead' },
      Detail: '{"id":"0"}',
    });
    expect(made.clients).toBe(1);
  });

  it.each([
    ['arn:topic', false],
    ['arn:topic.fifo', true],
  ])('that is the topic %s gets messages in the form of EventBridge', async (arn, isFifo) => {
    const { load, inputs } = sdk('SNSClient', 'PublishBatchCommand', () => ({
      Failed: [{ Id: '1', Code: 'InternalError', Message: 'oh', SenderFault: false }],
    }));
    const refused = await topic(arn, load)(events);
    expect([...refused.keys()].map(({ detail }) => detail)).toEqual(['{"id":"1"}', '{"id":"11"}']);
    expect(inputs[0]).toMatchObject({ TopicArn: arn });
    const [first] = (inputs[0]?.PublishBatchRequestEntries ?? []) as Record<string, string>[];
    expect(JSON.parse(first?.Message ?? '')).toEqual({
      ...{ source: 'dynamo-backlog', 'detail-type': 'Backlog record dead', detail: { id: '0' } },
    });
    expect([first?.MessageGroupId, first?.MessageDeduplicationId]).toEqual(
      isFifo ? ['g0', 'd0'] : [undefined, undefined],
    );
  });

  it('that is a queue gets the same messages', async () => {
    const url = 'https://sqs.eu-central-1.amazonaws.com/123456789012/ends.fifo';
    const { load, inputs } = sdk('SQSClient', 'SendMessageBatchCommand', () => ({}));
    expect(await sqsQueue(url, load)(events)).toEqual(new Map());
    expect(inputs[0]).toMatchObject({ QueueUrl: url });
    const entries = inputs[0]?.Entries as Record<string, string>[];
    expect(entries).toHaveLength(10);
    expect(entries[9]).toMatchObject({ Id: '9', MessageGroupId: 'g9', MessageDeduplicationId: 'd9' });
    expect(JSON.parse(entries[9]?.MessageBody ?? '')).toMatchObject({ detail: { id: '9' } });
  });

  it('that gives no answer has taken none of its request, and those of the others', async () => {
    let requests = 0;
    const { load } = sdk('EventBridgeClient', 'PutEventsCommand', (input) => {
      requests++;
      if (requests === 1) throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
      return taken(input);
    });
    const refused = await eventBus('arn:bus', load)(events);
    expect([...refused.values()]).toEqual(
      Array.from({ length: 10 }, () => ({ code: 'TimeoutError', message: 'no answer' })),
    );
  });

  it('gets the ends of one record in their order, and none behind one that it has not taken', async () => {
    const url = 'https://sqs.eu-central-1.amazonaws.com/123456789012/ends.fifo';
    const of = (group: string, i: number): OutgoingEvent => ({
      ...{
        type: 'Backlog record dead',
        detail: `{"id":"${group}","n":${i}}`,
        group,
        deduplicationId: `${i}`,
      },
    });
    const others = Array.from({ length: 10 }, (_, i) => of(`other${i}`, i));
    const ends = [of('a', 1), of('b', 1), ...others, of('a', 2), of('b', 2)];
    const ids = (inputs: readonly Record<string, unknown>[]) =>
      inputs.map(({ Entries }) => (Entries as Record<string, string>[]).map((one) => one.MessageGroupId));
    let under = 0;
    let refuses = false;
    const { load, inputs } = sdk('SQSClient', 'SendMessageBatchCommand', async () => {
      // The first request takes longest.
      const isFirst = under++ === 0;
      await new Promise((resolve) => setTimeout(resolve, isFirst ? 20 : 0));
      return isFirst && refuses ? { Failed: [{ Id: '0', Code: 'InternalError', SenderFault: false }] } : {};
    });
    const publish = sqsQueue(url, load);
    expect(await publish(ends)).toEqual(new Map());
    expect(ids(inputs).at(-1)).toEqual(['a', 'b']);
    expect(ids(inputs).flat()).toHaveLength(ends.length);

    inputs.length = 0;
    under = 0;
    refuses = true;
    const refused = await publish(ends);
    expect([...refused.keys()]).toEqual([ends[0], ends[12]]);
    expect(ids(inputs).at(-1)).toEqual(['b']);
  });

  it('that does not answer for an event may not have taken it', async () => {
    const { load } = sdk('EventBridgeClient', 'PutEventsCommand', () => ({ Entries: [{}] }));
    const refused = await eventBus('arn:bus', load)(events.slice(0, 3));
    expect([...refused].map(([{ detail }, { code }]) => [detail, code])).toEqual([
      ['{"id":"1"}', 'NoAnswer'],
      ['{"id":"2"}', 'NoAnswer'],
    ]);
  });

  it('gets no request of more than 256 KB', async () => {
    const { load, inputs } = sdk('EventBridgeClient', 'PutEventsCommand', (input) => taken(input));
    const large = Array.from(
      { length: 9 },
      (_, i): OutgoingEvent => ({
        type: 'Backlog record dead',
        detail: JSON.stringify(`${i}`.repeat(100_000)),
      }),
    );
    await eventBus('arn:bus', load)(large);
    expect(inputs.map(({ Entries }) => (Entries as unknown[]).length)).toEqual([2, 2, 2, 2, 1]);
  });
});

it('the document for the schema registry has the same detail', () => {
  const read = (name: string) => JSON.parse(readFileSync(`docs/record-event.${name}.json`, 'utf8'));
  const { $schema: _, title: __, ...detail } = read('schema');
  expect(read('openapi').components.schemas.RecordEventDetail).toEqual(detail);
});
