import { describe, expect, it } from 'vitest';
import { CONDITIONS, type Condition } from '../../src/overview/conditions.js';
import type { OverviewStats } from '../../src/overview/queue-counts.js';
import { sentenceOf } from '../../src/overview/sentence.js';
import type { QueueView, RuleView, Snapshot } from '../../src/overview/snapshot.js';
import { iso, MINUTE, NOW } from './console-under-test.js';

const view = (
  queue: string,
  condition: Condition,
  stats: Partial<OverviewStats> = {},
  breakers: QueueView['breakers'] = [],
): QueueView => ({
  stats: {
    queue,
    retryMode: 'perRecord',
    paused: false,
    openBreakers: 0,
    pending: 0,
    dead: 0,
    oldestDueAt: undefined,
    counted: 'exact',
    lanes: [queue],
    reading: undefined,
    ...stats,
  },
  condition,
  inRetry: undefined,
  retryCounted: 'exact',
  recent: { succeeded: 5, failed: 15 },
  failing:
    condition === 'failing' ? { succeeded: 5, failed: 15, minutes: 15, since: NOW - 14 * MINUTE } : undefined,
  minutes: [],
  breakers,
  isFailing: condition === 'failing',
  isLate: condition === 'late',
  leases: [],
  nextRunAt: undefined,
});
const snapshot = (queues: readonly QueueView[], rules: readonly RuleView[] = []): Snapshot => ({
  now: NOW,
  queues,
  rules,
});
const missedRule: RuleView = {
  rule: {
    id: 'tier3',
    label: 'bulk tier 3',
    expression: 'rate(12 hours)',
    queues: ['bulk'],
    enabled: true,
    fired: 1,
    late: 0,
    failed: 0,
    givenUp: 0,
  },
  last: undefined,
  missed: true,
};

const ALL: Readonly<Record<string, QueueView>> = {
  breaker: view('invoices', 'breaker', { openBreakers: 1, pending: 602 }, [
    { destination: 'erp.example.com', since: NOW - 34 * MINUTE, until: NOW + 4 * MINUTE },
  ]),
  failing: view('orders', 'failing'),
  late: view('prices', 'late', { lagSeconds: 960, due: { now: 4212, minute: 0, hour: 0, day: 0 } }),
  unserved: { ...view('deafult', 'unserved', { pending: 2 }), unserved: { meant: 'default' } },
  held: { ...view('events', 'held'), held: { keys: 3, hasMore: false } },
  paused: view('bulk', 'paused', { paused: true, pausedAt: iso(-16 * MINUTE), pending: 1 }),
  recovering: { ...view('stock', 'recovering', { pending: 2 }), backAt: NOW - 7 * MINUTE },
  dead: view('mails', 'dead', { dead: 116 }),
};
const TEXTS: Readonly<Record<string, string>> = {
  breaker:
    'erp.example.com has failed since 14:13 UTC: breaker open, next probe in 4 min; 602 records wait in invoices.',
  failing: 'orders has failed since 14:33 UTC: 75 % of 20 attempts in 15 min.',
  late: 'prices is 16 min late: 4,212 records due, no run is at work.',
  unserved: 'deafult: no rule serves this queue, 2 records wait; did you mean "default"?',
  held: 'events: the records of 3 keys wait until an operator acts: "backlog lines events --held" shows them.',
  paused: 'bulk has been paused for 16 min, 1 record waits.',
  recovering: 'stock is back since 14:40 UTC: 2 records wait.',
  dead: '116 dead records of mails need a decision.',
};

describe('the opening sentence', () => {
  it.each(Object.keys(ALL))('says what is wrong with a queue: %s', (condition) => {
    const queue = ALL[condition] as QueueView;
    expect(sentenceOf(snapshot([queue])).title).toBe(TEXTS[condition]);
  });

  it.each([
    [{ pausedUntil: iso(73 * MINUTE) }, 'bulk has been paused for 16 min until 16:00 UTC; 1 record waits.'],
    [
      { pausedUntil: iso(-MINUTE), pausedBy: 'role/ops', pauseReason: 'stocktaking' },
      'bulk has been paused for 16 min by role/ops until 14:46 UTC, which is over, "stocktaking"; 1 record waits.',
    ],
  ])('says what an operator has said of a pause: %j', (note, title) => {
    const paused = { paused: true, pausedAt: iso(-16 * MINUTE), pending: 1, ...note };
    expect(sentenceOf(snapshot([view('bulk', 'paused', paused)])).title).toBe(title);
  });

  it('says of a paused queue what failed before', () => {
    const since = NOW / 1000 - 20 * 60;
    const note = { group: 'erp', since, lastAt: since + 600, countedAt: since, records: 9, evidence: 9 };
    const counts = { recentSuccesses: 0, recentFailures: 9, error: 'HttpError 503' };
    const paused = { ...(ALL.paused as QueueView), unknownGroups: [{ ...note, ...counts }] };
    expect(sentenceOf(snapshot([paused]))).toMatchObject({
      tone: 'amber',
      title: TEXTS.paused,
      details: [
        'erp (HttpError 503) had failed since 14:27 UTC, and nothing is known since the pause: 1 record waits in bulk.',
      ],
    });
  });

  it('has the worst first, whatever the order of the queues', () => {
    const order = ['breaker', 'failing', 'late', 'unserved', 'held', 'paused', 'recovering', 'dead'];
    expect(CONDITIONS.slice(0, 8)).toEqual(order);
    for (let i = 0; i < order.length; i++) {
      const left = order.slice(i).map((name) => ALL[name] as QueueView);
      const { title, details } = sentenceOf(snapshot([...left].reverse()));
      expect([title, ...details]).toEqual(order.slice(i).map((name) => TEXTS[name]));
    }
  });

  it.each([
    [{ keys: 1, hasMore: false }, '1 key wait'],
    [{ keys: 100, hasMore: true }, '≥ 100 keys wait'],
    [{ keys: 1, hasMore: true }, '≥ 1 key wait'],
  ])('counts the keys that are held: %j', (held, words) => {
    const queue = { ...(ALL.held as QueueView), held };
    expect(sentenceOf(snapshot([queue])).title).toBe(
      `events: the records of ${words} until an operator acts: "backlog lines events --held" shows them.`,
    );
  });

  it('puts a missed rule behind what keeps records from being attempted, and before a pause', () => {
    const queues = [ALL.paused, ALL.late] as QueueView[];
    const { title, details } = sentenceOf(snapshot(queues, [missedRule]));
    expect([title, ...details]).toEqual([TEXTS.late, 'bulk tier 3 missed a run.', TEXTS.paused]);
  });

  it('says first that the tables cannot be read', () => {
    const { title, tone } = sentenceOf(snapshot([ALL.breaker as QueueView]), 'AccessDenied');
    expect({ title, tone }).toEqual({ title: 'The tables cannot be read: AccessDenied', tone: 'dead' });
  });

  it('says that all is well only if nothing is wrong', () => {
    expect(sentenceOf(snapshot([view('a', 'quiet')]))).toEqual({
      tone: 'ok',
      title: 'All quiet. No record waits.',
      details: [],
    });
    expect(sentenceOf(snapshot([view('a', 'waiting', { pending: 1 })]))).toMatchObject({
      tone: 'ok',
      title: 'Every queue is on time. 1 record waits.',
    });
    const idle = { ...view('a', 'waiting', { pending: 1 }), recent: { succeeded: 0, failed: 0 } };
    expect(sentenceOf(snapshot([idle]))).toMatchObject({
      tone: 'unknown',
      title: 'Every queue is on time. 1 record waits, and none has succeeded in the last 15 min.',
    });
  });

  describe('where only the tables are known', () => {
    const strange = (
      pending: number,
      {
        inRetry,
        retryCounted = 'exact',
        lastSuccess,
        ...stats
      }: Partial<OverviewStats & Pick<QueueView, 'retryCounted' | 'lastSuccess'>> = {},
    ): QueueView => ({
      ...view('a', pending > 0 ? 'waiting' : 'quiet', { pending, lagSeconds: 0, ...stats }),
      ...{ recent: undefined, minutes: undefined, lastSuccess },
      inRetry,
      retryCounted,
    });

    it.each<[string, readonly QueueView[] | undefined, string]>([
      [
        'its latest success is old',
        [strange(3, { lastSuccess: { at: NOW - 35 * MINUTE, isOld: true } })],
        'Whether attempts succeed is not known since 14:12 UTC: 3 records wait.',
      ],
      [
        'nothing waits, and its latest success is old',
        [strange(0, { lastSuccess: { at: NOW - 35 * MINUTE, isOld: true } }), strange(0)],
        'No indexed record waits. Whether attempts succeed is not known since 14:12 UTC.',
      ],
      [
        'one queue of two has a success',
        [strange(3), strange(5, { queue: 'b', lastSuccess: { at: NOW - MINUTE, isOld: false } })],
        'Whether attempts of a succeed is not known here: 3 records wait.',
      ],
      [
        'the monitor has counted, and its time is the best that is known',
        [strange(3, { inRetry: 3, reading: { at: iso(-6 * MINUTE) } as OverviewStats['reading'] })],
        'Whether attempts succeed is not known here: 3 records wait, 3 of them after failed attempts, as counted at 14:41 UTC.',
      ],
      [
        'all records fail, and the monitor has counted them',
        [strange(759, { inRetry: 759, retryCounted: 'about' })],
        'Whether attempts succeed is not known here: 759 records wait, ≈ 759 of them after failed attempts.',
      ],
      [
        'the monitor has found none in retry',
        [strange(3, { inRetry: 0 })],
        'Whether attempts succeed is not known here: 3 records wait, and none of those that the monitor has read has failed.',
      ],
      ['no monitor has counted', [strange(1)], 'Whether attempts succeed is not known here: 1 record waits.'],
      [
        'a queue by age has no due times to tell by',
        [strange(1, { lagSeconds: undefined })],
        'Whether attempts succeed is not known here: 1 record waits.',
      ],
      ['nothing waits', [strange(0)], 'No indexed record waits. Whether attempts succeed is not known here.'],
      ['no queue is known', [], 'No run has served a queue yet.'],
      ['nothing has been read', undefined, 'The queues have not been read yet.'],
    ])('it says so, and is not green: %s', (_, queues, title) => {
      const sentence = sentenceOf({ now: NOW, queues, rules: [] });
      expect(sentence).toMatchObject({ tone: 'unknown', title });
    });

    it.each<[readonly QueueView[], string]>([
      [
        [strange(3, { lastSuccess: { at: NOW - 2 * MINUTE, isOld: false } }), strange(0)],
        'Every queue is on time. 3 records wait. Attempts have succeeded, the latest at 14:45 UTC.',
      ],
      [
        [strange(0, { lastSuccess: { at: NOW - 2 * MINUTE, isOld: false } })],
        'No indexed record waits. Attempts have succeeded, the latest at 14:45 UTC.',
      ],
    ])('it is green on evidence of a success of late', (queues, title) => {
      expect(sentenceOf({ now: NOW, queues, rules: [] })).toEqual({ tone: 'ok', title, details: [] });
    });
  });

  it('says first that another region attempts the records, or that none does', () => {
    const passive = { region: 'eu-west-1', active: 'eu-central-1' };
    const late = view('orders', 'late', { lagSeconds: 400, due: { now: 3, minute: 0, hour: 0, day: 0 } });
    expect(sentenceOf({ ...snapshot([late]), passive })).toMatchObject({
      tone: 'amber',
      title: 'eu-west-1 is passive: eu-central-1 attempts the records.',
      details: [expect.stringContaining('orders is 6 min 40 s late')],
    });
    expect(sentenceOf({ ...snapshot([]), passive: { region: 'eu-west-1', active: 'eu-west-1' } }).title).toBe(
      'A failover to eu-west-1 is under way: no region attempts records.',
    );
  });
});
