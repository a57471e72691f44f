import type { RetryPolicy } from '../../src/policies/index.js';
import type { Random } from '../../src/support/random.js';
import { between, chance, pick, seededRandom } from '../simulation/random.js';

/** Faults, by what fails while they last. */
const FAULTS = [
  'nothing',
  'all',
  'one destination',
  'one tenant',
  'all are refused',
  'one destination refuses',
  'a part of the attempts',
  'attempts hang',
  'a blink',
  'all, without a monitor',
  'a relapse',
] as const;
export type FaultKind = (typeof FAULTS)[number];

/** A fault, and the queue that it befalls. */
export interface Fault {
  readonly kind: FaultKind;
  readonly policy: RetryPolicy;
  /** Records that come in each minute. */
  readonly perMinute: number;
  /** Records that come in at the beginning of the fault. */
  readonly burst: number;
  /** Length of the fault. */
  readonly minutes: number;
  /** Minutes of it in which everything works again. Undefined: none. */
  readonly back?: { readonly from: number; readonly until: number } | undefined;
  /** Destinations that the handler names; 0: none. The fault of one befalls the first. */
  readonly destinations: number;
  /** Part of the attempts that fails while the fault lasts, of those that it befalls. */
  readonly share: number;
  /** Part of the attempts that fails at any time. */
  readonly noise: number;
  /** Part of the records that never succeeds. */
  readonly poison: number;
}

const MAX_MINUTES = 1440;
const MAX_RECORDS = 10_000;
/** Records that come in one by one, which take more time to play. */
const MAX_TRAFFIC = 1_500;
/** Records that come in at once, times the minutes for which they fail: the rest would be more of the same. */
const MAX_BURST_MINUTES = 30_000;
/** Records that come in at once, and wait for long when a relapse begins. */
const MAX_RELAPSE_BURST = 200;
const MIN_RECORDS = 3;
const MAX_NOISE = 0.3;

const POLICIES: readonly [RetryPolicy, ...RetryPolicy[]] = [
  { type: 'fibonacci' },
  { type: 'exponential' },
  { type: 'constant', interval: 60 },
  { type: 'constant', interval: 900 },
  { type: 'constant', interval: 3_600 },
  { type: 'sidekiq' },
  { type: 'linear' },
  { type: 'buckets' },
  { type: 'progressive' },
];

/** The fault of a seed. */
export function faultOf(seed: number): Fault {
  const random = seededRandom(seed);
  const kind = FAULTS[seed % FAULTS.length] ?? 'nothing';
  const policy = pick(random, POLICIES);
  if (kind === 'a relapse') return relapseOf(kind, policy, random);
  const isBurst = kind !== 'nothing' && chance(random, 0.3);
  const records = logUniform(random, MIN_RECORDS, isBurst ? MAX_RECORDS : MAX_TRAFFIC);
  const perMinute = isBurst ? 0 : logUniform(random, 0.1, 60);
  const length = logUniform(random, 20, MAX_MINUTES);
  const all = kind === 'nothing' ? MAX_MINUTES : kind === 'a blink' ? between(random, 1, 4) : length;
  const most = perMinute === 0 ? 20 + MAX_BURST_MINUTES / records : Math.max(20, records / perMinute);
  const minutes = Math.ceil(Math.min(all, most));
  return {
    ...{ kind, policy, perMinute, minutes },
    burst: isBurst ? Math.round(records) : 0,
    destinations: destinationsOf(kind, random),
    share: kind === 'a part of the attempts' ? 0.5 + random() / 2 : 1,
    noise: chance(random, 0.5) ? MAX_NOISE * random() : 0,
    poison: !isBurst && chance(random, 0.3) ? 0.02 * random() : 0,
  };
}

/** All fails for hours, works for some minutes, and fails again; often without new records. */
function relapseOf(kind: FaultKind, policy: RetryPolicy, random: Random): Fault {
  const from = Math.ceil(logUniform(random, 70, 720));
  const until = from + between(random, 3, 30);
  const minutes = until + Math.ceil(logUniform(random, 30, 360));
  const isBurst = chance(random, 0.7);
  const records = logUniform(random, MIN_RECORDS, isBurst ? MAX_RELAPSE_BURST : MAX_TRAFFIC);
  return {
    ...{ kind, policy, minutes, back: { from, until }, share: 1 },
    perMinute: isBurst ? 0 : records / minutes,
    burst: isBurst ? Math.round(records) : 0,
    destinations: destinationsOf(kind, random),
    noise: chance(random, 0.5) ? MAX_NOISE * random() : 0,
    poison: chance(random, 0.3) ? 0.02 * random() : 0,
  };
}

function destinationsOf(kind: FaultKind, random: Random): number {
  if (kind === 'one tenant') return between(random, 20, 60);
  if (kind.startsWith('one destination')) return between(random, 2, 8);
  return chance(random, 0.5) ? 0 : between(random, 1, 8);
}

/** Draws small and great values alike. */
function logUniform(random: Random, least: number, most: number): number {
  return least * (most / least) ** random();
}

/** The end of an attempt. */
export type Ending = 'works' | 'fails' | 'dies' | 'hangs';

/** The end of an attempt that the fault may befall, as far as the fault decides. */
export function endingOf({ kind, share }: Fault, isBefallen: boolean, random: Random): Ending {
  if (!isBefallen || kind === 'nothing' || !(share === 1 || chance(random, share))) return 'works';
  if (kind.endsWith('refuses') || kind.endsWith('refused')) return 'dies';
  return kind === 'attempts hang' ? 'hangs' : 'fails';
}

export function isOfOne({ kind }: Fault): boolean {
  return kind.startsWith('one ');
}
