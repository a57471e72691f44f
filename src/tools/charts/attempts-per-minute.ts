import * as Plot from '@observablehq/plot';
import type { MinuteOfAttempts } from '../lab/attempt-log.js';
import { type Panel, panel, timeUnitFor } from './plot.js';

/** What a simulation under one policy came to. */
export interface MinuteRow {
  readonly name: string;
  /** Minutes without an attempt are left out. */
  readonly perMinute: readonly MinuteOfAttempts[];
}

interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Bar {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly attempts: number;
  readonly succeeded: number;
}

/** The drawn time, in terms of that of the last success. */
const TAIL = 1.5;
/** A single bar as wide as the picture would look like a mistake. */
const LEAST_MINUTES = 10;
/** More would be narrower than a pixel and a half. */
const MAX_BARS = 500;
/** Where the highest bar is so many times the median one, a linear scale would show nothing else. */
const MAX_LINEAR_RATIO = 8;

/** Attempts per minute over the scenario's time, one row per policy, on one scale. */
export function attemptsPerMinute(rows: readonly MinuteRow[], outage: Outage | undefined): Panel[] {
  const minutes = tellingMinutes(rows, outage);
  const perBar = Math.ceil(minutes / MAX_BARS);
  const unit = timeUnitFor(minutes * 60);
  const bars = rows.flatMap((row) => barsOf(row, { minutes, perBar, unit: unit.seconds }));
  const peak = Math.max(1, ...bars.map(({ attempts }) => attempts));
  const isRoot = peak > MAX_LINEAR_RATIO * medianOf(bars.map(({ attempts }) => attempts));
  const scale = isRoot ? ' (square-root scale)' : '';
  const measure =
    perBar === 1 ? 'attempts per minute' : `attempts per minute, the most of every ${perBar} minutes`;
  const end = (minutes * 60) / unit.seconds;
  const shade = outage && {
    from: outage.fromMs / 1000 / unit.seconds,
    to: outage.toMs / 1000 / unit.seconds,
  };
  return [
    barLegend(outage !== undefined),
    panel({
      height: 98 + 150 * rows.length,
      marginTop: 30,
      marginBottom: 54,
      x: { label: `time since the start, in ${unit.name}`, labelAnchor: 'center', domain: [0, end] },
      y: {
        label: `${measure}${scale}`,
        type: isRoot ? 'sqrt' : 'linear',
        domain: [0, peak],
        ticks: 4,
        grid: true,
      },
      fy: { axis: null, domain: rows.map(({ name }) => name), padding: 0.24 },
      marks: [
        ...(shade ? [Plot.rect([shade], { x1: 'from', x2: 'to', fill: OUTAGE })] : []),
        Plot.rectY(bars, {
          x1: 'from',
          x2: 'to',
          y1: 0,
          y2: 'attempts',
          fy: 'name',
          fill: FAILED,
          insetRight: 0,
        }),
        Plot.rectY(bars, { x1: 'from', x2: 'to', y1: 0, y2: 'succeeded', fy: 'name', fill: SUCCEEDED }),
        Plot.ruleY([0]),
        Plot.text(rows, { fy: 'name', text: 'name', frameAnchor: 'top-right', dy: -15, fontWeight: 'bold' }),
      ],
    }),
  ];
}

const OUTAGE = '#e4e4e4';
const FAILED = '#E69F00';
const SUCCEEDED = '#004B78';

/**
 * How many minutes are drawn: a while beyond the outage and the last success. Behind that only those are attempted
 * that never succeed, for months.
 */
export function tellingMinutes(rows: readonly MinuteRow[], outage: Outage | undefined): number {
  const minutes = rows.flatMap(({ perMinute }) => perMinute);
  const all = 1 + Math.max(0, ...rows.map(({ perMinute }) => perMinute.at(-1)?.minute ?? 0));
  const successes = minutes
    .filter(({ attempts, wasted }) => attempts > wasted)
    .map(({ minute }) => minute + 1);
  const outageEnd = Math.ceil((outage?.toMs ?? 0) / 60_000);
  const lastSuccess = successes.reduce((a, b) => Math.max(a, b), 0);
  const telling = lastSuccess === 0 ? all : Math.ceil(TAIL * Math.max(lastSuccess, outageEnd));
  return Math.max(LEAST_MINUTES, outageEnd, Math.min(all, telling));
}

/** Each bar is the busiest minute of those that it stands for. */
function barsOf(
  { name, perMinute }: MinuteRow,
  { minutes, perBar, unit }: { minutes: number; perBar: number; unit: number },
): Bar[] {
  const busiest = new Map<number, MinuteOfAttempts>();
  for (const minute of perMinute) {
    if (minute.minute >= minutes) break;
    const bar = Math.floor(minute.minute / perBar);
    if (minute.attempts > (busiest.get(bar)?.attempts ?? 0)) busiest.set(bar, minute);
  }
  const at = (bar: number) => (bar * perBar * 60) / unit;
  return [...busiest].map(([bar, { attempts, wasted }]) => ({
    name,
    from: at(bar),
    to: at(bar + 1),
    attempts,
    succeeded: attempts - wasted,
  }));
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 1;
}

function barLegend(hasOutage: boolean): Panel {
  const entries = [
    { x: 0, color: SUCCEEDED, text: 'succeeded' },
    { x: 1, color: FAILED, text: 'failed (on top, up to the height of all)' },
    ...(hasOutage ? [{ x: 3, color: OUTAGE, text: 'outage' }] : []),
  ];
  return panel({
    height: 30,
    marginTop: 4,
    marginBottom: 8,
    x: { axis: null, domain: [0, 6] },
    y: { axis: null },
    marks: [
      Plot.dot(entries, { x: 'x', symbol: 'square', fill: 'color', r: 6, frameAnchor: 'left' }),
      Plot.text(entries, { x: 'x', text: 'text', textAnchor: 'start', dx: 12, frameAnchor: 'left' }),
    ],
  });
}
