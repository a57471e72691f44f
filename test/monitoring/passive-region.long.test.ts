import { describe, expect, it } from 'vitest';
import { PRIMARY, QUEUES, replicasIn, SECOND } from '../cdk/tables/two-regions.js';
import { firstAlarm } from '../cloudwatch/alarms.js';
import { Account, MINUTE, type PropsIn, START } from './account.js';

const inSecond: PropsIn = (stack) => ({ queues: QUEUES, primaryRegion: PRIMARY, ...replicasIn(stack) });
const MINUTES = 40;
/** Time from the insertion of a record until the active region is done with it. */
const DONE_AFTER_MS = 2_000;
const REPLICATED_AFTER_MS = 800;

/** The account in the passive region, with what producers put there and what is replicated to it. */
function passiveRegion() {
  const account = new Account(inSecond, SECOND);
  const attempted: string[] = [];
  account.process = ({ id }) => void attempted.push(id);
  account.begin(15);
  return { account, attempted };
}

/** Writes a record as the active region leaves it: not indexed any more, so that the intake gets no change. */
const done = (account: Account, id: string) =>
  account.store.put({ id, queue: 'orders', status: 'SUCCESS', payload: {}, attempts: 1, rev: 'theirs' });

const raised = (account: Account) =>
  firstAlarm(account.alarms, account.data, { from: START, until: START + MINUTES * MINUTE });

describe('the alarms of a passive region', () => {
  it('are silent while the active region attempts what comes in; none of its runs attempts a record', async () => {
    const { account, attempted } = passiveRegion();
    let puts = 0;
    account.every(MINUTE, 10_000, () => {
      const id = `r${puts++}`;
      account.put({ id, status: 'NEW', queue: 'orders', payload: {} });
      account.time.after(DONE_AFTER_MS, () => done(account, id));
      // A retry, which comes due and is indexed for a moment when the rule of this region fires.
      const retried = `retry-${id}`;
      const dueAt = new Date(account.time.now + 50_000).toISOString();
      const retry = { id: retried, queue: 'orders', status: 'ERROR', payload: {}, attempts: 1, failures: 1 };
      account.store.put({ ...retry, lane: 'orders', dueAt, rev: 'theirs' });
      account.time.after(50_000 + DONE_AFTER_MS + REPLICATED_AFTER_MS, () => done(account, retried));
    });
    await account.live(MINUTES);
    expect(puts).toBe(MINUTES);
    expect(attempted).toEqual([]);
    expect(raised(account)).toEqual([]);
  });

  it('say within a quarter of an hour that the active region has stopped', async () => {
    const { account, attempted } = passiveRegion();
    const dueAt = new Date(START).toISOString();
    const waiting = { id: 'r0', queue: 'orders', status: 'ERROR', payload: {}, attempts: 1, failures: 1 };
    account.store.put({ ...waiting, lane: 'orders', dueAt, rev: 'theirs' });
    await account.live(MINUTES);
    const lag = raised(account).find(({ alarm }) => alarm.startsWith('BacklogAlarmsLagorders'));
    expect(lag?.minutes).toBeLessThanOrEqual(15);
    expect(attempted).toEqual([]);
  });

  it('say that a rule of its own does not fire, which would be missed after a failover only', async () => {
    const { account } = passiveRegion();
    await account.live(1);
    account.troubles = { rulesOff: /Poll/ };
    await account.live(MINUTES - 1);
    const names = raised(account).map(({ alarm }) => alarm.replace(/^BacklogAlarms|[0-9A-F]{8}$/g, ''));
    expect(names.toSorted()).toEqual(['Any', 'RunsFibonacciDelivery']);
  });
});
