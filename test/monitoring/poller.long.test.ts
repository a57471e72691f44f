import { expect, it } from 'vitest';
import type { BacklogProps } from '../../cdk/index.js';
import { Snooze } from '../../src/record/index.js';
import type { Process } from '../../src/worker/index.js';
import { firstAlarm } from '../cloudwatch/alarms.js';
import { Account, MINUTE, START } from './account.js';

/** A shop asks its ERP until the order is shipped, which takes days. */
const PROPS: BacklogProps = {
  queues: { orders: { retry: { type: 'arctan' }, entry: 'test/cdk/fixtures/handler.ts' } },
};
const MINUTES = 90;

/** The alarms while three orders a minute are asked for the first time, and again after an hour or so. */
async function alarmsOf(process: Process) {
  const account = new Account(PROPS);
  account.process = process;
  account.begin(15);
  let puts = 0;
  account.every(MINUTE, 10_000, () => {
    for (let i = 0; i < 3; i++)
      account.put({ id: `order-${puts++}`, status: 'NEW', queue: 'orders', payload: {} });
  });
  await account.live(MINUTES);
  const raised = firstAlarm(account.alarms, account.data, { from: START, until: START + MINUTES * MINUTE });
  return { account, names: raised.map(({ alarm }) => alarm.replace(/^BacklogAlarms|[0-9A-F]{8}$/g, '')) };
}

it('no alarm goes on for a poller that waits by arctan for what is not ready yet', async () => {
  const { account, names } = await alarmsOf(() => new Snooze({ reason: 'not shipped' }));
  expect(names).toEqual([]);
  const items = account.store.items();
  expect(items.length).toBeGreaterThan(200);
  expect(Math.max(...items.map(({ notReady }) => Number(notReady ?? 0)))).toBe(2);
  expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['NEW']));
});

it('the same poller pages if it takes that for failures', async () => {
  const { names } = await alarmsOf(() => {
    throw new Error('not shipped');
  });
  expect(names).toContain('Failuresorders');
});
