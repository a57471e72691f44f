import { expect, it } from 'vitest';
import '../../src/client/complete.js';
import { BacklogClient, Pending } from '../../src/index.js';
import { itemBytes, MAX_ITEM_BYTES } from '../../src/record/item-size.js';
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

it.each([OUTCOME_BYTES, 700, 900, 1000, 1100, 1400, 1700])(
  'an item with %s bytes left fails outside, or the call says what is wrong',
  async (room) => {
    const { harness, client, token } = await almostFull(room);
    const failed = (text: string) => client.fail('a', token, text);
    const answer = await failed('z'.repeat(400)).catch((error: Error) => error);
    if (answer instanceof Error) {
      expect(answer.message).toBe('fail: the item of the record has no room for its error');
      await harness.pass(3600);
    }
    expect(await harness.run(fail, { retry })).toMatchObject({ failed: 1, dead: 0 });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', attempts: 1 });
    expect(harness.item('a').completion).toBeUndefined();
  },
);

it.each([OUTCOME_BYTES, 1100, 1700, 2300])(
  'an item with %s bytes left is completed outside',
  async (room) => {
    const { client, token } = await almostFull(room);
    expect(await client.complete('a', token)).toMatchObject({ accepted: true });
  },
);
