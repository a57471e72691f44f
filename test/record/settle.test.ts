import { describe, expect, it } from 'vitest';
import { DEFAULT_TIERS, resolvePolicy, type TierBand, tierBands } from '../../src/policies/index.js';
import {
  type AttemptOutcome,
  type Item,
  isCancelled,
  judge,
  settle,
  settleLostWorker,
} from '../../src/record/index.js';
import { context, iso, NOW, record } from './records.js';

const failure: AttemptOutcome = { type: 'failure', error: { name: 'TypeError', message: 'broken' } };
const progressive = { retryMode: 'progressive', policy: resolvePolicy({ type: 'progressive' }) } as const;

describe('a success', () => {
  it('leaves the index, counts the attempt and keeps the failures as history', () => {
    const change = settle(
      record({ status: 'ERROR', attempts: 2, failures: 2 }),
      { type: 'success' },
      context(),
    );
    expect(change).toEqual({
      set: { status: 'SUCCESS', attempts: 3, lastAttemptAt: iso(0) },
      remove: ['lane', 'dueAt', 'notBefore', 'deadReason'],
    });
  });

  it('expires after its time, in epoch seconds', () => {
    const change = settle(record(), { type: 'success' }, context({ retention: 86_400 }));
    expect(change.set.expiresAt).toBe(NOW / 1000 + 86_400);
  });
});

describe('a failure', () => {
  it('under a per-record policy moves the due time', () => {
    const change = settle(record(), failure, context());
    expect(change.set).toMatchObject({
      status: 'ERROR',
      dueAt: iso(270),
      attempts: 1,
      failures: 1,
      firstFailureAt: iso(0),
      lastFailureAt: iso(0),
      lastError: { name: 'TypeError', message: 'broken', at: iso(0), attempt: 1 },
    });
    expect(change.set).not.toHaveProperty('lane');
  });

  it('with a wait of less than a tick says so, until the next outcome', () => {
    const short = context({ policy: resolvePolicy({ type: 'constant', interval: 10, jitter: 'none' }) });
    const { set, remove } = settle(record(), failure, short);
    expect(set).toMatchObject({ dueAt: iso(10).replace('000Z', '001Z'), exact: true });
    expect(remove).not.toContain('exact');
    const waited = record({ exact: true });
    expect(settle(waited, failure, short)).toMatchObject({ set: { exact: true } });
    expect(settle(waited, failure, short).remove).not.toContain('exact');
    for (const outcome of [failure, { type: 'success' }, { type: 'snooze', seconds: 5 }] as const)
      expect(settle(waited, outcome, context()).remove).toContain('exact');
    expect(settle(record(), failure, { ...short, retryMode: 'progressive' }).set).not.toHaveProperty('exact');
  });

  it('on a progressive queue leaves the index as it is', () => {
    const change = settle(record(), failure, context(progressive));
    expect(change).toMatchObject({ set: { status: 'ERROR', dueAt: iso(-3600) }, remove: [] });
    expect(change.set).not.toHaveProperty('lane');
    expect(change.set).not.toHaveProperty('notBefore');
  });

  it('keeps when it first failed', () => {
    const failed = record({ failures: 3, firstFailureAt: iso(-900), attempts: 4 });
    expect(settle(failed, failure, context()).set).toMatchObject({
      failures: 4,
      attempts: 5,
      firstFailureAt: iso(-900),
    });
  });

  it('waits as long as the destination asked, if that is longer', () => {
    const busy = { ...failure, retryAfterSeconds: 1000 };
    expect(settle(record(), busy, context()).set.dueAt).toBe(iso(1000));
    expect(settle(record(), { ...failure, retryAfterSeconds: 10 }, context()).set.dueAt).toBe(iso(270));
    expect(settle(record(), busy, context(progressive)).set).toMatchObject({
      dueAt: iso(-3600),
      notBefore: iso(1000),
    });
  });

  it('on a progressive queue clears a wait that is over', () => {
    expect(settle(record({ notBefore: iso(-10) }), failure, context(progressive)).remove).toEqual([
      'notBefore',
    ]);
  });

  it('kills at the last attempt, and keeps the dead listable in the order of their death', () => {
    const last = context({ policy: resolvePolicy({ type: 'constant', maxAttempts: 3 }) });
    const change = settle(record({ failures: 2, attempts: 2 }), failure, last);
    expect(change).toMatchObject({
      set: { status: 'DEAD', lane: 'q/dead', dueAt: iso(0), deadReason: 'maxAttempts', failures: 3 },
      remove: ['notBefore', 'expiresAt'],
    });
  });

  it('past the maximum age kills, whether the waits are those of a policy or of rules', () => {
    const old = record({ insertedAt: iso(-400 * 86_400) });
    expect(settle(old, failure, context()).set).toMatchObject({ status: 'DEAD', deadReason: 'expired' });
    expect(settle(old, failure, context(progressive)).set).toMatchObject({
      status: 'DEAD',
      deadReason: 'expired',
    });
  });

  it('before the last turn of a progressive queue leaves the index alone; the last one says when its age is over', () => {
    const DAY = 86_400;
    const failedAtAge = (ageDays: number, more: Item = {}, retryAfterSeconds = 0) => {
      const insertedAt = iso(-ageDays * DAY);
      const old = record({ insertedAt, dueAt: insertedAt, notBefore: iso(-1), ...more });
      const { set, remove } = settle(
        old,
        { ...failure, retryAfterSeconds },
        context({ ...progressive, maxRetryAfter: 90 * DAY }),
      );
      expect(set).toMatchObject({ status: 'ERROR' });
      return { ageAtDueDays: (Date.parse(set.dueAt ?? '') - Date.parse(insertedAt)) / DAY / 1000, remove };
    };
    const justBehind = (days: number) => expect.closeTo(days + 0.001 / DAY, 11);
    expect(failedAtAge(351.9).ageAtDueDays).toBe(0);
    expect(failedAtAge(352.1)).toEqual({ ageAtDueDays: justBehind(360), remove: ['notBefore'] });
    expect(failedAtAge(360).ageAtDueDays).toEqual(justBehind(360));
    // A turn every five minutes is quick enough.
    expect(failedAtAge(0.99, { retry: { maxAge: DAY } }).ageAtDueDays).toBe(0);
    expect(failedAtAge(0.999, { retry: { maxAge: DAY } }).ageAtDueDays).toEqual(justBehind(1));
    expect(failedAtAge(10, { retry: { maxAge: 10.6 * DAY } }).ageAtDueDays).toBe(0);
    expect(failedAtAge(10, { retry: { maxAge: 10.4 * DAY } }).ageAtDueDays).toEqual(justBehind(10.4));
    // The first turn of a slower tier may come up to its whole interval behind the end of the one before.
    expect(failedAtAge(179, { retry: { maxAge: 188.1 * DAY } }).ageAtDueDays).toBe(0);
    expect(failedAtAge(179, { retry: { maxAge: 187.9 * DAY } }).ageAtDueDays).toEqual(justBehind(187.9));
    // A destination that asks for more than is left has the same answer.
    expect(failedAtAge(300, {}, 61 * DAY).ageAtDueDays).toEqual(justBehind(360));
    expect(failedAtAge(300, {}, 51 * DAY).ageAtDueDays).toBe(0);
  });

  it('or a look that finds the work not ready leaves a record of a progressive queue to die with its last day', () => {
    const insertedAt = iso(-359 * 86_400);
    const old = record({ insertedAt, dueAt: insertedAt, attempts: 1, lastAttemptAt: iso(-691_200) });
    const lastDay = Date.parse(insertedAt) + 360 * 86_400_000;
    for (const outcome of [failure, { type: 'snooze' }] as const) {
      const { set } = settle(old, outcome, context(progressive));
      const rests = record({ ...set, insertedAt } as Item);
      expect(Date.parse(rests.dueAt ?? '')).toBe(lastDay + 1);
      const band = tierBands(DEFAULT_TIERS, 300)[0] as TierBand;
      const look = { lane: 'q', band, policy: progressive.policy, tickSeconds: 300 };
      expect(judge(rests, { ...look, now: lastDay + 1 })).toEqual({ do: 'expire' });
      expect(judge(rests, { ...look, now: lastDay })).toEqual({ do: 'skip', reason: 'notDue' });
    }
  });

  it('that asks for less than a tick is kept to the second, and never before what the destination asked', () => {
    const short = context({
      policy: resolvePolicy({ type: 'list', waits: [10], afterwards: 'last' }),
    });
    const dueAfter = (retryAfterSeconds: number) =>
      settle(record(), { ...failure, retryAfterSeconds }, short).set.dueAt;
    expect(dueAfter(0)).toBe(iso(10.001));
    expect(dueAfter(9.5)).toBe(iso(10.001));
    expect(dueAfter(30)).toBe(iso(30.001));
    // No run stays for it: it was not the policy that asked.
    expect(dueAfter(61)).toBe(iso(61));
  });

  it('tells in the history when its wait is over by the policy, not when it is due for the nearest tick', () => {
    const { dueAt, history } = settle(record(), failure, context()).set;
    expect([dueAt, history?.at(-1)?.next]).toEqual([iso(270), iso(300)]);
  });

  it("goes by the record's own policy before the queue's", () => {
    const own = record({ retry: { type: 'constant', interval: 7200, jitter: 'none' } });
    expect(settle(own, failure, context()).set.dueAt).toBe(iso(7170));
    expect(settle(own, failure, context(progressive)).set).toMatchObject({
      dueAt: iso(-3600),
      notBefore: iso(7170),
    });
    const once = record({ retry: { type: 'none' } });
    expect(settle(once, failure, context()).set.status).toBe('DEAD');
  });

  it("whose own policy is the queue's schedule with a limit waits for the rules, as the others do", () => {
    const limited = record({ retry: { type: 'progressive', maxAttempts: 3 } });
    expect(settle(limited, failure, context(progressive)).set).not.toHaveProperty('notBefore');
    const own = { type: 'progressive', tiers: [{ every: 600, untilAge: 86_400 }] };
    expect(settle(record({ retry: own }), failure, context(progressive)).set.notBefore).toBe(iso(570));
  });

  it('counts age from when a delayed record became available', () => {
    const delayed = record({ insertedAt: iso(-400 * 86_400), availableAt: iso(-60) });
    expect(settle(delayed, failure, context()).set).toMatchObject({ status: 'ERROR', dueAt: iso(270) });
  });

  it('keeps the texts of errors short: every byte is billed at every write', () => {
    let failed = record();
    for (let i = 0; i < 50; i++) {
      const long = { type: 'failure', error: { name: 'E', message: 'ü'.repeat(5000) } } as const;
      const { set } = settle(failed, long, context());
      failed = record({ ...set, rev: `${i}` });
    }
    const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
    expect(bytes(failed.history)).toBeLessThanOrEqual(512);
    expect(bytes(failed.lastError)).toBeLessThanOrEqual(600);
    expect(failed.history.at(-1)?.attempt).toBe(50);
    expect(failed.lastError?.message).not.toContain('\uFFFD');
  });

  it('keeps as many short errors as fit, the newest', () => {
    let failed = record();
    for (let i = 0; i < 20; i++) failed = record({ ...settle(failed, failure, context()).set });
    expect(failed.history.length).toBeGreaterThan(2);
    expect(failed.history.map(({ attempt }) => attempt)).toEqual(
      failed.history.map((_, i) => 20 - failed.history.length + 1 + i),
    );
  });
});

describe('a death', () => {
  it('keeps the reason that process gave', () => {
    const outcome = {
      type: 'dead',
      reason: 'no such customer',
      error: { name: 'Dead', message: 'no such customer' },
    } as const;
    expect(settle(record(), outcome, context()).set).toMatchObject({
      status: 'DEAD',
      deadReason: 'no such customer',
      attempts: 1,
    });
  });
});

describe('a snooze', () => {
  const snooze = (seconds: number): AttemptOutcome => ({ type: 'snooze', seconds, reason: 'closed' });
  const failed = {
    status: 'ERROR',
    attempts: 3,
    failures: 2,
    firstFailureAt: iso(-900),
    lastFailureAt: iso(-600),
    lastAttemptAt: iso(-300),
  };

  it('counts the attempt and moves the due time; what is known of failures stays', () => {
    const history = [{ at: iso(0), attempt: 4, outcome: 'snoozed', message: 'closed', next: iso(90) }];
    expect(settle(record(failed), snooze(90), context())).toEqual({
      set: { status: 'ERROR', attempts: 4, lastAttemptAt: iso(0), dueAt: iso(90), history },
      remove: [],
      countedAs: 'snoozed',
    });
    expect(settle(record(), snooze(90), context()).set).toMatchObject({ status: 'NEW', attempts: 1 });
  });

  it('on a progressive queue keeps the index as it is', () => {
    const change = settle(record(), snooze(90), context(progressive));
    expect(change.set).toEqual({
      status: 'NEW',
      attempts: 1,
      lastAttemptAt: iso(0),
      dueAt: iso(-3600),
      notBefore: iso(90),
      history: [expect.objectContaining({ outcome: 'snoozed', next: iso(90) })],
    });
    const again = settle(record({ notBefore: iso(-10) }), snooze(0), context(progressive));
    expect(again).toMatchObject({ remove: ['notBefore'] });
  });

  it('gives a record that is attempted on arrival its place', () => {
    const bare = record({ lane: undefined, dueAt: undefined, rev: undefined, expiresAt: 1 });
    expect(settle(bare, snooze(90), context())).toMatchObject({
      set: { status: 'NEW', lane: 'q', dueAt: iso(90), insertedAt: iso(-3600) },
      remove: ['expiresAt'],
    });
  });

  it('goes by no policy, and by no limit of attempts', () => {
    const strict = context({ policy: resolvePolicy({ type: 'none', maxAge: 60 }) });
    expect(settle(record(failed), snooze(7), strict).set).toMatchObject({ status: 'ERROR', dueAt: iso(7) });
  });
});

describe('a cancellation', () => {
  const cancel = (reason: string): AttemptOutcome => ({ type: 'cancel', reason });

  it('is kept among the dead with its reason, without an error, as long as a success is', () => {
    const change = settle(record(), cancel('withdrawn'), context({ retention: 86_400 }));
    expect(change).toEqual({
      set: {
        status: 'DEAD',
        attempts: 1,
        lastAttemptAt: iso(0),
        lane: 'q/dead',
        dueAt: iso(0),
        deadReason: 'cancelled: withdrawn',
        expiresAt: NOW / 1000 + 86_400,
      },
      remove: ['notBefore'],
      countedAs: 'cancelled',
    });
    expect(isCancelled(record({ ...change.set }))).toBe(true);
    expect(isCancelled(record({ status: 'DEAD', deadReason: 'maxAttempts' }))).toBe(false);
    expect(isCancelled(record({ deadReason: 'cancelled: withdrawn' }))).toBe(false);
  });

  it('is kept for ever where a success is', () => {
    const change = settle(record({ expiresAt: 1 }), cancel('withdrawn'), context());
    expect(change.set).not.toHaveProperty('expiresAt');
    expect(change.remove).toContain('expiresAt');
  });

  it('keeps its reason short', () => {
    const { set } = settle(record(), cancel('ü'.repeat(5000)), context());
    expect(Buffer.byteLength(set.deadReason ?? '')).toBeLessThanOrEqual(200);
  });
});

describe('a lost worker', () => {
  it('counts as a failure, but kills only from the second attempt on', () => {
    const once = context({ policy: resolvePolicy({ type: 'none' }) });
    expect(settleLostWorker(record(), once).set).toMatchObject({
      status: 'ERROR',
      dueAt: iso(30),
      lastError: { name: 'WorkerLost' },
    });
    expect(settleLostWorker(record({ attempts: 1, failures: 1 }), once).set).toMatchObject({
      status: 'DEAD',
      deadReason: 'maxAttempts',
    });
  });

  it('does not kill while attempts are left', () => {
    const many = context({ policy: resolvePolicy({ type: 'constant', maxAttempts: 5, jitter: 'none' }) });
    expect(settleLostWorker(record({ attempts: 3, failures: 3 }), many).set.status).toBe('ERROR');
  });
});
