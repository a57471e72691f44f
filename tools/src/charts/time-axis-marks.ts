import * as Plot from '@observablehq/plot';
import { FONT_SIZE, MARGIN, WIDTH } from './plot.js';
import { apart, linearTicks, type TimeTick } from './time-axis.js';

/** Room left of a chart for the texts of its axis. */
export const TICKS_WIDTH = 84;
/** Room below a chart for the texts of its axis and its name. */
export const AXIS_HEIGHT = 56;

/** Lines across the chart at the times of an axis, and their texts. @param shown a time as the axis has it */
export function timeAxis(
  axis: 'x' | 'y',
  ticks: readonly TimeTick[],
  shown: (seconds: number) => number,
  label: string | undefined = undefined,
): Plot.Markish[] {
  const texts = new Map(ticks.map(({ seconds, text }) => [shown(seconds), text]));
  const places = { ticks: [...texts.keys()] };
  const options = {
    ...places,
    tickFormat: (value: number) => texts.get(value) ?? '',
    label: label ?? null,
    labelAnchor: 'center' as const,
    labelArrow: 'none' as const,
    labelOffset: 44,
    tickSize: 5,
  };
  return axis === 'x' ? [Plot.gridX(places), Plot.axisX(options)] : [Plot.gridY(places), Plot.axisY(options)];
}

/** A time line from 0 to the range's end. @param label none: the lines alone, under a chart that has the texts */
export function horizontalTime(
  rangeSeconds: number,
  label: string | undefined,
  marginLeft = MARGIN,
): Plot.Markish[] {
  const place = (seconds: number) => (seconds / rangeSeconds) * (WIDTH - marginLeft - MARGIN);
  const limit = WIDTH - marginLeft - 4;
  const ticks = apart(linearTicks(rangeSeconds, 6), { place, limit, size: FONT_SIZE });
  const marks = timeAxis('x', ticks, (seconds) => seconds, label);
  return label === undefined ? marks.slice(0, 1) : marks;
}
