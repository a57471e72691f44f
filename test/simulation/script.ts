import { Cancel, Dead, Done, RetryAfter, Snooze } from '../../src/record/index.js';
import type { Random } from '../../src/support/random.js';
import { between, chance, pick } from './random.js';

/** The ends of the attempts of one record, whatever happens around them. */
export interface Script {
  readonly id: string;
  readonly insertAtMs: number;
  /** Its age when it is inserted, as that of an imported record. */
  readonly ageMs: number;
  /** Not to be attempted for so long. */
  readonly delayMs: number | undefined;
  /** Failures before it would succeed; `Infinity` never. */
  readonly failuresFirst: number;
  /** `crash`: the first attempts, or all, end the whole process. */
  readonly crashesFirst: number;
  readonly durationMs: number;
  /** The first attempt may take longer than it may. */
  readonly firstDurationMs: number;
  readonly ignoresSignal: boolean;
  readonly end: 'success' | 'dead' | 'cancelled';
  /** Its first success has it come again after this time. */
  readonly againMs?: number | undefined;
  readonly maxAttempts: number | undefined;
  /** The producer writes a new version over it at this time. */
  readonly overwriteAtMs: number | undefined;
  /** The task it names, if any. */
  readonly task?: string;
  /** Attributes of a record that is put bare, and maybe breaks the contract. Undefined: its producer indexes it. */
  readonly bare: Bare | undefined;
  /** Its key. Default: it has none. */
  readonly key?: string | undefined;
}

export interface Bare {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** It says when it was inserted. */
  readonly isDated: boolean;
  /** An update of its payload, and not an overwrite, is its new version. */
  readonly isUpdated: boolean;
  /** A producer sets it to NEW then, if it has come to its end. */
  readonly renewAtMs: number | undefined;
  /** A producer puts it into the other queue then. */
  readonly moveAtMs: number | undefined;
}

export interface ScriptsOptions {
  /** Time for which things go wrong. */
  readonly horizonMs: number;
  readonly hasBare: boolean;
  /** Attempts that ignore their signal end after this. */
  readonly longestMs: number;
}

export function makeScripts(random: Random, { horizonMs, hasBare, longestMs }: ScriptsOptions): Script[] {
  // Now and then more than there may be runs at work on arrivals.
  const count = hasBare && chance(random, 0.15) ? between(random, 12, 20) : between(random, 3, 12);
  const someComeInCalm = chance(random, 0.25);
  return Array.from({ length: count }, (_, i) => {
    const poison = chance(random, 0.08);
    const hopeless = !poison && chance(random, 0.08);
    const insertAtMs = chance(random, 0.5) ? 0 : between(random, 0, horizonMs / 2);
    return {
      id: `r${i}`,
      insertAtMs,
      ageMs: chance(random, 0.4) ? between(random, 0, 3_000_000) : 0,
      delayMs: chance(random, 0.15) ? between(random, 1, horizonMs) : undefined,
      failuresFirst: hopeless ? Number.POSITIVE_INFINITY : pick(random, [0, 0, 0, 1, 2, 6]),
      crashesFirst: poison ? pick(random, [1, Number.POSITIVE_INFINITY]) : 0,
      durationMs: between(random, 1, 3_000),
      firstDurationMs: chance(random, 0.2) ? between(random, 5_000, 100_000) : between(random, 1, 3_000),
      ignoresSignal: chance(random, 0.3),
      end: chance(random, 0.1) ? pick(random, ['dead', 'cancelled'] as const) : ('success' as const),
      maxAttempts: poison || hopeless ? pick(random, [1, 2, 3]) : undefined,
      overwriteAtMs: chance(random, 0.1) ? insertAtMs + between(random, 1, horizonMs / 2) : undefined,
      bare: undefined,
    };
  }).map((script) =>
    hasBare && chance(random, 0.9) ? bared(script, random, { horizonMs, longestMs }, someComeInCalm) : script,
  );
}

function bared(
  script: Script,
  random: Random,
  { horizonMs, longestMs }: Omit<ScriptsOptions, 'hasBare'>,
  mayComeInCalm: boolean,
): Script {
  const comesInCalm = mayComeInCalm && chance(random, 0.3);
  const insertAtMs = comesInCalm ? 3 * horizonMs + between(random, 0, horizonMs) : script.insertAtMs;
  const soonAfter = () =>
    insertAtMs + pick(random, [between(random, 1, 5_000), between(random, 1, horizonMs)]);
  const isWrong = chance(random, 0.15);
  const wrong = pick<Record<string, unknown>>(random, [
    { status: 'new' },
    { status: undefined },
    { insertedAt: 12_345 },
    script.maxAttempts === undefined ? { retry: { type: 'fibonaci' } } : {},
  ]);
  return {
    ...script,
    insertAtMs,
    // Long enough for everything that looks at the record later to come in between.
    ...(chance(random, 0.2)
      ? { firstDurationMs: between(random, 60_000, longestMs), ignoresSignal: chance(random, 0.7) }
      : { firstDurationMs: Math.min(script.firstDurationMs, longestMs) }),
    overwriteAtMs: chance(random, 0.25) ? soonAfter() : undefined,
    bare: {
      attributes: isWrong ? wrong : {},
      isDated: script.ageMs > 0 || chance(random, 0.2),
      isUpdated: chance(random, 0.3),
      renewAtMs: chance(random, 0.1) ? soonAfter() : undefined,
      moveAtMs: chance(random, 0.3) ? soonAfter() : undefined,
    },
  };
}

/** Times at which the record is written, beside its attempts. */
export function writeTimesMs({ insertAtMs, overwriteAtMs = 0, bare }: Script): number[] {
  return [insertAtMs, overwriteAtMs, bare?.renewAtMs ?? 0, bare?.moveAtMs ?? 0];
}

/** The result of an attempt that succeeds: of one in three, none. */
export function resultOf(attempt: number): unknown {
  return attempt % 3 === 0 ? undefined : { attempt };
}

/**
 * Throws, or returns a result, as the script has it for this attempt.
 *
 * @param again the time at which a success comes again; undefined: it does not
 */
export function actOut(script: Script, attempt: number, random: Random, again?: Date): Done {
  if (attempt <= script.failuresFirst) {
    const longest = pick(random, [90, 90, 1200]);
    if (chance(random, 0.15)) throw new Snooze(between(random, 0, longest), pick(random, ['shut', 'busy']));
    if (chance(random, 0.15)) throw new Snooze({ reason: pick(random, ['open', 'not shipped']) });
    throw chance(random, 0.2) ? new RetryAfter(between(random, 0, longest)) : new Error('scripted failure');
  }
  if (script.end === 'cancelled') throw new Cancel('scripted');
  if (script.end === 'dead') throw new Dead('scripted');
  return new Done({ result: resultOf(attempt), again });
}
