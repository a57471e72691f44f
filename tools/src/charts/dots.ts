import * as Plot from '@observablehq/plot';
import { type ResolvedPolicy, seededRandom } from 'dynamo-backlog/engine';
import { retryTimes } from '../lab/retry-times.js';
import { INK, MARGIN, MUTED, type Panel, panel, type Section } from './plot.js';
import { RETRY_COLORS } from './theme.js';
import { AXIS_HEIGHT, horizontalTime } from './time-axis-marks.js';

/** A policy under the name that the picture calls it by. */
export interface DotRow {
  readonly name: string;
  /** A text about it, beside the name. */
  readonly text: string;
  readonly policy: ResolvedPolicy;
}

const DOT_RECORDS = 100;
const RETRIES = 10;
/** The least number of retries that every policy shows. */
const MIN_RETRIES = 2;
const ROW_HEIGHT = 84;

/** The pen with which Plot draws a path. */
interface Pen {
  moveTo(x: number, y: number): void;
  closePath(): void;
}

interface Dot {
  readonly record: number;
  readonly retry: number;
  readonly seconds: number;
}

/**
 * 100 records that fail at the same moment and ever after: one dot per retry, one row per policy. Ends
 * with the tenth retry of the quickest policy, but not before the second of the slowest.
 */
export function dotChart(rows: readonly DotRow[], seed: number): Section[] {
  const drawn = rows.map(({ policy }) => dotsOf(policy, seed));
  if (drawn.flat().length === 0) return [];
  const horizon = horizonOf(drawn);
  return [
    {
      heading: `${DOT_RECORDS} records that fail at the same moment, and at every retry`,
      text: 'A row of dots for each record. Colour: number of the retry.',
      panel: retryLegend(Math.max(...drawn.flat().map(({ retry }) => retry))),
    },
    ...rows.map(({ name, text }, i) => ({
      ...(rows.length > 1 ? { heading: name, aside: text } : { text }),
      panel: dotRow(drawn[i] ?? [], horizon, i === rows.length - 1),
    })),
  ];
}

function dotRow(dots: readonly Dot[], horizon: number, isLast: boolean): Panel {
  const shown = dots.filter(({ seconds }) => seconds <= horizon);
  const marginBottom = isLast ? AXIS_HEIGHT : 8;
  return panel({
    height: ROW_HEIGHT + 6 + marginBottom,
    marginTop: 6,
    marginBottom,
    x: { domain: [0, horizon] },
    y: { domain: [-2, DOT_RECORDS + 1], reverse: true },
    marks: [
      ...horizontalTime(horizon, isLast ? 'time since the failure' : undefined),
      Plot.frame({ stroke: MUTED, strokeOpacity: 0.5 }),
      // A mark for each retry: its colour is written once.
      ...RETRY_COLORS.map(([stroke], i) =>
        Plot.line(
          shown.filter(({ retry }) => retry === i + 1),
          {
            x: 'seconds',
            y: 'record',
            stroke,
            strokeWidth: 3.4,
            strokeLinecap: 'round',
            curve: roundDots,
          },
        ),
      ),
    ],
  });
}

/** A dot at each point: a path of nothing but round ends takes a third of what a thousand circles take. */
const roundDots: Plot.CurveFunction = (path: Pen) => ({
  areaStart() {},
  areaEnd() {},
  lineStart() {},
  lineEnd() {},
  point(x: number, y: number) {
    path.moveTo(x, y);
    path.closePath();
  },
});

function dotsOf(policy: ResolvedPolicy, seed: number): Dot[] {
  const random = seededRandom(seed);
  return Array.from({ length: DOT_RECORDS }, (_, record) =>
    retryTimes(policy, { id: `order-${record + 1}`, queue: 'default' }, { retries: RETRIES, random }).map(
      (seconds, i) => ({ record, retry: i + 1, seconds }),
    ),
  ).flat();
}

function horizonOf(drawn: readonly (readonly Dot[])[]): number {
  const lasts = (most: number) =>
    drawn.flatMap((dots) => {
      const times = dots.filter(({ retry }) => retry <= most).map(({ seconds }) => seconds);
      return times.length > 0 ? [Math.max(...times)] : [];
    });
  return 1.02 * Math.max(Math.min(...lasts(RETRIES)), Math.max(...lasts(MIN_RETRIES)));
}

function retryLegend(most: number): Panel {
  const entries = RETRY_COLORS.slice(0, most).map(([color], i) => ({ color, x: i, text: String(i + 1) }));
  return panel({
    height: 26,
    marginTop: 2,
    marginBottom: 2,
    marginLeft: MARGIN + 8,
    marginRight: MARGIN + 240,
    x: { domain: [0, RETRY_COLORS.length] },
    marks: [
      Plot.dot(entries, { x: 'x', symbol: 'square', fill: 'color', r: 6 }),
      Plot.text(entries, { x: 'x', text: 'text', textAnchor: 'start', dx: 10, fill: INK }),
    ],
  });
}
