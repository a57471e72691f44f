import * as Plot from '@observablehq/plot';
import type { ResolvedPolicy } from '../../policies/index.js';
import { retryTimes } from '../lab/retry-times.js';
import { seededRandom } from '../lab/seeded-random.js';
import { type Panel, panel, timeUnitFor } from './plot.js';

/** A policy under the name that the picture calls it by. */
export interface DotRow {
  readonly name: string;
  readonly policy: ResolvedPolicy;
}

export const DOT_RECORDS = 100;
const RETRIES = 10;
/** Every policy shows so many retries at least. */
const LEAST_RETRIES = 2;
/** viridis without its lightest part, which is lost on paper. */
const RETRY_COLORS = [
  '#440154',
  '#482878',
  '#3e4989',
  '#31688e',
  '#26828e',
  '#1f9e89',
  '#35b779',
  '#6ece58',
  '#a5db36',
  '#d8c11c',
];

/** What Plot draws a path with. */
interface Pen {
  moveTo(x: number, y: number): void;
  closePath(): void;
}

interface Dot {
  readonly name: string;
  readonly record: number;
  readonly retry: number;
  readonly seconds: number;
}

/**
 * 100 records that fail at the same moment and ever after: one dot per retry, one row per policy. Ends
 * with the tenth retry of the quickest policy, but not before the second of the slowest.
 */
export function dotChart(rows: readonly DotRow[], seed: number): Panel[] {
  const dots = rows.flatMap((row) => dotsOf(row, seed));
  if (dots.length === 0) return [];
  const horizon = horizonOf(rows, dots);
  const unit = timeUnitFor(horizon);
  const shown = dots.filter(({ seconds }) => seconds <= horizon);
  const drawn = panel({
    height: 104 + 96 * rows.length,
    marginTop: 24,
    marginBottom: 54,
    x: {
      label: `time since all ${DOT_RECORDS} records failed, in ${unit.name}`,
      labelAnchor: 'center',
      domain: [0, horizon / unit.seconds],
      grid: true,
    },
    y: { axis: null, domain: [-2, DOT_RECORDS + 1], reverse: true },
    fy: { axis: null, domain: rows.map(({ name }) => name), padding: 0.3 },
    marks: [
      Plot.frame({ stroke: '#bbb' }),
      // A mark for each retry: its colour is written once.
      ...RETRY_COLORS.map((stroke, i) =>
        Plot.line(
          shown.filter(({ retry }) => retry === i + 1),
          {
            x: (dot: Dot) => dot.seconds / unit.seconds,
            y: 'record',
            fy: 'name',
            stroke,
            strokeWidth: 3.4,
            strokeLinecap: 'round',
            curve: roundDots,
          },
        ),
      ),
      Plot.text(rows, {
        fy: 'name',
        text: 'name',
        frameAnchor: 'top-left',
        dy: -16,
        fontWeight: 'bold',
      }),
    ],
  });
  return [retryLegend(), drawn];
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

function dotsOf({ name, policy }: DotRow, seed: number): Dot[] {
  const random = seededRandom(seed);
  return Array.from({ length: DOT_RECORDS }, (_, record) =>
    retryTimes(policy, { id: `order-${record + 1}`, queue: 'default' }, { retries: RETRIES, random }).map(
      (seconds, i) => ({ name, record, retry: i + 1, seconds }),
    ),
  ).flat();
}

function horizonOf(rows: readonly DotRow[], dots: readonly Dot[]): number {
  const lasts = (retry: number) =>
    rows.flatMap(({ name }) => {
      const times = dots
        .filter((dot) => dot.name === name && dot.retry <= retry)
        .map(({ seconds }) => seconds);
      return times.length > 0 ? [Math.max(...times)] : [];
    });
  return 1.02 * Math.max(Math.min(...lasts(RETRIES)), Math.max(...lasts(LEAST_RETRIES)));
}

function retryLegend(): Panel {
  const entries = RETRY_COLORS.map((color, i) => ({ color, retry: i + 1 }));
  return panel({
    height: 46,
    marginTop: 4,
    marginBottom: 22,
    marginRight: 480,
    x: { axis: null, type: 'band', domain: entries.map(({ retry }) => retry) },
    y: { axis: null },
    marks: [
      Plot.barY(entries, { x: 'retry', y: 1, fill: 'color' }),
      Plot.text(entries, { x: 'retry', y: 0, text: (entry) => String(entry.retry), dy: 12 }),
      Plot.text(['number of the retry'], { frameAnchor: 'right', dx: 12, textAnchor: 'start' }),
    ],
  });
}
