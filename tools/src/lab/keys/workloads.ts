import type { Random } from 'dynamo-backlog/engine';
import { type Arrival, burst, inOrder, steady } from './arrivals.js';
import { zipf } from './zipf.js';

/** Records of quiet keys, whose delays are measured, and of noisy ones. Both in the order of their times. */
export interface Workload {
  readonly quiet: readonly Arrival[];
  readonly noise: readonly Arrival[];
  /** Quiet keys put records only while noisy ones wait for their first attempts. Default: all of them are put. */
  readonly stopsWithNoise?: true;
  /** The destination of the noisy keys does not answer: attempts last until their time limit, and fail. */
  readonly hangs?: true;
  /** Milliseconds of an attempt of a noisy key. Default: those of any other. */
  readonly noisyAttemptMs?: number;
  /** Seconds after which the play ends, whatever waits then. */
  readonly seconds: number;
}

/** The parts that a workload is made of. */
export interface Making {
  /**
   * The part of the noisy records that comes. They come as fast as in full, for a part of the time. What attempts them, and the
   * rate of the quiet keys, stay as they are. So all delays behind a pile are this part of those in full.
   */
  readonly scale: number;
  /** Records a second that the queue sustains: `zipf` has nine tenths of it. */
  readonly capacity: number;
  readonly random: Random;
  /** Figures in place of the workload's own. */
  readonly figures?: Partial<NoiseFigures> | undefined;
}

/** Noisy keys, which put all their records in a short time, beside quiet ones. */
export interface NoiseFigures {
  readonly noisyKeys: number;
  readonly recordsEach: number;
  readonly withinMs: number;
  readonly quietKeys: number;
}

interface WorkloadKind {
  readonly make: (making: Making) => Workload;
  /** One line, with the figures at that scale. */
  readonly text: (making: Pick<Making, 'scale' | 'figures'>) => string;
  /** The part of the noisy records that two plays on a slow machine take within about ten seconds. */
  readonly defaultScale: number;
  /** The figures that others may replace. Missing: it has only its own. */
  readonly figures?: NoiseFigures;
}

/** Records a second that a queue sustains today, as `capacityOf` in test/keys finds it. */
export const CAPACITY = 95;

/** Time in which quiet keys alone put records, before the noise. */
export const LEAD_MS = 20_000;
const MINUTE_MS = 60_000;

/** Each quiet key puts a record every ten minutes. */
const QUIET_EVERY_MS = 600_000;

const ZIPF = { keys: 2_000, exponent: 1.1, seconds: 1_800, noisy: 100, load: 0.9 };
const LARGE = { records: 50_000, small: 100 };
const UNEQUAL = { records: 100_000, small: 19, each: 500 };

const SLOW_MS = 28_000;

const ONE_NOISY = { noisyKeys: 1, recordsEach: 100_000, withinMs: MINUTE_MS, quietKeys: 1_000 };
/** A record every two seconds. */
const ONE_STEADY = { noisyKeys: 1, recordsEach: 300, withinMs: 10 * MINUTE_MS, quietKeys: 1_000 };

const HANGS = 'nothing answers the noisy one’s attempts, which last for 30 s';

/** The workloads by their names. */
export const WORKLOADS = {
  'one-noisy': besideQuiet(ONE_NOISY),
  'many-noisy': besideQuiet({ ...ONE_NOISY, noisyKeys: 20, recordsEach: 10_000 }),
  zipf: {
    defaultScale: 0.05,
    make: ({ scale, capacity, random }) => {
      const draw = zipf(ZIPF.keys, ZIPF.exponent, random);
      const seconds = ZIPF.seconds * scale;
      const all = steady(ZIPF.load * capacity, seconds, () => draw(), random);
      const named = all.map(({ at, rank }) => ({ at, rank, key: `rank-${rank}` }));
      const isQuiet = ({ rank }: { readonly rank: number }) => rank >= ZIPF.noisy;
      const noise = named.filter((one) => !isQuiet(one));
      return { quiet: named.filter(isQuiet), noise, seconds: seconds + 600 + 3_000 * scale };
    },
    text: ({ scale }) =>
      `${count(ZIPF.keys)} keys of very different sizes, the ${ZIPF.noisy} largest of them noisy: ` +
      `${count(Math.round(ZIPF.load * CAPACITY))} records a second for ${seconds(1000 * ZIPF.seconds * scale)}`,
  },
  'one-hangs': hanging(besideQuiet(ONE_NOISY)),
  'one-hangs-steadily': steadily(ONE_STEADY, { hangs: true }),
  'one-slow-steadily': steadily(ONE_STEADY, { noisyAttemptMs: SLOW_MS }),
  'large-and-small': {
    defaultScale: 0.1,
    make: ({ scale, random }) => {
      const noise = burst(['big'], LARGE.records * scale, MINUTE_MS * scale, random);
      const quiet = Array.from({ length: LARGE.small }, (_, i) => ({
        at: Math.floor(random() * 10 * noise.length),
        key: `small-${i}`,
      }));
      return { quiet: inOrder(quiet), noise, seconds: limitFor(noise.length) };
    },
    text: ({ scale }) =>
      `1 noisy key with ${count(LARGE.records * scale)} records in ${seconds(MINUTE_MS * scale)}, beside ${LARGE.small} quiet ` +
      `ones with one each in ${seconds(10 * LARGE.records * scale)}`,
  },
  unequal: {
    defaultScale: 0.1,
    make: ({ scale, random }) => {
      const noise = burst(['big'], UNEQUAL.records * scale, MINUTE_MS * scale, random);
      const keys = Array.from({ length: UNEQUAL.small }, (_, i) => `small-${i}`);
      const quiet = burst(keys, UNEQUAL.each * scale, MINUTE_MS * scale, random);
      return { quiet, noise, seconds: limitFor(noise.length) };
    },
    text: ({ scale }) =>
      `1 noisy key with ${count(UNEQUAL.records * scale)} records in ${seconds(MINUTE_MS * scale)}, beside ${UNEQUAL.small} ` +
      `quiet ones with ${count(UNEQUAL.each * scale)} each in the same time`,
  },
} satisfies Readonly<Record<string, WorkloadKind>>;

export type WorkloadName = keyof typeof WORKLOADS;

export const WORKLOAD_NAMES = Object.keys(WORKLOADS) as WorkloadName[];

/** A workload by its name, with all that a kind may have. */
export function workloadKind(name: WorkloadName): WorkloadKind {
  return WORKLOADS[name];
}

/** Keys of equal frequency at a steady rate: to find the capacity. */
export function steadyWorkload(perSecond: number, seconds: number, random: Random): Workload {
  const all = steady(perSecond, seconds, () => Math.floor(random() * 2_000), random);
  return { quiet: all.map(({ at, rank }) => ({ at, key: `any-${rank}` })), noise: [], seconds: seconds + 60 };
}

function besideQuiet(standard: NoiseFigures): WorkloadKind {
  return {
    defaultScale: 0.1,
    make: ({ scale, random, figures }) => {
      const { noisyKeys, recordsEach, withinMs, quietKeys } = { ...standard, ...figures };
      const names = Array.from({ length: noisyKeys }, (_, i) => `noisy-${i}`);
      const noise = burst(names, recordsEach * scale, withinMs * scale, random);
      const seconds = limitFor(noise.length);
      const quiet: Arrival[] = [];
      for (let i = 0; i < quietKeys; i++) {
        const first = Math.floor(random() * QUIET_EVERY_MS) - LEAD_MS;
        for (let at = first; at < seconds * 1000; at += QUIET_EVERY_MS) quiet.push({ at, key: `quiet-${i}` });
      }
      return { quiet: inOrder(quiet), noise, stopsWithNoise: true, seconds };
    },
    text: ({ scale, figures }) => {
      const { noisyKeys, recordsEach, withinMs, quietKeys } = { ...standard, ...figures };
      const records = `${count(recordsEach * scale)} records${noisyKeys === 1 ? '' : ' each'}`;
      return (
        `${keyCount(noisyKeys, 'noisy')} with ${records} in ${seconds(withinMs * scale)}, beside ` +
        `${keyCount(quietKeys, 'quiet')} with a record every ${QUIET_EVERY_MS / MINUTE_MS} min${quietKeys === 1 ? '' : ' each'}`
      );
    },
    figures: standard,
  };
}

/** Few noisy records all the time, whose attempts take long. */
function steadily(standard: NoiseFigures, work: Pick<Workload, 'hangs' | 'noisyAttemptMs'>): WorkloadKind {
  const { make, text } = besideQuiet(standard);
  const { noisyAttemptMs } = work;
  const takes =
    noisyAttemptMs === undefined ? HANGS : `attempts of the noisy one take ${seconds(noisyAttemptMs)}`;
  return {
    defaultScale: 0.5,
    make: (making) => {
      const withinMs = { ...standard, ...making.figures }.withinMs * making.scale;
      const { quiet, noise } = make(making);
      // The last ones have five minutes.
      return {
        ...work,
        noise,
        quiet: quiet.filter(({ at }) => at < withinMs),
        seconds: withinMs / 1000 + 300,
      };
    },
    text: (making) => `${text(making)}; ${takes}`,
    figures: standard,
  };
}

/** The same, but the destination of the noisy keys hangs. */
function hanging({ make, text, ...rest }: WorkloadKind): WorkloadKind {
  return {
    ...rest,
    make: (making) => {
      const seconds = 600 + 3_000 * making.scale;
      const { quiet, noise } = make(making);
      // The last ones have five minutes.
      return { quiet: quiet.filter(({ at }) => at < (seconds - 300) * 1000), noise, hangs: true, seconds };
    },
    text: (making) => `${text(making)}; ${HANGS}`,
  };
}

/** Seconds in which a pile is through, with all retries of its records. */
function limitFor(records: number): number {
  return 900 + records / 25;
}

function keyCount(keys: number, what: string): string {
  return `${count(keys)} ${what} key${keys === 1 ? '' : 's'}`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  return `${value < 1 ? Number(value.toPrecision(2)) : count(value)} s`;
}
