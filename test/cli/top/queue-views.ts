import type { Condition } from '../../../src/overview/conditions.js';
import { incidentsOf } from '../../../src/overview/incidents.js';
import type { OverviewStats } from '../../../src/overview/queue-counts.js';
import { sentenceOf } from '../../../src/overview/sentence.js';
import type { QueueView } from '../../../src/overview/snapshot.js';
import type { Reading } from '../../../tools/src/cli/top/source.js';

export const NOW = Date.parse('2026-11-23T14:47:18.000Z');
export const MINUTE = 60_000;
const iso = (offsetMs: number) => new Date(NOW + offsetMs).toISOString();

/** A queue of a deployed backlog: what only a local runtime knows is not known. */
export const queueView = (
  queue: string,
  condition: Condition,
  stats: Partial<OverviewStats> = {},
  view: Partial<QueueView> = {},
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
    lagSeconds: 0,
    due: { now: 0, minute: 0, hour: 0, day: 0 },
    ...stats,
  },
  condition,
  inRetry: undefined,
  retryCounted: 'exact',
  recent: undefined,
  minutes: undefined,
  failing: undefined,
  breakers: [],
  isFailing: condition === 'failing',
  isLate: condition === 'late',
  leases: [],
  nextRunAt: undefined,
  ...view,
});

/** The note of a group that has failed for so long. */
export const failingNote = (
  group: string,
  forMs: number,
  error = '',
): NonNullable<QueueView['failingGroups']>[number] => ({
  ...{
    group,
    since: (NOW - forMs) / 1000,
    lastAt: NOW / 1000,
    countedAt: NOW / 1000,
    records: 9,
    evidence: 9,
  },
  ...{ recentSuccesses: 0, recentFailures: 9, error },
});

/** One queue for each condition, the worst first. */
export const ALL_CONDITIONS: readonly QueueView[] = [
  queueView(
    'invoices',
    'breaker',
    { openBreakers: 1, pending: 602, oldestDueAt: iso(4 * MINUTE) },
    {
      breakers: [{ destination: 'erp.example.com', since: NOW - 34 * MINUTE, until: NOW + 4 * MINUTE }],
    },
  ),
  queueView('prices', 'late', {
    pending: 1_248_113,
    due: { now: 4212, minute: 0, hour: 0, day: 0 },
    lagSeconds: 59_000,
    oldestDueAt: iso(-59_000_000),
  }),
  queueView('bulk', 'paused', { paused: true, pausedAt: iso(-16 * MINUTE), pending: 1 }),
  queueView('mails', 'dead', { dead: 116 }),
  queueView(
    'orders',
    'working',
    { pending: 12, due: { now: 12, minute: 0, hour: 0, day: 0 }, lagSeconds: 31, oldestDueAt: iso(-31_000) },
    {
      leases: [
        { key: 'orders', holder: '7f3a1b2c-9f61-4a5e-b7c1-1f0d6a3c2e11', until: NOW + 42_000 },
        { key: 'orders#1', holder: 'other', until: NOW + 42_000 },
      ],
    },
  ),
  queueView('stock', 'waiting', { pending: 3, oldestDueAt: iso(13 * MINUTE) }),
  queueView('notes', 'quiet'),
];

/** The same with what a local runtime knows. */
export const LOCAL: readonly QueueView[] = ALL_CONDITIONS.map((view, i) => ({
  ...view,
  inRetry: i === 0 ? 602 : 0,
  recent: i === 0 ? { succeeded: 1, failed: 119 } : { succeeded: 0, failed: 0 },
  nextRunAt: iso(42_000),
}));

/** A reading at `NOW`. */
export function readingOf(queues: readonly QueueView[], changes: Partial<Reading> = {}): Reading {
  const snapshot = { now: NOW, queues, rules: [] };
  return {
    sentence: sentenceOf(snapshot),
    snapshot,
    incidents: incidentsOf(queues),
    jobs: [],
    readAt: NOW,
    countedAt: NOW,
    readUnits: 35.5,
    error: undefined,
    ...changes,
  };
}
