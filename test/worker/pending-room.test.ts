import { expect, it } from 'vitest';
import '../../src/client/complete.js';
import { BacklogClient, Pending } from '../../src/index.js';
import { itemBytes, MAX_ITEM_BYTES } from '../../src/record/item-size.js';
import { StoreError, StoreUnavailableError } from '../../src/store/errors.js';
import { isOnDynamoDbLocal } from '../store/test-store.js';
import { fail, Harness } from './harness.js';

const retry = { type: 'constant', interval: 60, jitter: 'none' } as const;
/** The room that a record has when it can be attempted at all. */
const OUTCOME_BYTES = 512;

/** A record whose attempt has ended as `Pending`, whose item had so much room for its outcome. */
async function almostFull(room: number) {
  const harness = new Harness();
  const client = new BacklogClient({ table: 'any', clock: harness.clock, store: harness.store as never });
  harness.put('a', { payload: '' });
  harness.put('a', { payload: 'x'.repeat(MAX_ITEM_BYTES - room - itemBytes(harness.item('a'))) });
  let token = '';
  await harness.run(
    (_, context) => {
      token = context.token;
      throw new Pending({ timeout: '1h', reason: 'y'.repeat(200) });
    },
    { retry },
  );
  expect(harness.item('a').notBefore).toMatchObject({ pending: { token } });
  return { harness, client, token };
}

it.each([OUTCOME_BYTES, 700, 1100, 1400, 1700])(
  'an item with %s bytes left fails when its wait is over, and is attempted again',
  async (room) => {
    const { harness } = await almostFull(room);
    await harness.pass(3600);
    expect(await harness.run(fail, { retry })).toMatchObject({ failed: 1, dead: 0 });
    expect(harness.item('a')).toMatchObject({
      status: 'ERROR',
      attempts: 1,
      lastError: { name: 'PendingTimedOut' },
    });
  },
);

const NO_ROOM = 'fail: the item of the record has no room for its error';

it.each([OUTCOME_BYTES, 700, 900, 1000, 1100, 1400, 1700])(
  'an item with %s bytes left fails outside, or the call says what is wrong',
  async (room) => {
    const { harness, client, token } = await almostFull(room);
    const answer = await client.fail('a', token, 'z'.repeat(400)).catch(({ message }: Error) => message);
    // The store in memory has no limit for what is there already.
    const isRefused = isOnDynamoDbLocal && room < 900;
    expect(answer).toEqual(isRefused ? NO_ROOM : { id: 'a', accepted: true });
    if (isRefused) await harness.pass(3600);
    expect(await harness.run(fail, { retry })).toMatchObject({ failed: 1, dead: 0 });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', attempts: 1 });
    expect(harness.item('a').completion).toBeUndefined();
  },
);

it.each<[string, Error, string]>([
  ['of this record', new StoreError('too large'), NO_ROOM],
  ['of a table that does not answer', new StoreUnavailableError('no answer'), 'no answer'],
])('a refusal %s is what fail says', async (_, error, message) => {
  const { harness, client, token } = await almostFull(1700);
  Object.assign(harness.store.records, { change: () => Promise.reject(error) });
  await expect(client.fail('a', token, 'z')).rejects.toThrow(message);
});

it.each([OUTCOME_BYTES, 1100, 1700, 2300])(
  'an item with %s bytes left is completed outside',
  async (room) => {
    const { client, token } = await almostFull(room);
    expect(await client.complete('a', token)).toMatchObject({ accepted: true });
  },
);
