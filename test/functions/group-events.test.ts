import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { OutgoingEvent, Publish, Refusal } from '../../functions/events/publish.js';
import { recordEventsHandler } from '../../functions/record-events/record-events-handler.js';
import { RecordGroups } from '../../src/groups/index.js';
import type { Item } from '../../src/record/index.js';
import { toAttributes } from '../../src/store/dynamodb/attribute-values.js';
import { MemoryStore } from '../../src/store/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';
import { keepingLogger, type LogEntry } from '../../src/testing/logs.js';
import { context } from './support.js';

const detailSchema = z.fromJSONSchema(JSON.parse(readFileSync('docs/group-event.schema.json', 'utf8')));

const START = Date.UTC(2026, 10, 30, 9);
const DAY = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();

interface Wishes {
  readonly env?: Readonly<Record<string, string>>;
  readonly refuse?: (event: OutgoingEvent) => Refusal | undefined;
}

/** The function with events of groups, on tables in memory. */
function bench({ env = {}, refuse = () => undefined }: Wishes = {}) {
  const time = { now: START };
  const clock = { now: () => time.now, wall: () => time.now, sleep: async () => {} };
  const random = seededRandom(7);
  const store = new MemoryStore({ clock });
  const logs: LogEntry[] = [];
  const sent: OutgoingEvent[] = [];
  const groups = new RecordGroups({ table: 'records', controlTable: 'control', store, clock, random });
  const publish: Publish = async (events) => {
    sent.push(...events);
    return new Map(
      events.flatMap((event) => {
        const refusal = refuse(event);
        return refusal ? [[event, refusal] as const] : [];
      }),
    );
  };
  const handler = recordEventsHandler({
    ...{ logger: keepingLogger(logs, undefined) as never, store, clock, random, publish },
    env: {
      ...{ BACKLOG_TABLE: 'records', BACKLOG_CONTROL_TABLE: 'control', BACKLOG_GROUPS: 'true' },
      ...{ BACKLOG_RECORD_EVENTS: '{}', BACKLOG_GROUP_EVENTS: 'true' },
      BACKLOG_EVENT_DLQ_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/dlq',
      ...env,
    },
    deadLetters: async () => new Map(),
  });
  let number = 100;
  const changeOf = (id: string, before: Item | undefined, after: Item | undefined) => ({
    eventSource: 'aws:dynamodb',
    eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
    dynamodb: {
      SequenceNumber: String(number++),
      Keys: { id: { S: id } },
      ...(after && { NewImage: toAttributes(after) as object }),
      ...(before && { OldImage: toAttributes(before) as object }),
    },
  });
  /** The change of a record by some work, as the stream has it. */
  const changed = async (id: string, work: () => unknown) => {
    const before = store.item(id);
    await work();
    return changeOf(id, before, store.item(id));
  };
  /** Sets attributes of a record, as any service may. */
  const set = (id: string, attributes: Item) =>
    changed(id, () => store.put({ ...store.item(id), ...attributes, id }));
  const begin = (id: string, count: number, options: object = {}) =>
    groups.insert(
      id,
      Array.from({ length: count }, (_, i) => ({ id: `${id}/${i}`, queue: 'rows', payload: i })),
      { onComplete: { queue: 'mail', payload: { to: 'sales' } }, ...options },
    );
  const take = (...Records: object[]) => handler({ Records }, context);
  /** Ends a group of one member, and returns the change of the record of its end. */
  const end = async (id: string) => {
    await begin(id, 1);
    const last = await set(`${id}/0`, { status: 'SUCCESS' });
    return changed(id, () => take(last));
  };
  const details = () => sent.map(({ detail }) => JSON.parse(detail) as Record<string, unknown>);
  return { time, store, groups, logs, sent, begin, set, take, end, changed, changeOf, details };
}

const done = { batchItemFailures: [] };
const none = { succeeded: 0, dead: 0, cancelled: 0, removed: 0, lost: 0 };

describe('the event of the end of a group', () => {
  it('has its counts, and names the group and the time', async () => {
    const { begin, set, take, changed, details, sent, time } = bench();
    await begin('import', 3);
    time.now += 60_000;
    const ends = [
      await set('import/0', { status: 'SUCCESS' }),
      await set('import/1', { status: 'DEAD', deadReason: 'maxAttempts' }),
      await set('import/2', { status: 'DEAD', deadReason: 'cancelled: not wanted' }),
    ];
    const end = await changed('import', () => take(...ends));
    expect(sent).toEqual([]);
    expect(await take(end)).toEqual(done);
    expect(sent[0]?.type).toBe('Backlog group ended');
    expect(details()).toEqual([
      {
        ...{ version: 1, id: 'import', table: 'records', queue: 'mail', complete: true },
        ...{ createdAt: iso(START), endedAt: iso(START + 60_000) },
        ...{ ...none, members: 3, succeeded: 1, dead: 1, cancelled: 1 },
      },
    ]);
    expect(detailSchema.parse(details()[0])).toEqual(details()[0]);
  });

  it('is the same when it comes again, and another one for another group', async () => {
    const { take, end, sent, time } = bench();
    const first = await end('a');
    await take(first);
    time.now += DAY;
    await take(first, await end('b'));
    expect(sent.map(({ detail }) => JSON.parse(detail).id)).toEqual(['a', 'a', 'b']);
    expect(sent[1]).toEqual(sent[0]);
    expect(new Set(sent.map(({ deduplicationId }) => deduplicationId)).size).toBe(2);
  });

  it('comes once: what happens to the record of the end then is no end of the group', async () => {
    const { take, end, set, sent } = bench();
    await take(await end('a'));
    const attempts = [
      await set('a', { status: 'ERROR', attempts: 1, rev: 'r1' }),
      await set('a', { status: 'SUCCESS', attempts: 2, rev: 'r2' }),
      await set('a', { status: 'NEW', attempts: 0, rev: 'r3' }),
    ];
    expect(await take(...attempts)).toEqual(done);
    expect(sent).toHaveLength(1);
  });

  it('says that a group is not complete whose time is over, or whose wait an operator has ended', async () => {
    const { begin, take, set, details, sent } = bench();
    await begin('late', 1, { timeout: '1h' });
    await begin('withdrawn', 1);
    // A pause, a move or an edit does not end the wait.
    await take(
      await set('late', { payload: { to: 'all', group: { id: 'late', complete: false } }, rev: 'r' }),
    );
    expect(sent).toEqual([]);
    await take(
      await set('late', { status: 'ERROR', attempts: 1, lastAttemptAt: iso(START + 3_700_000), rev: 'r' }),
      await set('withdrawn', { status: 'DEAD', lane: 'mail/dead', dueAt: iso(START + 1_000), rev: 'r' }),
    );
    expect(details()).toMatchObject([
      { id: 'late', complete: false, endedAt: iso(START + 3_600_000) },
      { id: 'withdrawn', complete: false, endedAt: iso(START + 1_000) },
    ]);
    for (const detail of details()) expect(detailSchema.parse(detail)).toEqual(detail);
    expect(details()[0]).not.toHaveProperty('members');
    // It is redriven, and its group ends after all.
    const names = sent.map(({ deduplicationId }) => deduplicationId);
    await take(await set('late', { status: 'NEW', attempts: 0, rev: 'r' }));
    await take(
      await set('late', { payload: { group: { id: 'late', complete: true, members: 1 } }, rev: 's' }),
    );
    expect(sent).toHaveLength(3);
    expect(names).not.toContain(sent[2]?.deduplicationId);
  });

  it('is none of a record whose payload only looks like the end of a group', async () => {
    const { take, set, changeOf, store, sent } = bench();
    const waits = {
      status: 'NEW',
      queue: 'mail',
      rev: 'a',
      payload: { group: { id: 'x', complete: false } },
    };
    const over = { ...waits, rev: 'b', payload: { group: { id: 'x', complete: true, members: 7 } } };
    store.put({ id: 'x', ...waits });
    await take(await set('x', over), await set('x', { status: 'SUCCESS', attempts: 1 }));
    // A copy of such a record under another id.
    const group = { id: 'copy', complete: false };
    store.put({ ...waits, id: 'copy', endOf: 'x', payload: { group } });
    await take(await set('copy', { rev: 'b', payload: { group: { ...group, complete: true } } }));
    // One that has the attribute only once it has ended.
    store.put({ id: 'x', ...waits });
    await take(await set('x', { ...over, endOf: 'x' }));
    // One that is inserted as ended, and one that is deleted.
    await take(changeOf('x', undefined, { id: 'x', endOf: 'x', ...over }));
    await take(changeOf('x', { id: 'x', endOf: 'x', ...waits }, undefined));
    expect(sent).toEqual([]);
    await take(changeOf('x', { id: 'x', endOf: 'x', ...waits }, { id: 'x', endOf: 'x', ...over }));
    expect(sent).toHaveLength(1);
  });

  it('is not sent unless it is asked for, and events of records are unchanged', async () => {
    const env = { BACKLOG_GROUP_EVENTS: '', BACKLOG_RECORD_EVENTS: '{"mail":{"on":["succeeded"]}}' };
    const { take, end, set, sent } = bench({ env });
    await take(await end('a'), await set('a', { status: 'SUCCESS', rev: 'r' }));
    expect(sent.map(({ type }) => type)).toEqual(['Backlog record succeeded']);
  });

  it('comes again from its change on if the target does not take it, beside the events of records', async () => {
    let isDown = true;
    const { take, end, set, logs, sent } = bench({
      env: { BACKLOG_RECORD_EVENTS: '{"mail":{"on":["succeeded"]},"rows":{"on":["succeeded"]}}' },
      refuse: ({ type }) =>
        isDown && type === 'Backlog group ended' ? { code: 'Throttled', message: 'later' } : undefined,
    });
    const ended = await end('a');
    sent.length = 0;
    const batch = [await set('a', { status: 'SUCCESS', rev: 'r' }), ended, await set('b', { status: 'NEW' })];
    expect(await take(...batch)).toEqual({
      batchItemFailures: [{ itemIdentifier: ended.dynamodb.SequenceNumber }],
    });
    expect(sent.map(({ type }) => type).sort()).toEqual(['Backlog group ended', 'Backlog record succeeded']);
    expect(logs.at(-1)).toMatchObject({
      level: 'error',
      extra: { events: 1, code: 'Throttled', ids: ['a'] },
    });
    isDown = false;
    expect(await take(ended)).toEqual(done);
    expect(sent.at(-1)?.detail).toBe(sent.find(({ type }) => type === 'Backlog group ended')?.detail);
  });

  it('is named in the log if its record cannot be read', async () => {
    const { take, end, logs } = bench();
    const broken = await end('a');
    Object.assign(broken.dynamodb.NewImage ?? {}, { payload: { M: null } });
    logs.length = 0;
    expect(await take(broken)).toEqual(done);
    expect(logs).toContainEqual(
      expect.objectContaining({
        message: 'the end of a group has no event, as its record cannot be read',
        extra: { id: 'a' },
      }),
    );
  });

  it('fits its schema whatever was written into the attributes of the record', async () => {
    const anything = fc.anything({ withBigInt: false, withNullPrototype: false, maxDepth: 3 });
    const group = fc.dictionary(fc.constantFrom('complete', 'members', 'dead', 'id', '__proto__'), anything);
    const names = ['status', 'queue', 'lane', 'dueAt', 'insertedAt', 'availableAt', 'attempts', 'rev'];
    const attributes = fc.dictionary(fc.constantFrom(...names), anything);
    const { take, end, changeOf, details, sent } = bench();
    const { dynamodb } = await end('a');
    await fc.assert(
      fc.asyncProperty(attributes, group, async (given, counts) => {
        sent.length = 0;
        const payload = { group: { complete: true, ...counts, id: 'a' } };
        const item = marshallable({ ...given, payload, id: 'a', endOf: 'a' });
        const change = changeOf('a', {}, item);
        Object.assign(change.dynamodb, { OldImage: dynamodb.OldImage });
        expect(await take(change)).toEqual(done);
        for (const detail of details()) expect(detailSchema.parse(detail)).toEqual(detail);
      }),
      { numRuns: 200 },
    );
  });
});

/** The item with what DynamoDB can hold of it. */
function marshallable(item: Item): Item {
  return Object.fromEntries(
    Object.entries(item).filter(([name, value]) => {
      try {
        toAttributes({ [name]: value });
        return true;
      } catch {
        return false;
      }
    }),
  );
}

it('the document for the schema registry has the same detail', () => {
  const read = (name: string) => JSON.parse(readFileSync(`docs/group-event.${name}.json`, 'utf8'));
  const { $schema: _, title: __, ...detail } = read('schema');
  expect(read('openapi').components.schemas.GroupEventDetail).toEqual(detail);
});
