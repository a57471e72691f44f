import { BatchKeys } from '../../functions/intake/batch-keys.js';
import type { StreamChange } from '../../functions/intake/stream-event.js';
import type { Random } from '../../src/support/random.js';
import type { RunDeps } from '../../src/worker/index.js';
import { between, chance, pick } from './random.js';
import { TROUBLED_MS } from './scenario.js';

type KeyMemory = NonNullable<RunDeps['keyMemory']>;

/** Records have keys, of which any may be busy at any time. */
export interface Keys {
  /** The queue is fair between keys from its beginning, or from the first of these times; not any more from the next one, and so on. */
  readonly changesAtMs: readonly number[];
  readonly isFairAtFirst: boolean;
  /** Attempts of a key at once, in all runs of a queue together. */
  readonly concurrencyPerKey: number | undefined;
  /** Attempts of a key started per second, in all runs of a queue together. */
  readonly attemptsPerSecondPerKey: number | undefined;
  /** Shards of the queue, so many that keys share the lanes that are left. Undefined: as the world has them otherwise. */
  readonly shards?: number | undefined;
  /** Pauses of keys of the queue. */
  readonly pauses?: readonly KeyPausePlan[] | undefined;
}

/** An operator pauses a key, and resumes it at the end. */
interface KeyPausePlan {
  readonly key: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The pause itself has that end, too. */
  readonly hasEnd: boolean;
}

export function makeKeys(random: Random): Keys {
  const changes = pick(random, [0, 0, 1, 2]);
  const changesAtMs = Array.from({ length: changes }, () => between(random, 0, 2 * TROUBLED_MS)).sort(
    (a, b) => a - b,
  );
  // The queue is fair throughout where nothing changes.
  const concurrencyPerKey = pick(random, [undefined, undefined, 1, 2]);
  const isFairAtFirst = changes === 0 || chance(random, 0.5);
  const attemptsPerSecondPerKey = pick(random, [undefined, undefined, 0.04, 1]);
  const shards = pick(random, [undefined, undefined, undefined, undefined, 30, 31]);
  const keys = pick(random, [[], [], ['a'], ['b', 'c'], ['a', 'b']]);
  const pauses = keys.map((key) => {
    const fromMs = between(random, 0, TROUBLED_MS / 2);
    const untilMs = between(random, fromMs, TROUBLED_MS);
    return { key, fromMs, untilMs, hasEnd: chance(random, 0.5) };
  });
  return { changesAtMs, isFairAtFirst, concurrencyPerKey, attemptsPerSecondPerKey, shards, pauses };
}

export function isFairAt(
  { changesAtMs, isFairAtFirst }: Pick<Keys, 'changesAtMs' | 'isFairAtFirst'>,
  ms: number,
): boolean {
  const changes = changesAtMs.filter((at) => at <= ms).length;
  return changes % 2 === 0 ? isFairAtFirst : !isFairAtFirst;
}

/** The key of a record; some have none. */
export function keyOf(random: Random): string | undefined {
  return pick(random, ['a', 'a', 'b', 'c', undefined]);
}

/** The memory of a sandbox in which any failure, and any attempt, may make its key busy. */
export function eagerMemory(random: Random): KeyMemory {
  const failures = { add: () => chance(random, 0.3) };
  const times = { add: () => chance(random, 0.1) };
  return new Map(['q', 'r'].map((queue) => [queue, { failures, times }]));
}

/** The keys of a batch, of which any may be busy. */
export class RandomBatchKeys extends BatchKeys {
  constructor(
    private readonly random: Random,
    ...given: ConstructorParameters<typeof BatchKeys>
  ) {
    super(...given);
  }

  override meter(changes: readonly StreamChange[]): void {
    for (const { id, record } of changes) {
      if (record?.key !== undefined && chance(this.random, 0.5)) this.busy.set(id, record.key);
    }
  }
}
