import * as Plot from '@observablehq/plot';
import type { ScheduleRow } from '../lab/schedule-of.js';
import type { Panel } from './layout.js';
import { COLORS, legend, panel, SYMBOLS } from './plot.js';

/** A policy's waits under the name that the picture calls it by. */
export interface Curve {
  readonly name: string;
  readonly rows: readonly ScheduleRow[];
}

/** A curve whose middle is so many times below the longest wait would lie on the axis of a linear scale. */
const MAX_LINEAR_RATIO = 30;
/** A second: a logarithm knows no nothing. */
const LEAST_LOG_HOURS = 1 / 3600;
/** As far as document 000's plot goes. */
export const CURVE_FAILURES = 20;

/** The wait over the number of failures, in hours, with the least and the greatest as a band: document 000's plot. */
export function scheduleCurves(curves: readonly Curve[]): Panel[] {
  const styled = curves.map((curve, i) => ({
    ...curve,
    color: COLORS[i % COLORS.length] ?? 'black',
    symbol: SYMBOLS[i % SYMBOLS.length] ?? 'circle',
    points: curve.rows.slice(0, CURVE_FAILURES).map((row) => ({
      failures: row.failures,
      hours: row.waitSeconds / 3600,
      least: row.minSeconds / 3600,
      most: row.maxSeconds / 3600,
    })),
  }));
  const hours = styled.flatMap(({ points }) => points.map((point) => point.hours));
  const middles = styled.flatMap(({ points }) => points[Math.floor(points.length / 2)]?.hours ?? []);
  const longest = Math.max(...hours);
  const isLog = longest > MAX_LINEAR_RATIO * Math.min(...middles);
  if (hours.length === 0) return [legend(styled), NEVER];
  const shown = (wait: number) => (isLog ? Math.max(wait, LEAST_LOG_HOURS) : wait);
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
      label: isLog ? 'wait in hours (logarithmic scale)' : 'wait in hours',
      grid: true,
      ...(isLog
        ? { type: 'log', ticks: powersOfTen(hours), tickFormat: logTick }
        : { zero: true, nice: true }),
    },
    marks: [
      Plot.ruleY(isLog ? [] : [0]),
      ...styled.flatMap(({ points: after, color, symbol }) => {
        // The first attempt waits for nothing: there document 000's plot begins.
        const points = isLog || after.length === 0 ? after : [START, ...after];
        return [
          Plot.areaY(points, {
            x: 'failures',
            y1: (p) => shown(p.least),
            y2: (p) => shown(p.most),
            fill: color,
            fillOpacity: 0.16,
          }),
          Plot.lineY(points, { x: 'failures', y: (p) => shown(p.hours), stroke: color, strokeWidth: 1.8 }),
          Plot.dot(points, {
            x: 'failures',
            y: (p) => shown(p.hours),
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

const START = { failures: 0, hours: 0, least: 0, most: 0 };

const NEVER = panel({
  height: 60,
  axis: null,
  marks: [Plot.text(['never tried again'], { frameAnchor: 'left' })],
});

/** Within the waits: a tick above them would stand in the axis' title. */
function powersOfTen(hours: readonly number[]): number[] {
  const first = Math.floor(Math.log10(Math.max(LEAST_LOG_HOURS, Math.min(...hours))));
  const last = Math.floor(Math.log10(Math.max(...hours)));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

function logTick(hours: number): string {
  return hours.toLocaleString('en-US', { maximumSignificantDigits: 1, maximumFractionDigits: 6 });
}
