import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import {
  type AttemptOutcome,
  afterRun,
  type BacklogRecord,
  type GroupOutcomes,
  groupsToProbe,
  lostProbe,
  mayProbe,
  parseFailing,
  settle,
  settleLostWorker,
  settleProbe,
} from '../../src/record/index.js';
import { context, iso, NOW, record } from './records.js';

const T = NOW / 1000;
const HOUR = 3_600;
const failure: AttemptOutcome = { type: 'failure', error: { name: 'TypeError', message: 'down' }, ms: 7 };
const failed = (at: number): GroupOutcomes => ({
  ...{
    successes: 0,
    failures: 5,
    evidence: 5,
    records: 5,
    isTelling: true,
    firstFailureAt: at,
    lastFailureAt: at,
  },
  error: '',
});
const hourly = context({ policy: resolvePolicy({ type: 'constant', interval: HOUR, jitter: 'none' }) });
const inMinutes = (minutes: number) => ({ ...hourly, now: NOW + minutes * 60_000 });

/** A record after such an outcome at `NOW`, under a policy with waits of an hour. */
function waiting(outcome: AttemptOutcome, attributes: Partial<BacklogRecord> = {}): BacklogRecord {
  const before = record(attributes);
  return { ...before, ...settle(before, outcome, hourly).set } as BacklogRecord;
}

describe('the groups to probe', () => {
  const notes = (...groups: readonly string[]) =>
    [T, T + 300].reduce(
      (before, at) => afterRun(before, new Map(groups.map((group) => [group, failed(at)])), at),
      parseFailing(undefined),
    );

  it('fail, and had no attempt for five minutes, to the nearest tick', () => {
    expect(groupsToProbe(notes('', 'a'), T + 569)).toEqual([]);
    expect(groupsToProbe(notes('', 'a'), T + 570)).toEqual(['', 'a']);
  });

  it('may seem to fail, as three of their records have; two, or what has succeeded as well, are too little', () => {
    const seems = (outcomes: Partial<GroupOutcomes>) =>
      groupsToProbe(
        afterRun(parseFailing(undefined), new Map([['', { ...failed(T), ...outcomes }]]), T),
        T + 270,
      );
    const three = { failures: 3, evidence: 3, records: 3 };
    expect(seems(three)).toEqual(['']);
    expect(seems({ ...three, records: 2 })).toEqual([]);
    expect(seems({ ...three, failures: 4, evidence: 4, successes: 1 })).toEqual([]);
  });

  it('are none that have recovered', () => {
    const recovered = afterRun(
      notes(''),
      new Map([['', { ...failed(0), successes: 5, failures: 0, lastFailureAt: 0 }]]),
      T + HOUR,
    );
    expect(groupsToProbe(recovered, T + 2 * HOUR)).toEqual([]);
  });
});

describe('a record may be probed', () => {
  const may = (one: BacklogRecord, minutes = 5) => mayProbe(one, NOW + minutes * 60_000, 60);

  it('is not one that an operator has put off to a time near that of its policy', () => {
    const one = waiting(failure);
    expect(may(one)).toBe(true);
    const dueMs = Date.parse(one.dueAt ?? '');
    for (const laterMs of [5, 1_000, 27_755, 29_999, 30_000, 31_000])
      expect(may({ ...one, dueAt: new Date(dueMs + laterMs).toISOString() })).toBe(false);
  });

  it('while it waits as its policy says', () => {
    expect(may(waiting(failure))).toBe(true);
    expect(may(waiting(failure), 60)).toBe(false);
  });

  it('after another probe', () => {
    const probed = { ...waiting(failure), ...settleProbe(waiting(failure), failure, inMinutes(5)).set };
    expect(may(probed as BacklogRecord, 10)).toBe(true);
  });

  it('not before the end of the wait that its destination has asked for', () => {
    const asked = (retryAfterSeconds: number) => waiting({ ...failure, retryAfterSeconds });
    expect(may(asked(600), 9)).toBe(false);
    expect(may(asked(600), 10)).toBe(true);
    // Longer than that of the policy.
    expect(may(asked(2 * HOUR), 119)).toBe(false);
  });

  const someoneElses: Readonly<Record<string, BacklogRecord>> = {
    'was put off by its handler': waiting({ type: 'snooze', seconds: HOUR }),
    'was not ready': waiting({ type: 'snooze', reason: 'open' }),
    'is new, and delayed by its producer': record({ dueAt: iso(HOUR), availableAt: iso(HOUR) }),
    'has a due time from a person': { ...waiting(failure), dueAt: iso(2 * HOUR) },
    'rests until a time': { ...waiting(failure), notBefore: iso(HOUR) },
    'may be under attempt': { ...waiting(failure), notBefore: { until: iso(HOUR) } },
    'waits for its task': { ...waiting(failure), unknownTaskSince: iso(0) },
    'has ended its process': { ...record(), ...settleLostWorker(record(), hourly).set } as BacklogRecord,
    'has no history': { ...waiting(failure), history: [] },
    'has a due time that is none': { ...waiting(failure), dueAt: 'soon' },
    'is never attempted early by its policy': {
      ...record(),
      ...settle(record(), failure, {
        ...hourly,
        policy: resolvePolicy({ type: 'constant', interval: HOUR, jitter: 'none', rounding: 'up' }),
      }).set,
    } as BacklogRecord,
  };
  it.each(Object.entries(someoneElses))('unless it %s', (_, one) => {
    expect(may(one)).toBe(false);
  });
});

describe('a probe that fails', () => {
  const before = waiting(failure, { attempts: 3 });
  const at = iso(300);

  it('changes neither the schedule nor the counts, and the history says that it was one', () => {
    const { set, remove, countedAs } = settleProbe(before, failure, inMinutes(5));
    const { dueAt, history } = before;
    expect({ remove, countedAs }).toEqual({ remove: ['completion'], countedAs: 'probe' });
    expect(Object.keys(set).sort()).toEqual([
      ...['history', 'lastAttemptAt', 'lastError', 'lastFailureAt', 'status'],
    ]);
    expect(set).toMatchObject({ status: 'ERROR', lastAttemptAt: at, lastFailureAt: at });
    expect(set.history?.slice(0, -1)).toEqual(history);
    expect(set.history?.at(-1)).toEqual({
      ...{ at, attempt: 5, ms: 7, name: 'TypeError', message: 'down', probe: true },
      next: history.at(-1)?.next,
    });
    expect(dueAt).toBe(iso(HOUR - 30));
  });

  it('leaves one entry in the history, however many follow each other', () => {
    const again = { ...before, ...settleProbe(before, failure, inMinutes(5)).set } as BacklogRecord;
    const { history = [] } = settleProbe(again, failure, inMinutes(10)).set;
    expect(history).toHaveLength(2);
    expect(history.at(-1)).toMatchObject({ at: iso(600), probe: true });
  });

  it('has the record wait as long as its destination asks', () => {
    const shorter = settleProbe(before, { ...failure, retryAfterSeconds: 600 }, inMinutes(5));
    expect(shorter.set).not.toHaveProperty('dueAt');
    const longer = settleProbe(before, { ...failure, retryAfterSeconds: 2 * HOUR }, inMinutes(5));
    expect(longer.set).toMatchObject({ dueAt: iso(2 * HOUR + 300) });
    expect(mayProbe({ ...before, ...longer.set } as BacklogRecord, NOW + HOUR * 1_000, 60)).toBe(false);
  });

  it('kills no record whose attempts are used up, as its policy would', () => {
    const last = { ...hourly, policy: resolvePolicy({ type: 'constant', maxAttempts: 1 }) };
    expect(settleProbe(before, failure, last).set.status).toBe('ERROR');
  });

  it('kills a record that its handler gives up', () => {
    const dead = settleProbe(before, { ...failure, type: 'dead', reason: 'HTTP 400' }, inMinutes(5));
    expect(dead.set).toMatchObject({ status: 'DEAD', deadReason: 'HTTP 400', attempts: 5 });
  });

  it('keeps the schedule where its process is stopped, or the work is not ready', () => {
    for (const outcome of [{ type: 'snooze', seconds: 0 }, { type: 'snooze' }] as const)
      expect(settleProbe(before, outcome, inMinutes(5))).toEqual({
        ...{ remove: ['completion'], countedAs: 'snoozed', set: { history: expect.any(Array) } },
      });
    expect(settleProbe(before, { type: 'snooze', seconds: 2 * HOUR }, inMinutes(5)).set).toMatchObject({
      dueAt: iso(2 * HOUR + 300),
    });
  });

  it('as its process was lost leaves the record to its turn', () => {
    const { set } = lostProbe(before, inMinutes(5));
    expect(set).toMatchObject({ lastError: { name: 'WorkerLost' } });
    expect(set).not.toHaveProperty('attempts');
    expect(mayProbe({ ...before, ...set } as BacklogRecord, NOW + 600_000, 60)).toBe(false);
  });
});

it('a probe that succeeds is a success', () => {
  const { set } = settleProbe(waiting(failure), { type: 'success' }, inMinutes(5));
  expect(set).toMatchObject({ status: 'SUCCESS', attempts: 2 });
});
