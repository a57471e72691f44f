import { readEmf } from './emf.js';

/** Milliseconds since 1970, or a date. */
export type Time = number | Date;

export function milliseconds(time: Time): number {
  return Number(time);
}

/** CloudWatch takes every combination of these for a metric of its own. */
export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions?: Readonly<Record<string, string>> | undefined;
}

export type MetricPut = MetricId & {
  readonly unit?: string | undefined;
  readonly at: Time;
} & ({ readonly value: number } | { readonly values: readonly number[] });

export interface MetricQuery extends MetricId {
  /** Only what was put with it. Absent: whatever its unit. */
  readonly unit?: string | undefined;
  /** Sum, Average, Minimum, Maximum, SampleCount, or p0 to p100. */
  readonly statistic: string;
  /** Seconds. */
  readonly period: number;
}

/** The value of one period, if it has data. */
export type Point = number | undefined;

interface Sample {
  readonly at: number;
  readonly value: number;
  readonly unit: string;
}

/** The data points of metrics. */
export class MetricData {
  readonly #metrics = new Map<string, Samples>();
  readonly #periods = new WeakMap<MetricQuery, Periods>();
  readonly #kept: ReadonlyMap<string, number> | undefined;

  /** @param kept milliseconds for which the data of a metric are kept, by its `metricKey`; others are dropped. Default: all, permanently */
  constructor(kept?: ReadonlyMap<string, number>) {
    this.#kept = kept;
  }

  put(put: MetricPut): void {
    if (this.#kept && !this.#kept.has(metricKey(put))) return;
    const samples = this.#samplesOf(put);
    const at = milliseconds(put.at);
    if (!Number.isFinite(at)) throw new RangeError(`metric ${put.name}: expected a time, got ${put.at}`);
    for (const value of 'values' in put ? put.values : [put.value]) {
      if (!Number.isFinite(value)) {
        throw new RangeError(`metric ${put.name}: expected a finite number, got ${value}`);
      }
      samples.add({ at, value, unit: put.unit ?? 'None' });
    }
  }

  /**
   * Stores the metrics of a line in the embedded metric format, at its own timestamp unless told otherwise. Says how many:
   * a line that is not in this format has none.
   */
  putEmf(line: string, at?: Time): number {
    const puts = readEmf(line);
    for (const put of puts) this.put(at === undefined ? put : { ...put, at });
    return puts.length;
  }

  /** The value of the period that ends before `end` (milliseconds), which need not be a multiple of the period. */
  valueBefore(query: MetricQuery, end: number): Point {
    let periods = this.#periods.get(query);
    if (!periods) {
      periods = new Periods(this.#samplesOf(query), query);
      this.#periods.set(query, periods);
    }
    return periods.valueBefore(end);
  }

  /** All periods from one time to another; they start at multiples of their length, as on a dashboard. */
  alignedPeriods(query: MetricQuery, from: Time, until: Time): { start: number; value: Point }[] {
    const length = query.period * 1000;
    const found: { start: number; value: Point }[] = [];
    for (
      let start = Math.floor(milliseconds(from) / length) * length;
      start < milliseconds(until);
      start += length
    ) {
      found.push({ start, value: this.valueBefore(query, start + length) });
    }
    return found;
  }

  /** When its first data point was put, if there is any. */
  firstAt(metric: MetricId): number | undefined {
    return this.#samplesOf(metric).firstAt();
  }

  /** The metrics that have data, to be read by people. */
  names(): string[] {
    return [...this.#metrics].filter(([, samples]) => samples.size > 0).map(([key]) => key);
  }

  #samplesOf(metric: MetricId): Samples {
    const key = metricKey(metric);
    let samples = this.#metrics.get(key);
    if (!samples) {
      samples = new Samples(this.#kept?.get(key));
      this.#metrics.set(key, samples);
    }
    return samples;
  }
}

/** The same for the same metric. No name has a line break. */
export function metricKey({ namespace, name, dimensions = {} }: MetricId): string {
  let key = `${namespace}\n${name}`;
  for (const dimension of Object.keys(dimensions).sort()) key += `\n${dimension}=${dimensions[dimension]}`;
  return key;
}

class Samples {
  #samples: Sample[] = [];
  #sorted = true;
  /** Another one after each change. */
  version = 0;

  constructor(private readonly keptMs = Number.POSITIVE_INFINITY) {}

  get size(): number {
    return this.#samples.length;
  }

  add(sample: Sample): void {
    this.#sorted &&= sample.at >= (this.#samples.at(-1)?.at ?? sample.at);
    this.#samples.push(sample);
    this.version++;
    // Not at each one: it would copy them all.
    const oldest = sample.at - this.keptMs;
    if ((this.#samples[0]?.at ?? oldest) < oldest - this.keptMs)
      this.#samples = this.#samples.filter(({ at }) => at >= oldest);
  }

  firstAt(): number | undefined {
    this.#sort();
    return this.#samples[0]?.at;
  }

  valuesBetween(from: number, until: number, unit: string | undefined): number[] {
    this.#sort();
    const values: number[] = [];
    for (let index = this.#indexAt(from); index < this.#samples.length; index++) {
      const sample = this.#samples[index];
      if (!sample || sample.at >= until) break;
      if (unit === undefined || sample.unit === unit) values.push(sample.value);
    }
    return values;
  }

  /** The index of the first sample that is not earlier. */
  #indexAt(time: number): number {
    let low = 0;
    let high = this.#samples.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#samples[middle]?.at ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sort(): void {
    if (this.#sorted) return;
    this.#samples.sort((a, b) => a.at - b.at);
    this.#sorted = true;
  }
}

const MAX_KNOWN = 10_000;

/** The values of one metric by period and statistic. An alarm asks for each of them several times. */
class Periods {
  readonly #samples: Samples;
  readonly #query: MetricQuery;
  readonly #statistic: Statistic;
  readonly #known = new Map<number, Point>();
  #version = 0;

  constructor(samples: Samples, query: MetricQuery) {
    this.#samples = samples;
    this.#query = query;
    this.#statistic = statisticOf(query.statistic);
  }

  valueBefore(end: number): Point {
    if (this.#samples.size === 0) return undefined;
    if (this.#version !== this.#samples.version || this.#known.size > MAX_KNOWN) {
      this.#known.clear();
      this.#version = this.#samples.version;
    }
    const known = this.#known.get(end);
    if (known !== undefined || this.#known.has(end)) return known;
    const { period, unit } = this.#query;
    const values = this.#samples.valuesBetween(end - period * 1000, end, unit);
    const value = values.length === 0 ? undefined : this.#statistic(values);
    this.#known.set(end, value);
    return value;
  }
}

type Statistic = (values: readonly number[]) => number;

const sum: Statistic = (values) => values.reduce((total, value) => total + value, 0);

const STATISTICS: Readonly<Record<string, Statistic>> = {
  Sum: sum,
  Average: (values) => sum(values) / values.length,
  Minimum: (values) => values.reduce((least, value) => Math.min(least, value)),
  Maximum: (values) => values.reduce((most, value) => Math.max(most, value)),
  SampleCount: (values) => values.length,
};

/** Throws for a statistic that is not known here. */
export function statisticOf(name: string): Statistic {
  const known = STATISTICS[name];
  if (known) return known;
  const percent = /^p(\d+(?:\.\d+)?)$/.exec(name)?.[1];
  if (percent === undefined || Number(percent) > 100) throw new Error(`unknown statistic "${name}"`);
  return (values) => percentile(values, Number(percent));
}

/** The nearest rank: a value that was put. CloudWatch's own comes from a histogram and is close to it. */
function percentile(values: readonly number[], percent: number): number {
  const ranked = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * ranked.length));
  return ranked[rank - 1] ?? Number.NaN;
}
