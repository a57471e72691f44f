import { expect, it } from 'vitest';
import { Harness } from '../worker/harness.js';
import { operatorOf, putDead } from './support.js';

const NUMBERED = { key: 'order-7', seq: 3 };

it('moves no record with a key and a number into another queue, waiting, dead or behind others', async () => {
  const harness = new Harness();
  harness.put('waiting', NUMBERED);
  harness.put('behind', { ...NUMBERED, seq: 4, lane: undefined, dueAt: undefined });
  putDead(harness, 'dead', NUMBERED);
  harness.put('of a key', { key: 'order-7' });
  harness.put('numbered by others', { seq: 3 });
  const before = ['waiting', 'behind', 'dead'].map((id) => harness.item(id));
  const ids = ['waiting', 'behind', 'dead', 'of a key', 'numbered by others'];
  for (const dryRun of [true, false]) {
    expect(await operatorOf(harness).move(ids, { queue: 'r', dryRun })).toMatchObject({
      matched: 5,
      changed: 2,
      skipped: { numbered: 3 },
      failed: 0,
    });
  }
  expect(['waiting', 'behind', 'dead'].map((id) => harness.item(id))).toEqual(before);
  expect(harness.item('of a key')).toMatchObject({ queue: 'r' });
  expect(await operatorOf(harness).move('waiting', { queue: 'q' })).toMatchObject({
    skipped: { asWanted: 1 },
  });
});

it('redrives a record with a key and a number in its own queue alone', async () => {
  const harness = new Harness();
  putDead(harness, 'a', NUMBERED);
  const operator = operatorOf(harness);
  expect(await operator.redrive('a', { queue: 'r' })).toMatchObject({ changed: 0, skipped: { numbered: 1 } });
  expect(harness.item('a')).toMatchObject({ status: 'DEAD', queue: 'q' });
  expect(await operator.redrive('a', { queue: 'q' })).toMatchObject({ changed: 1, skipped: {} });
  expect(harness.item('a')).toMatchObject({ status: 'NEW', queue: 'q', lane: 'q', ...NUMBERED });
});
