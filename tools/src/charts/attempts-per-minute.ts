import * as Plot from '@observablehq/plot';
import type { MinuteOfAttempts } from '../lab/attempt-log.js';
import { FONT_SIZE, INK, MARGIN, type Panel, panel, SHADE, WIDTH } from './plot.js';
import { BOLD, textWidth } from './text.js';
import { COLORS } from './theme.js';
import { AXIS_HEIGHT, horizontalTime } from './time-axis-marks.js';

/** A span of the scenario's time. */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The scale that all rows of a picture have in common. */
export interface MinuteScale {
  readonly minutes: number;
  /** The minutes that one bar stands for. */
  readonly perBar: number;
  /** The most attempts of a minute. */
  readonly peak: number;
  /** Room for the texts of the counts. */
  readonly marginLeft: number;
  readonly outage: Outage | undefined;
}

/** The last success, and what is said of it. */
export interface Recovery {
  readonly seconds: number;
  readonly text: string;
}

type Minutes = readonly MinuteOfAttempts[];

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly attempts: number;
  readonly succeeded: number;
}

/** The drawn time, in terms of that of the last success. */
const TAIL = 1.5;
/** The least time that is drawn: a single bar as wide as the picture would look like a mistake. */
const MIN_MINUTES = 10;
/** Most bars of a row; more would be narrower than two pixels. */
const MAX_BARS = 270;
const HEIGHT = 120;
/** Room above the bars for the names of the outage and of the last success. */
const NAMES_HEIGHT = 30;
/** The least height of a bar, so that one attempt can be seen beside thousands. */
const MIN_PIXELS = 1.5;

/** One scale for all, so that rows can be compared. */
export function minuteScale(rows: readonly Minutes[], outage: Outage | undefined): MinuteScale {
  const minutes = tellingMinutes(rows, outage);
  const perBar = Math.ceil(minutes / MAX_BARS);
  const shown = rows.flat().filter(({ minute }) => minute < minutes);
  const peak = shown.reduce((most, { attempts }) => Math.max(most, attempts), 1);
  const widest = Math.max(...countTicks(peak).map((count) => textWidth(countText(count), FONT_SIZE)));
  return { minutes, perBar, outage, peak, marginLeft: MARGIN + widest + 9 };
}

/** Attempts per minute of one policy. @param isLast it has the texts of the time line */
export function attemptsPerMinute(
  perMinute: Minutes,
  { minutes, perBar, peak, outage, marginLeft }: MinuteScale,
  recovery: Recovery | undefined,
  isLast: boolean,
): Panel {
  const bars = barsOf(perMinute, minutes, perBar);
  const end = minutes * 60;
  const marginBottom = isLast ? AXIS_HEIGHT : 12;
  const shade = outage && { from: outage.fromMs / 1000, to: Math.min(end, outage.toMs / 1000) };
  const least = (MIN_PIXELS * peak) / HEIGHT;
  const tall = (attempts: number) => (attempts === 0 ? 0 : Math.max(least, attempts));
  const bar = { x1: 'from', x2: 'to', y1: 0, insetLeft: 0.3, insetRight: 0.3 } as const;
  return panel({
    height: HEIGHT + NAMES_HEIGHT + marginBottom,
    marginLeft,
    marginTop: NAMES_HEIGHT,
    marginBottom,
    x: { domain: [0, end] },
    y: { domain: [0, peak] },
    marks: [
      ...(shade
        ? [
            Plot.rect([shade], {
              x1: 'from',
              x2: 'to',
              y1: 0,
              y2: peak,
              fill: SHADE,
              insetTop: -NAMES_HEIGHT + 4,
            }),
          ]
        : []),
      ...horizontalTime(end, isLast ? 'time since the start' : undefined, marginLeft),
      Plot.gridY({ ticks: countTicks(peak) }),
      Plot.axisY({ ticks: countTicks(peak), tickFormat: countText, label: null, tickSize: 5 }),
      Plot.rectY(bars, { ...bar, y2: (one: Bar) => tall(one.attempts), fill: COLORS.failed[0] }),
      Plot.rectY(bars, { ...bar, y2: (one: Bar) => tall(one.succeeded), fill: COLORS.succeeded[0] }),
      Plot.ruleY([0], { stroke: INK }),
      ...(recovery
        ? [
            Plot.ruleX([recovery.seconds], {
              stroke: COLORS.succeeded[0],
              strokeWidth: 2,
              insetTop: -8,
            }),
          ]
        : []),
      ...namesAbove(shade, recovery, { end, width: WIDTH - marginLeft - MARGIN }),
    ],
  });
}

/** The names of the outage and of the last success, beside each other: the outage above its middle if there is room. */
function namesAbove(
  shade: { readonly from: number; readonly to: number } | undefined,
  recovery: Recovery | undefined,
  { end, width: all }: { readonly end: number; readonly width: number },
): Plot.Markish[] {
  const pixels = (seconds: number) => (seconds / end) * all;
  const name = (text: string, left: number, fill: string) =>
    Plot.text([text], {
      frameAnchor: 'top-left',
      textAnchor: 'start',
      lineAnchor: 'bottom',
      dx: left,
      dy: -10,
      fill,
      fontWeight: 'bold',
    });
  const marks: Plot.Markish[] = [];
  let taken = 0;
  if (shade) {
    const width = BOLD * textWidth(OUTAGE, FONT_SIZE);
    const middle = (pixels(shade.from) + pixels(shade.to)) / 2;
    const left = Math.min(Math.max(0, middle - width / 2), all - width);
    marks.push(name(OUTAGE, left, INK));
    taken = left + width + FONT_SIZE;
  }
  if (recovery) {
    const width = BOLD * textWidth(recovery.text, FONT_SIZE);
    const left = Math.min(pixels(recovery.seconds) + 6, all - width);
    // Left of the outage there is no success that is the last, unless everything was done before it.
    marks.push(name(recovery.text, Math.max(left, taken), COLORS.succeeded[0]));
  }
  return marks;
}

const OUTAGE = 'outage';

/**
 * The number of minutes that are drawn: up to a while behind the outage and the last success. After that, only records
 * that never succeed are attempted, for months.
 */
export function tellingMinutes(rows: readonly Minutes[], outage: Outage | undefined): number {
  const all = 1 + Math.max(0, ...rows.map((perMinute) => perMinute.at(-1)?.minute ?? 0));
  const successes = rows
    .flat()
    .filter(({ attempts, wasted }) => attempts > wasted)
    .map(({ minute }) => minute + 1);
  const outageEnd = Math.ceil((outage?.toMs ?? 0) / 60_000);
  const lastSuccess = successes.reduce((a, b) => Math.max(a, b), 0);
  const telling = lastSuccess === 0 ? all : Math.ceil(TAIL * Math.max(lastSuccess, outageEnd));
  return Math.max(MIN_MINUTES, outageEnd, Math.min(all, telling));
}

/** The bars of a row. Each is the busiest minute of those that it stands for. */
function barsOf(perMinute: Minutes, minutes: number, perBar: number): Bar[] {
  const busiest = new Map<number, MinuteOfAttempts>();
  for (const minute of perMinute) {
    if (minute.minute >= minutes) break;
    const bar = Math.floor(minute.minute / perBar);
    if (minute.attempts > (busiest.get(bar)?.attempts ?? 0)) busiest.set(bar, minute);
  }
  return [...busiest].map(([bar, { attempts, wasted }]) => ({
    from: bar * perBar * 60,
    to: Math.min(minutes, (bar + 1) * perBar) * 60,
    attempts,
    succeeded: attempts - wasted,
  }));
}

/** About four places of the axis of counts: whole, round numbers. */
function countTicks(peak: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, peak / 4)));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => peak / one <= 4) ?? 10 * power;
  return Array.from({ length: Math.floor(peak / step) + 1 }, (_, i) => i * step);
}

function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** The legend of the bars' colours. */
export function barLegend(): Panel {
  const entries = [
    { x: 0, color: COLORS.failed[0], text: 'failed' },
    { x: 1, color: COLORS.succeeded[0], text: 'succeeded' },
  ];
  return panel({
    height: 26,
    marginTop: 2,
    marginBottom: 2,
    marginLeft: MARGIN + 8,
    x: { domain: [0, 6] },
    marks: [
      Plot.dot(entries, { x: 'x', symbol: 'square', fill: 'color', r: 6 }),
      Plot.text(entries, { x: 'x', text: 'text', textAnchor: 'start', dx: 10, fill: INK }),
    ],
  });
}
