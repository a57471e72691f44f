import type { Put } from './attempts.js';
import { isWrite } from './counted-store.js';
import type { Played } from './play.js';

/** Seconds from one event to another, such as from insertion to the first attempt; infinite: it has not come. */
export interface Delays {
  readonly records: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The result of plays of a workload, which differ by their random numbers: of all of them together. */
export interface Report {
  /** The delays of records that quiet keys have put since the noise began. */
  readonly quiet: Delays;
  /** The delays of those that were put before the last noisy record. */
  readonly quietInNoise: Delays;
  /** The part of these that was indexed before its first attempt, and the median seconds from insertion until that. */
  readonly quietIndexed: { readonly part: number; readonly seconds: number };
  /** Seconds from the first attempts of such records to their second ones, as far as these were needed. */
  readonly quietRetries: Delays;
  readonly noisy: Delays;
  /** Seconds from the beginning of the noise to the last first attempt of a noisy record; infinite: one has had none. */
  readonly noisyAttempted: number;
  /** Seconds from there to the last success of a noisy record; infinite: one has had none. */
  readonly noisySucceeded: number;
  /** First attempts a second until the noisy records have had theirs; without noise, until the last one. */
  readonly perSecond: number;
  /** Share of the quiet keys in the first attempts while they have work, as a part of their equal share. */
  readonly share: number;
  /** Writes for each record, by name. */
  readonly writes: Readonly<Record<string, number>>;
  readonly writesPerRecord: number;
  readonly attemptsPerRecord: number;
  /** The most attempts of one key at once. */
  readonly mostOfKey: number;
  /** Invocations of the queue's function in a play, by what has started them. */
  readonly runs: Readonly<Record<string, number>>;
  /** Runs of a play by the reason for which they ended. */
  readonly ends: Readonly<Record<string, number>>;
  /** Lines of the log of a play, at WARN and ERROR. */
  readonly lines: Readonly<Record<string, number>>;
  /** CPU time of a play. */
  readonly cpuSeconds: number;
}

const NEVER = Number.POSITIVE_INFINITY;

export function reportOf(plays: readonly Played[]): Report {
  const all = plays.flatMap(({ attempts }) => attempts.puts.size).reduce(sum, 0);
  const noisy = plays.flatMap((played) => putsOf(played, false));
  const quiet = plays.flatMap((played) => putsOf(played, true));
  const quietInNoise = plays.flatMap((played) => {
    const last = Math.max(
      played.zero,
      ...putsOf(played, false)
        .slice(-1)
        .map(({ at }) => at),
    );
    return putsOf(played, true).filter(({ at }) => at <= last);
  });
  const mean = (counts: (played: Played) => ReadonlyMap<string, number>, divisor: number, digits: number) =>
    together(plays.map(counts), (total) => round(total / divisor, digits));
  const writes = mean(({ calls }) => new Map([...calls].filter(([name]) => isWrite(name))), all, 3);
  const [quietShare, ideal] = plays
    .map(({ attempts: { shared } }) => [shared.quiet, shared.ideal] as const)
    .reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  const last = (time: (put: Put) => number | undefined) =>
    Math.max(...plays.map((played) => lastOf(played, putsOf(played, false), time)));
  return {
    quiet: delaysOf(quiet),
    quietInNoise: delaysOf(quietInNoise),
    quietIndexed: indexedOf(quietInNoise),
    quietRetries: retriesOf(quiet),
    noisy: delaysOf(noisy),
    noisyAttempted: last(({ firstAttemptAt }) => firstAttemptAt),
    noisySucceeded: last(({ succeededAt }) => succeededAt),
    perSecond: round(plays.map(rateOf).reduce(sum, 0) / plays.length, 1),
    share: round(quietShare / ideal, 3),
    writes,
    writesPerRecord: round(Object.values(writes).reduce(sum, 0), 3),
    mostOfKey: Math.max(...plays.map(({ attempts }) => attempts.mostOfKey)),
    attemptsPerRecord: round(plays.map(({ attempts }) => attempts.made).reduce(sum, 0) / all, 3),
    runs: mean(({ runs }) => new Map(Object.entries(runs)), plays.length, 0),
    ends: mean(({ ends }) => ends, plays.length, 0),
    lines: mean(({ lines }) => lines, plays.length, 0),
    cpuSeconds: round(plays.map(({ cpuSeconds }) => cpuSeconds).reduce(sum, 0) / plays.length, 1),
  };
}

/** Records that were put since the noise began, in their order. */
function putsOf({ attempts, zero }: Played, isQuiet: boolean): Put[] {
  return [...attempts.puts.values()].filter((put) => put.at >= zero && put.isQuiet === isQuiet);
}

/** First attempts a second, until all noisy records have had theirs or the play is over. */
function rateOf(played: Played): number {
  const { zero, endedAt } = played;
  const [quiet, noisy] = [putsOf(played, true), putsOf(played, false)];
  const first = ({ firstAttemptAt }: Put) => firstAttemptAt;
  const seconds = Math.min(lastOf(played, noisy.length > 0 ? noisy : quiet, first), (endedAt - zero) / 1000);
  const isBegun = ({ firstAttemptAt = NEVER }: Put) => firstAttemptAt <= zero + seconds * 1000;
  return [...quiet, ...noisy].filter(isBegun).length / seconds;
}

/** Seconds from the beginning of the noise to the last of some times. */
function lastOf({ zero }: Played, puts: readonly Put[], time: (put: Put) => number | undefined): number {
  const latest = puts.reduce((last, put) => Math.max(last, time(put) ?? NEVER), zero);
  return (latest - zero) / 1000;
}

function delaysOf(puts: readonly Put[]): Delays {
  return ofSeconds(puts.map(({ at, firstAttemptAt = NEVER }) => (firstAttemptAt - at) / 1000));
}

function retriesOf(puts: readonly Put[]): Delays {
  const seconds = puts.flatMap(({ firstAttemptAt = NEVER, secondAttemptAt = NEVER, succeededAt }) => {
    const isRetried =
      Number.isFinite(firstAttemptAt) && (Number.isFinite(secondAttemptAt) || succeededAt === undefined);
    return isRetried ? [(secondAttemptAt - firstAttemptAt) / 1000] : [];
  });
  return ofSeconds(seconds);
}

function ofSeconds(seconds: readonly number[]): Delays {
  const delays = inOrder(seconds);
  return {
    records: delays.length,
    p50: percentile(delays, 0.5),
    p95: percentile(delays, 0.95),
    p99: percentile(delays, 0.99),
    max: percentile(delays, 1),
  };
}

function indexedOf(puts: readonly Put[]) {
  const times = puts.flatMap(({ at, indexedAt }) => (indexedAt === undefined ? [] : (indexedAt - at) / 1000));
  return { part: round(times.length / puts.length, 3), seconds: percentile(inOrder(times), 0.5) };
}

function inOrder(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

function percentile(sorted: Float64Array, part: number): number {
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}

function together(
  counts: readonly ReadonlyMap<string, number>[],
  divided: (total: number) => number,
): Record<string, number> {
  const names = new Set(counts.flatMap((each) => [...each.keys()]));
  return Object.fromEntries(
    [...names].map((name) => [name, divided(counts.map((each) => each.get(name) ?? 0).reduce(sum, 0))]),
  );
}

function sum(one: number, other: number): number {
  return one + other;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
