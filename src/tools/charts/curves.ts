import * as Plot from '@observablehq/plot';
import type { ScheduleRow } from '../lab/schedule-of.js';
import { COLORS, legend, type Panel, panel, SYMBOLS, timeUnitFor } from './plot.js';

/** A policy's waits under the name that the picture calls it by. */
export interface Curve {
  readonly name: string;
  readonly rows: readonly ScheduleRow[];
}

/** A curve whose middle is so many times below the longest wait would lie on the axis of a linear scale. */
const MAX_LINEAR_RATIO = 30;
/** A logarithm knows no nothing. */
const LEAST_LOG_SECONDS = 1;
/** Failures that the curves show. */
export const CURVE_FAILURES = 20;

/** The wait over the number of failures, with the least and the greatest as a band. */
export function scheduleCurves(curves: readonly Curve[]): Panel[] {
  const styled = curves.map((curve, i) => ({
    ...curve,
    color: COLORS[i % COLORS.length] ?? 'black',
    symbol: SYMBOLS[i % SYMBOLS.length] ?? 'circle',
    points: curve.rows.slice(0, CURVE_FAILURES).map((row) => ({
      failures: row.failures,
      seconds: row.waitSeconds,
      least: row.minSeconds,
      most: row.maxSeconds,
    })),
  }));
  const all = styled.flatMap(({ points }) => points);
  if (all.length === 0) return [legend(styled), NEVER];
  const middles = styled.flatMap(({ points }) => points[Math.floor(points.length / 2)]?.seconds ?? []);
  const longest = Math.max(...all.map(({ seconds }) => seconds));
  const isLog = longest > MAX_LINEAR_RATIO * Math.min(...middles);
  const unit = timeUnitFor(longest);
  const shown = (wait: number) =>
    isLog ? Math.log10(Math.max(wait, LEAST_LOG_SECONDS)) : wait / unit.seconds;
  const ticks = logTicks(Math.min(...all.map(({ least }) => least)), longest);
  const drawn = panel({
    height: 344,
    marginBottom: 60,
    x: {
      label: 'failures so far',
      domain: [0, CURVE_FAILURES],
      ticks: CURVE_FAILURES / 2,
      labelAnchor: 'center',
    },
    y: {
      label: isLog ? 'wait (logarithmic scale)' : `wait in ${unit.name}`,
      grid: true,
      // Plot's own logarithmic scale labels powers of ten alone.
      ...(isLog ? { ticks: ticks.map(shown), tickFormat: logTick } : { zero: true, nice: true }),
    },
    marks: [
      Plot.ruleY(isLog ? [] : [0]),
      ...styled.flatMap(({ points: after, color, symbol }) => {
        // The first attempt waits for nothing: there the plot begins.
        const points = isLog || after.length === 0 ? after : [START, ...after];
        return [
          Plot.areaY(points, {
            x: 'failures',
            y1: (p) => shown(p.least),
            y2: (p) => shown(p.most),
            fill: color,
            fillOpacity: 0.16,
          }),
          Plot.lineY(points, { x: 'failures', y: (p) => shown(p.seconds), stroke: color, strokeWidth: 1.8 }),
          Plot.dot(points, {
            x: 'failures',
            y: (p) => shown(p.seconds),
            symbol,
            stroke: color,
            fill: 'white',
            strokeWidth: 1.6,
            r: 3.6,
          }),
        ];
      }),
    ],
  });
  return [legend(styled), drawn];
}

const START = { failures: 0, seconds: 0, least: 0, most: 0 };

const NEVER = panel({
  height: 60,
  axis: null,
  marks: [Plot.text(['never tried again'], { frameAnchor: 'left' })],
});

/** What people call these times. */
const LOG_TICKS: ReadonlyMap<number, string> = new Map([
  [1, '1 s'],
  [10, '10 s'],
  [60, '1 min'],
  [600, '10 min'],
  [3_600, '1 h'],
  [36_000, '10 h'],
  [345_600, '4 d'],
  [3_456_000, '40 d'],
  [31_536_000, '1 y'],
]);

/** Within the waits: a tick beyond them would stand in the axis' title, or below the other axis. */
function logTicks(least: number, longest: number): number[] {
  const first = Math.max(LEAST_LOG_SECONDS, least);
  return [...LOG_TICKS.keys()].filter((tick) => first <= tick && tick <= longest);
}

function logTick(logarithm: number): string {
  return LOG_TICKS.get(Math.round(10 ** logarithm)) ?? '';
}
