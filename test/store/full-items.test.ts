import { describe, expect, it } from 'vitest';
import { type Item, quarantine } from '../../src/record/index.js';
import { itemBytes } from '../../src/record/item-size.js';
import { MAX_ITEM_BYTES } from '../../src/store/index.js';
import { dynamoDbForFile } from './dynamodb-for-file.js';
import { iso, item, read } from './records.js';

const dynamoDb = dynamoDbForFile();

/** A foreign producer's record that leaves this much room below DynamoDB's limit. */
async function putWithRoom(id: string, bytes: number, more: Item = {}): Promise<void> {
  const empty: Item = item(id, { lane: 'q', rev: undefined, payload: '', ...more });
  await dynamoDb.underTest.put({ ...empty, payload: 'x'.repeat(MAX_ITEM_BYTES - itemBytes(empty) - bytes) });
}

const ENTRY = { name: 'HttpError', message: 'm'.repeat(400), at: iso(), attempt: 1 };
const FAILURE = {
  set: {
    status: 'ERROR' as const,
    attempts: 1,
    failures: 1,
    lastError: ENTRY,
    history: [ENTRY],
    dueAt: iso(1),
  },
  remove: [],
};
const SUCCESS = {
  set: { status: 'SUCCESS' as const, attempts: 1, lastAttemptAt: iso(), expiresAt: 1_800_000_000 },
  remove: ['lane' as const, 'dueAt' as const],
};

describe('a record without room for what a settle adds', () => {
  it('keeps its failure without the errors', async () => {
    await putWithRoom('full-1', 300);
    const record = await read(dynamoDb.underTest.store, 'full-1');
    expect(await dynamoDb.underTest.store.records.settle(record, FAILURE, 'rev-aaaa')).toBe('settled');
    const stored = await dynamoDb.underTest.raw('full-1');
    expect(stored).toMatchObject({
      status: 'ERROR',
      attempts: 1,
      failures: 1,
      dueAt: iso(1),
      rev: 'rev-aaaa',
    });
    expect(stored).not.toHaveProperty('history');
    expect(stored).not.toHaveProperty('lastError');
  });

  it('is dead at its failure when not a byte is left, and does not come again', async () => {
    await putWithRoom('full-2', 0);
    const record = await read(dynamoDb.underTest.store, 'full-2');
    expect(await dynamoDb.underTest.store.records.settle(record, FAILURE, 'rev-aaaa')).toBe('settled');
    const stored = await dynamoDb.underTest.raw('full-2');
    expect(stored).toMatchObject({ status: 'DEAD', deadReason: 'too large', rev: 'rev-aaaa' });
    expect(stored).not.toHaveProperty('lane');
  });

  it.each([
    [200, 'quarantined: it has no room for its outcome', 'orders/dead'],
    [20, 'quarantined: too large', undefined],
    [0, undefined, undefined],
  ])('is quarantined with %s bytes left', async (bytes, deadReason, lane) => {
    const id = `quarantined-${bytes}`;
    await putWithRoom(id, bytes);
    const record = await read(dynamoDb.underTest.store, id);
    const change = quarantine(record, 'it has no room for its outcome', Date.parse(iso(1)));
    expect(await dynamoDb.underTest.store.records.settle(record, change, 'rev-aaaa')).toBe('settled');
    const stored = await dynamoDb.underTest.raw(id);
    expect(stored).toMatchObject({ status: 'DEAD', rev: 'rev-aaaa' });
    expect([stored?.deadReason, stored?.lane]).toEqual([deadReason, lane]);
    expect(stored?.payload).toBe(record.payload);
  });

  it('keeps its success without its result first', async () => {
    await putWithRoom('full-6', 1_000);
    const record = await read(dynamoDb.underTest.store, 'full-6');
    const set = { ...SUCCESS.set, history: [ENTRY] };
    const success = { ...SUCCESS, set: { ...set, result: JSON.stringify('r'.repeat(1_000)) } };
    expect(await dynamoDb.underTest.store.records.settle(record, success, 'rev-aaaa')).toBe('settled');
    const stored = await dynamoDb.underTest.raw('full-6');
    expect(stored).toMatchObject({ ...set, rev: 'rev-aaaa' });
    expect(stored).not.toHaveProperty('result');
  });

  it('keeps its success without its history', async () => {
    await putWithRoom('full-4', 100);
    const record = await read(dynamoDb.underTest.store, 'full-4');
    const history = [ENTRY, { at: iso(), attempt: 2, outcome: 'succeeded' as const }];
    const success = { ...SUCCESS, set: { ...SUCCESS.set, history } };
    expect(await dynamoDb.underTest.store.records.settle(record, success, 'rev-aaaa')).toBe('settled');
    const stored = await dynamoDb.underTest.raw('full-4');
    expect(stored).toMatchObject({ status: 'SUCCESS', attempts: 1, rev: 'rev-aaaa' });
    expect(stored).not.toHaveProperty('history');
  });

  it('keeps its success when not a byte is left', async () => {
    await putWithRoom('full-3', 0, { result: '"of its producer"' });
    const record = await read(dynamoDb.underTest.store, 'full-3');
    expect(await dynamoDb.underTest.store.records.settle(record, SUCCESS, 'rev-aaaa')).toBe('settled');
    const stored = await dynamoDb.underTest.raw('full-3');
    expect(stored).toMatchObject({ status: 'SUCCESS', rev: 'rev-aaaa' });
    expect(stored).not.toHaveProperty('result');
  });
});
