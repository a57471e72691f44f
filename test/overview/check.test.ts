import { describe, expect, it } from 'vitest';
import { troublesOf } from '../../src/overview/check.js';
import type { QueueView } from '../../src/overview/snapshot.js';
import { failingNote, MINUTE, NOW, queueView } from '../cli/top/queue-views.js';

const iso = (ms: number) => new Date(NOW + ms).toISOString();
const reading = (ageMs: number, pending = 0) => ({
  at: iso(-ageMs),
  counts: { pending, dead: 0, oldestDueAt: undefined },
  shards: 1,
  retryMode: 'perRecord' as const,
});
const BREAKER = { destination: 'erp.example.com', since: 0, until: 0 };
const FRESH = { reading: reading(6 * MINUTE) };
const check = (...queues: QueueView[]) => troublesOf({ now: NOW, queues, rules: [] });

describe('a check', () => {
  it('finds nothing in queues that are on time, and whose attempts are known', () => {
    expect(
      check(
        queueView('a', 'quiet', FRESH),
        queueView('d', 'waiting', { ...FRESH, pending: 5 }, { inRetry: 4 }),
        queueView(
          'g',
          'waiting',
          { ...FRESH, pending: 5 },
          { inRetry: 5, lastSuccess: { at: NOW, isOld: false } },
        ),
        queueView('e', 'recovering', { ...FRESH, pending: 5 }, { inRetry: 5, backAt: NOW - MINUTE }),
        queueView('f', 'waiting', { pending: 5 }, { inRetry: 5, recent: { succeeded: 1, failed: 0 } }),
        queueView('b', 'waiting', { pending: 5 }, { recent: { succeeded: 0, failed: 0 } }),
        queueView('c', 'working', { pending: 100_000, reading: reading(40 * MINUTE, 100_000) }),
      ),
    ).toEqual([]);
  });

  it.each([
    [
      queueView('a', 'failing', { ...FRESH, pending: 2 }, { failingGroups: [failingNote('', 14 * MINUTE)] }),
      'a has failed since 14:33 UTC: 2 records wait; next probe about 14:51 UTC.',
    ],
    [
      queueView('a', 'breaker', { ...FRESH, openBreakers: 1, pending: 2 }, { breakers: [BREAKER] }),
      'erp.example.com fails: breaker open; 2 records wait in a.',
    ],
    [
      queueView(
        'a',
        'paused',
        { ...FRESH, paused: true, pending: 2 },
        { unknownGroups: [failingNote('erp', 14 * MINUTE)] },
      ),
      'erp had failed since 14:33 UTC, and nothing is known since the pause: 2 records wait in a.',
    ],
    [
      queueView('a', 'late', { ...FRESH, lagSeconds: 960, due: { now: 3, minute: 3, hour: 3, day: 3 } }),
      'a is 16 min late: 3 records due, no run is at work.',
    ],
    [
      queueView('a', 'waiting', { ...FRESH, pending: 100 }, { inRetry: 100 }),
      'a: 100 records wait, all after failed attempts, and no success of late is known.',
    ],
    [queueView('a', 'dead', { ...FRESH, dead: 2 }), 'a has 2 dead records.'],
    [
      queueView('a', 'unserved', { ...FRESH, pending: 2 }, { unserved: { meant: 'b' } }),
      'a: no rule serves this queue, 2 records wait; did you mean "b"?',
    ],
    [
      queueView('a', 'held', FRESH, { held: { keys: 2, hasMore: false } }),
      'a: the records of 2 keys wait until an operator acts: "backlog lines a --held" shows them.',
    ],
    [
      queueView('a', 'quiet'),
      'a: it is not known whether attempts succeed, as the monitor has not read the queue lately.',
    ],
    ...[16 * MINUTE, -16 * MINUTE, Number.NEGATIVE_INFINITY].map((age): [QueueView, string] => [
      queueView('a', 'quiet', {
        reading: Number.isFinite(age) ? reading(age) : { ...FRESH.reading, at: '' },
      }),
      'a: it is not known whether attempts succeed, as the monitor has not read the queue lately.',
    ]),
  ])('says what is wrong: $condition', (view, line) => {
    expect(check(view)).toEqual([line]);
  });

  it('has a line for each trouble of a queue', () => {
    const fails = { breakers: [BREAKER], isFailing: true, isLate: true };
    expect(check(queueView('a', 'breaker', { openBreakers: 1, dead: 1 }, fails))).toHaveLength(4);
  });

  it('is silent on a pause until its announced end, except for dead records', () => {
    const paused = (until: number) =>
      check(queueView('a', 'paused', { paused: true, pausedUntil: iso(until), dead: 1 }, { isLate: true }));
    expect(paused(1)).toEqual(['a has 1 dead record.']);
    expect(paused(0)).toHaveLength(3);
  });
});
