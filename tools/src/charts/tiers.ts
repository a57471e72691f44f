import * as Plot from '@observablehq/plot';
import { age } from 'dynamo-backlog/engine';
import { MAX_ATTEMPTS, type PlayedTiers, type TierFigures } from '../lab/tiers-of.js';
import {
  curveStyle,
  FONT_SIZE,
  INK,
  MARGIN,
  MUTED,
  type Panel,
  panel,
  type Section,
  SHADE,
  WIDTH,
} from './plot.js';
import { textWidth } from './text.js';
import { apart, namedTicks } from './time-axis.js';
import { AXIS_HEIGHT, timeAxis } from './time-axis-marks.js';

/** A progressive policy under the name that the picture calls it by. */
export interface TierChart {
  readonly name: string | undefined;
  /** The policy's place in the picture, which gives its colour. */
  readonly place: number;
  readonly played: PlayedTiers;
}

const ROW_HEIGHT = 50;
/** The share of its row that a tier's bar has. */
const BAR_SHARE = 0.62;

/** The attempts of a record that always fails: a row for each tier, over the record's age. */
export function tierCharts(charts: readonly TierChart[]): Section[] {
  const tiers = charts.flatMap(({ played }) => played.figures);
  const most = Math.max(...tiers.map(({ untilAgeSeconds }) => untilAgeSeconds));
  // The left end of the scale is 0; from the shortest interval on it is logarithmic.
  const least = Math.min(...tiers.map(({ everySeconds }) => everySeconds));
  const shown = (seconds: number) => Math.log1p(seconds / least);
  return charts.map(({ name, place, played }) => ({
    heading: name,
    text: totalText(played),
    panel: tierChart(played, { shown, most, color: curveStyle(place).color }),
  }));
}

function totalText({ figures, ages, schedule: { end } }: PlayedTiers): string {
  const last = figures.at(-1);
  if (!end)
    return `A row for each tier, a line for each attempt: more than ${countText(MAX_ATTEMPTS)} in all.`;
  const until = end.reason === 'expired' && last ? `within ${age(last.untilAgeSeconds * 1000)}` : 'in all';
  return `A row for each tier, a line for each attempt of a record that always fails: ${countText(ages.length)} ${until}.`;
}

function tierChart(
  { figures, ages: played }: PlayedTiers,
  { shown, most, color }: { shown: (seconds: number) => number; most: number; color: string },
): Panel {
  const names = figures.map(({ everySeconds }) => `every ${age(everySeconds * 1000)}`);
  const ages = figures.map(({ untilAgeSeconds }) => `to age ${age(untilAgeSeconds * 1000)}`);
  const counts = figures.map(({ attempts }) =>
    attempts === undefined ? 'more than shown' : `${countText(attempts)} attempt${attempts === 1 ? '' : 's'}`,
  );
  const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => textWidth(text, FONT_SIZE)));
  const marginLeft = MARGIN + widest([...names, ...ages]) + 10;
  const marginRight = MARGIN + widest(counts) + 10;
  const height = ROW_HEIGHT * figures.length + AXIS_HEIGHT + 4;
  const pixels = WIDTH - marginLeft - marginRight;
  const ticks = [{ seconds: 0, text: '0' }, ...namedTicks(0, most)];
  const place = (seconds: number) => (shown(seconds) / shown(most)) * pixels;
  const bars = figures.map((tier, row) => ({
    row,
    from: shown(tier.fromAgeSeconds),
    to: shown(tier.untilAgeSeconds),
    y1: row - BAR_SHARE / 2,
    y2: row + BAR_SHARE / 2,
  }));
  const name = {
    x: 0,
    y: (_: string, i: number) => i,
    text: (text: string) => text,
    textAnchor: 'end',
    dx: -10,
  } as const;
  return panel({
    height,
    marginLeft,
    marginRight,
    marginTop: 4,
    marginBottom: AXIS_HEIGHT,
    x: { domain: [0, shown(most)] },
    y: { domain: [-0.5, figures.length - 0.5], reverse: true },
    marks: [
      ...timeAxis(
        'x',
        apart(ticks, { place, limit: pixels + marginRight, size: FONT_SIZE }),
        shown,
        'age of the record (logarithmic scale)',
      ),
      Plot.rect(bars, { x1: 'from', x2: 'to', y1: 'y1', y2: 'y2', fill: SHADE, rx: 4 }),
      ...figures.map((tier, row) => {
        const inTier = played.filter((at) => isIn(tier, at, row === 0));
        return Plot.ruleX(thinned(inTier.map(shown), shown(most) / (2 * pixels)), {
          x: (at: number) => at,
          y1: row - BAR_SHARE / 2,
          y2: row + BAR_SHARE / 2,
          stroke: color,
          strokeWidth: 1,
        });
      }),
      Plot.text(names, { ...name, dy: -10, fill: INK }),
      Plot.text(ages, { ...name, dy: 10, fill: MUTED }),
      Plot.text(counts, {
        x: () => shown(most),
        y: (_, i) => i,
        text: (count) => count,
        textAnchor: 'start',
        dx: 10,
        fill: MUTED,
      }),
    ],
  });
}

function isIn({ fromAgeSeconds, untilAgeSeconds }: TierFigures, at: number, isFirst: boolean): boolean {
  return (isFirst || at > fromAgeSeconds) && at <= untilAgeSeconds;
}

/** The places without those that would be drawn over the one before. */
function thinned(places: readonly number[], least: number): number[] {
  let last = Number.NEGATIVE_INFINITY;
  return places.filter((place) => {
    if (place - last < least) return false;
    last = place;
    return true;
  });
}

function countText(count: number): string {
  return count.toLocaleString('en-US');
}
