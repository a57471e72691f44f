import type { Random } from 'dynamo-backlog/engine';
import { zipf } from './zipf.js';

/** A record that a producer puts. */
export interface Arrival {
  /** Milliseconds since the noise began; below 0 before that. */
  readonly at: number;
  readonly key: string;
}

/** Records of quiet keys, whose delays are measured, and of noisy ones. Both in the order of their times. */
export interface Workload {
  readonly quiet: readonly Arrival[];
  readonly noise: readonly Arrival[];
  /** Quiet keys put records only while noisy ones wait for their first attempts. Default: all of them are put. */
  readonly stopsWithNoise?: true;
  /** The destination of the noisy keys does not answer: attempts last until their time limit, and fail. */
  readonly hangs?: true;
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
  /** Records a second that the queue sustains: W3 has nine tenths of it. */
  readonly capacity: number;
  readonly random: Random;
}

/** Records a second that a queue sustains today, as `capacityOf` finds it. */
export const CAPACITY = 95;

/** Time in which quiet keys alone put records, before the noise. */
export const LEAD_MS = 20_000;
const MINUTE_MS = 60_000;

/** Quiet keys: a thousand, each with a record every ten minutes. */
const QUIET_KEYS = 1_000;
const QUIET_EVERY_MS = 600_000;

/** The workloads by their names. */
export const WORKLOADS: Readonly<Record<string, (making: Making) => Workload>> = {
  /** One key with 100,000 records in a minute. */
  W1: (making) => besideQuiet(making, 1, 100_000),
  /** Twenty keys with 10,000 records each. */
  W2: (making) => besideQuiet(making, 20, 10_000),
  /** Keys whose frequencies differ by far, at nine tenths of the capacity. Quiet are those of rank 100 and beyond. */
  W3: ({ scale, capacity, random }) => {
    const draw = zipf(2_000, 1.1, random);
    const seconds = 1_800 * scale;
    const all = steady(0.9 * capacity, seconds, () => draw(), random);
    const named = all.map(({ at, key }) => ({ at, rank: key, key: `rank-${key}` }));
    const isQuiet = ({ rank }: { readonly rank: number }) => rank >= 100;
    const noise = named.filter((one) => !isQuiet(one));
    return { quiet: named.filter(isQuiet), noise, seconds: seconds + 600 + 3_000 * scale };
  },
  /** That of W1, and the destination of the noisy key hangs. */
  W4: (making) => {
    const seconds = 600 + 3_000 * making.scale;
    const { quiet, noise } = besideQuiet(making, 1, 100_000);
    // The last ones have five minutes.
    return { quiet: quiet.filter(({ at }) => at < (seconds - 300) * 1000), noise, hangs: true, seconds };
  },
  /** One key with 50,000 records, and a hundred keys with one while it is at work. */
  W5: ({ scale, random }) => {
    const noise = burst(['big'], 50_000 * scale, MINUTE_MS * scale, random);
    const quiet = Array.from({ length: 100 }, (_, i) => ({
      at: Math.floor(random() * 10 * noise.length),
      key: `small-${i}`,
    }));
    return { quiet: inOrder(quiet), noise, seconds: limitFor(noise.length) };
  },
  /** One key with 100,000 records, and nineteen keys with 500 each in the same minute. */
  W7: ({ scale, random }) => {
    const noise = burst(['big'], 100_000 * scale, MINUTE_MS * scale, random);
    const keys = Array.from({ length: 19 }, (_, i) => `small-${i}`);
    const quiet = burst(keys, 500 * scale, MINUTE_MS * scale, random);
    return { quiet, noise, seconds: limitFor(noise.length) };
  },
};

/** Keys of equal frequency at a steady rate: to find the capacity. */
export function steadyWorkload(perSecond: number, seconds: number, random: Random): Workload {
  const all = steady(perSecond, seconds, () => Math.floor(random() * 2_000), random);
  return { quiet: all.map(({ at, key }) => ({ at, key: `any-${key}` })), noise: [], seconds: seconds + 60 };
}

function besideQuiet({ scale, random }: Making, keys: number, each: number): Workload {
  const names = Array.from({ length: keys }, (_, i) => `noisy-${i}`);
  const noise = burst(names, each * scale, MINUTE_MS * scale, random);
  const seconds = limitFor(noise.length);
  const quiet: Arrival[] = [];
  for (let i = 0; i < QUIET_KEYS; i++) {
    const first = Math.floor(random() * QUIET_EVERY_MS) - LEAD_MS;
    for (let at = first; at < seconds * 1000; at += QUIET_EVERY_MS) quiet.push({ at, key: `quiet-${i}` });
  }
  return { quiet: inOrder(quiet), noise, stopsWithNoise: true, seconds };
}

/** All of them within some time, at random. */
function burst(keys: readonly string[], each: number, withinMs: number, random: Random): Arrival[] {
  const all = keys.flatMap((key) =>
    Array.from({ length: Math.round(each) }, () => ({ at: Math.floor(random() * withinMs), key })),
  );
  return inOrder(all);
}

function steady(perSecond: number, seconds: number, key: () => number, random: Random) {
  const all: { at: number; key: number }[] = [];
  for (let at = 0; at < seconds * 1000; at += (-Math.log(1 - random()) * 1000) / perSecond)
    all.push({ at: Math.floor(at), key: key() });
  return all;
}

function inOrder(arrivals: readonly Arrival[]): Arrival[] {
  return arrivals.toSorted((a, b) => a.at - b.at);
}

/** Seconds in which a pile is through, with all retries of its records. */
function limitFor(records: number): number {
  return 900 + records / 25;
}
