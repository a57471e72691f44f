import type { OrderRules } from '../../src/lines/rules.js';
import type { Random } from '../../src/support/random.js';
import { NO_TROUBLES, type Troubles } from '../../tools/src/lab/cloud/chaos.js';
import { type Faults, NO_FAULTS } from '../simulation/actor.js';
import { between, chance, pick } from '../simulation/random.js';

/** A record of a world, with what happens to it. */
export interface Planned {
  readonly id: string;
  readonly key: string;
  readonly seq: number;
  readonly atMs: number;
  /** Its producer puts it into the index. */
  readonly isIndexed: boolean;
  readonly delayMs: number | undefined;
  readonly durationMs: number;
  /** Attempts that fail; three of them kill it. */
  readonly failures: number;
  /** Its end by another hand than a run's. */
  readonly ends: { readonly atMs: number; readonly how: 'discarded' | 'removed' | 'deleted' } | undefined;
}

/** The description of one world. */
export interface OrderScenario {
  readonly rules: { readonly onDeadHead: OrderRules['onDeadHead']; readonly skipGapAfter: number | 'never' };
  readonly records: readonly Planned[];
  readonly lastWriteMs: number;
  readonly operators: readonly {
    readonly atMs: number;
    readonly what: 'redrive' | 'runNow' | 'snooze';
    readonly count: number;
  }[];
  readonly faults: Faults;
  readonly troubles: Troubles;
  readonly stream: { readonly shards: number; readonly batchSize: number };
  readonly maxStaleMs: number;
  readonly shards: number;
  readonly onArrival: boolean;
  readonly limits: { readonly concurrency: number; readonly attemptTimeout: number };
}

const KEYS = ['a', 'b', 'c'];

export function makeOrderScenario(random: Random, troubledMs: number): OrderScenario {
  const hasGaps = chance(random, 0.3);
  const troubles = pick<Troubles>(random, [
    NO_TROUBLES,
    { twice: 0.1, late: 0.1, refused: 0.1, cutAgain: 0, lostPermanently: 0 },
    { twice: 0.3, late: 0.5, refused: 0.2, cutAgain: 0.5, lostPermanently: 0 },
    { twice: 0.2, late: 0.2, refused: 0.3, cutAgain: 0.2, lostPermanently: 0 },
    { twice: 0.1, late: 0.1, refused: 0, cutAgain: 0, lostPermanently: 0.2 },
  ]);
  const records = KEYS.slice(0, between(random, 1, 3)).flatMap((key) =>
    recordsOf(random, key, troubledMs, hasGaps),
  );
  return {
    rules: {
      onDeadHead: pick(random, ['hold', 'hold', 'skip', 'cancel'] as const),
      skipGapAfter: hasGaps || troubles.lostPermanently > 0 ? 120 : 'never',
    },
    records,
    lastWriteMs: Math.max(...records.map(({ atMs, ends }) => Math.max(atMs, ends?.atMs ?? 0))),
    operators: Array.from({ length: pick(random, [0, 0, 2, 5]) }, () => ({
      atMs: between(random, 0, 2 * troubledMs),
      what: pick(random, ['redrive', 'runNow', 'snooze'] as const),
      count: between(random, 1, 4),
    })),
    faults: pick<Faults>(random, [
      NO_FAULTS,
      { ...NO_FAULTS, kill: 0.02, errorBefore: 0.01, errorAfter: 0.01, repeat: 0.02, slow: 0.05 },
      { ...NO_FAULTS, kill: 0.01, errorBefore: 0.05, errorAfter: 0.05, repeat: 0.05, slow: 0.1 },
      { ...NO_FAULTS, errorBefore: 0.15, errorAfter: 0.3, repeat: 0.02, slow: 0.05 },
      { ...NO_FAULTS, errorBefore: 0.01, errorAfter: 0.01, slow: 0.05, hang: 0.02, lateRepeat: 0.05 },
    ]),
    troubles,
    stream: { shards: pick(random, [1, 2, 4]), batchSize: pick(random, [1, 3, 10]) },
    maxStaleMs: pick(random, [1, 500, 3_000, 30_000]),
    shards: pick(random, [1, 1, 3]),
    onArrival: chance(random, 0.8),
    limits: { concurrency: pick(random, [1, 2, 10]), attemptTimeout: pick(random, [5, 30]) },
  };
}

function recordsOf(random: Random, key: string, troubledMs: number, hasGaps: boolean): Planned[] {
  // More than one look at a line reads.
  const isLong = chance(random, 0.02);
  const count = isLong ? between(random, 220, 500) : pick(random, [2, 5, 8, 20]);
  const spreadMs = pick(random, [50, 5_000, troubledMs]);
  const isOrderly = chance(random, 0.5);
  const first = hasGaps && chance(random, 0.2) ? between(random, 2, pick(random, [2_000, 1_000_000])) : 1;
  const jumpAt = hasGaps && chance(random, 0.1) ? between(random, 1, count) : count;
  const jump = between(random, 1_000, pick(random, [3_000, 1_000_000]));
  // All of a long line end behind a number that has not come.
  const endsAll = isLong && chance(random, 0.5);
  const fails = pick(random, [0, 0.2, 0.6]);
  const meddles = pick(random, [0, 0, 0.15]);
  const seqs = Array.from({ length: count }, (_, at) => first + at + (at >= jumpAt ? jump : 0));
  const times = seqs.map(() => between(random, 0, spreadMs));
  if (isOrderly) times.sort((a, b) => a - b);
  return seqs.flatMap((seq, at): Planned[] => {
    if (hasGaps && (chance(random, isLong ? 0.01 : 0.1) || (endsAll && at === 1))) return [];
    const isLate = hasGaps && chance(random, 0.05);
    const atMs = (times[at] ?? 0) + (isLate ? between(random, 60_000, 400_000) : 0);
    const planned: Planned = {
      ...{ id: `${key}${seq}`, key, seq, atMs },
      isIndexed: chance(random, 0.05),
      delayMs: chance(random, 0.05) ? between(random, 1_000, 200_000) : undefined,
      durationMs: isLong ? 10 : pick(random, [10, 300, 4_000]),
      failures: chance(random, isLong ? 0.01 : fails) ? pick(random, [1, 2, 3, 3]) : 0,
      ends: chance(random, endsAll ? 0.95 : meddles)
        ? {
            atMs: atMs + between(random, 0, pick(random, [3_000, 100_000])),
            how: pick(random, ['discarded', 'removed', 'deleted'] as const),
          }
        : undefined,
    };
    const twin = hasGaps && chance(random, 0.05) ? [{ ...planned, id: `${planned.id}-twin` }] : [];
    return [planned, ...twin];
  });
}
