import * as Plot from '@observablehq/plot';
import type { ScheduleRow } from '../lab/schedule-of.js';
import { type EndLabel, endLabels, LABEL_HEIGHT, LEADER, MAX_LABEL_WIDTH } from './end-labels.js';
import { BACKGROUND, curveStyle, FONT_SIZE, INK, MARGIN, type Panel, panel } from './plot.js';
import { BOLD, shortened, textWidth } from './text.js';
import { linearTicks, namedTicks, type TimeTick } from './time-axis.js';
import { AXIS_HEIGHT, TICKS_WIDTH, timeAxis } from './time-axis-marks.js';

/** A policy's waits under the name that the picture calls it by. */
export interface Curve {
  readonly name: string;
  readonly rows: readonly ScheduleRow[];
}

/** The highest ratio of the longest wait to a curve's middle for a linear scale: beyond it, the curve would lie on the axis. */
const MAX_LINEAR_RATIO = 30;
/** The shortest wait on a logarithmic scale, which has no zero. */
const MIN_LOG_SECONDS = 1;
/** Failures that the curves show. */
export const CURVE_FAILURES = 20;
/** Least failures that a chart has room for. */
const MIN_FAILURES = 4;
const HEIGHT = 300;
/** Room above the highest tick, whose text would be cut otherwise. */
const TOP = 14;

/** An axis of waits: linear from nothing on, or logarithmic. */
interface WaitScale {
  readonly isLog: boolean;
  readonly domain: readonly [number, number];
  readonly shown: (seconds: number) => number;
  readonly ticks: readonly TimeTick[];
}

/** The wait over the number of failures, with the least and the greatest as a band. */
export function scheduleCurves(curves: readonly Curve[]): Panel {
  const styled = curves.map(({ name, rows }, i) => ({
    name,
    ...curveStyle(i),
    points: rows.slice(0, CURVE_FAILURES).map((row) => ({
      failures: row.failures,
      seconds: row.waitSeconds,
      least: row.minSeconds,
      most: row.maxSeconds,
    })),
  }));
  const all = styled.flatMap(({ points }) => points);
  if (all.length === 0) return NEVER;
  const { isLog, domain, shown, ticks } = waitScale(all, middlesOf(styled));
  const labels = styled.flatMap((curve) => labelsOf(curve, shown, curves.length > 1));
  const labelWidth = Math.max(0, ...labels.map(({ text }) => LEADER + BOLD * textWidth(text, FONT_SIZE)));
  const end = Math.max(MIN_FAILURES, ...all.map(({ failures }) => failures));
  return panel({
    height: Math.max(HEIGHT, labels.length * LABEL_HEIGHT) + TOP + AXIS_HEIGHT,
    marginLeft: TICKS_WIDTH,
    marginRight: labelWidth + MARGIN,
    marginTop: TOP,
    marginBottom: AXIS_HEIGHT,
    x: { domain: [isLog ? 1 : 0, end] },
    y: { domain: [...domain] },
    marks: [
      ...timeAxis('y', ticks, shown),
      Plot.axisX({
        ticks: wholeTicks(end).filter((tick) => tick > 0 || !isLog),
        tickFormat: String,
        label: 'failures so far',
        labelAnchor: 'center',
        labelArrow: 'none',
        labelOffset: 44,
        tickSize: 5,
      }),
      ...styled.flatMap(({ points: after, color, symbol }) => {
        // The first attempt waits for nothing: there the plot begins.
        const points = isLog || after.length === 0 ? after : [START, ...after];
        return [
          Plot.areaY(points, {
            x: 'failures',
            y1: (p) => shown(p.least),
            y2: (p) => shown(p.most),
            fill: color,
            fillOpacity: curves.length > 1 ? 0.1 : 0.2,
          }),
          Plot.lineY(points, { x: 'failures', y: (p) => shown(p.seconds), stroke: color, strokeWidth: 2 }),
          Plot.dot(points, {
            x: 'failures',
            y: (p) => shown(p.seconds),
            symbol,
            stroke: color,
            fill: BACKGROUND,
            strokeWidth: 1.8,
            r: 3.6,
          }),
        ];
      }),
      endLabels(labels),
    ],
  });
}

const START = { failures: 0, seconds: 0, least: 0, most: 0 };

const NEVER = panel({
  height: 40,
  marks: [Plot.text(['never tried again'], { frameAnchor: 'left', fill: INK })],
});

type Point = typeof START;

interface StyledCurve {
  readonly name: string;
  readonly color: string;
  readonly points: readonly Point[];
}

function middlesOf(curves: readonly StyledCurve[]): number[] {
  return curves.flatMap(({ points }) => points[Math.floor(points.length / 2)]?.seconds ?? []);
}

function waitScale(points: readonly Point[], middles: readonly number[]): WaitScale {
  const most = Math.max(...points.map((point) => point.most));
  const longest = Math.max(...points.map(({ seconds }) => seconds));
  if (longest <= MAX_LINEAR_RATIO * Math.min(...middles)) {
    const ticks = linearTicks(most, 6, true);
    const end = ticks.at(-1)?.seconds ?? most;
    return { isLog: false, domain: [0, end], shown: (seconds) => seconds, ticks };
  }
  const least = Math.max(MIN_LOG_SECONDS, Math.min(...points.map((point) => point.least)));
  const shown = (seconds: number) => Math.log(Math.max(seconds, least));
  return { isLog: true, domain: [shown(least), shown(most)], shown, ticks: namedTicks(least, most) };
}

/** The name of each of several; of one alone its range, if it has one. */
function labelsOf(
  { name, color, points }: StyledCurve,
  shown: (seconds: number) => number,
  isOneOfMany: boolean,
): EndLabel[] {
  const last = points.at(-1);
  if (!last) return [];
  const label = (text: string, seconds: number) => ({ text, color, x: last.failures, y: shown(seconds) });
  if (isOneOfMany) return [label(shortened(name, MAX_LABEL_WIDTH, FONT_SIZE), last.seconds)];
  if (last.least === last.most) return [];
  return [label('longest', last.most), label('middle', last.seconds), label('shortest', last.least)];
}

/** Whole numbers from 0 on, ten at most. */
function wholeTicks(end: number): number[] {
  const step = Math.ceil(end / 10);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}
