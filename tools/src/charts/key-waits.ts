import * as Plot from '@observablehq/plot';
import { endLabels, LEADER } from './end-labels.js';
import { BACKGROUND, curveStyle, FONT_SIZE, MARGIN, type Panel, panel } from './plot.js';
import { BOLD, textWidth } from './text.js';
import { linearTicks } from './time-axis.js';
import { AXIS_HEIGHT, TICKS_WIDTH, timeAxis } from './time-axis-marks.js';

const HEIGHT = 280;
/** Room above the highest tick, whose text would be cut otherwise. */
const TOP = 14;

/** A record: when it was put, from the beginning of the chart on, and the time until its first attempt. */
export interface Wait {
  readonly at: number;
  readonly seconds: number;
}

/** A mark for each record: the time of its insertion, and its wait for the first attempt. Each series has its own colour and symbol. */
export function waitsPanel(
  series: readonly { readonly name: string; readonly waits: readonly Wait[] }[],
  rangeSeconds: number,
): Panel {
  const styled = series.map((one, i) => ({ ...one, ...curveStyle(1 - i) }));
  const most = Math.max(...series.flatMap(({ waits }) => waits.map(({ seconds }) => seconds)));
  const ticks = linearTicks(most, 6, true);
  const labels = styled.map(({ name, color, waits }) => {
    const [longest] = waits.toSorted((one, other) => other.seconds - one.seconds);
    return { text: name, color, x: longest?.at ?? 0, y: longest?.seconds ?? 0 };
  });
  return panel({
    height: HEIGHT + TOP + AXIS_HEIGHT,
    marginLeft: TICKS_WIDTH,
    marginRight: Math.max(...labels.map(({ text }) => LEADER + BOLD * textWidth(text, FONT_SIZE))) + MARGIN,
    marginTop: TOP,
    marginBottom: AXIS_HEIGHT,
    x: { domain: [0, rangeSeconds] },
    y: { domain: [0, ticks.at(-1)?.seconds ?? most] },
    marks: [
      ...timeAxis('y', ticks, (seconds) => seconds),
      ...timeAxis('x', linearTicks(rangeSeconds, 3), (seconds) => seconds, 'inserted after the noise began'),
      ...styled.map(({ waits, color, symbol }) =>
        Plot.dot(waits, {
          x: 'at',
          y: 'seconds',
          symbol,
          stroke: color,
          fill: BACKGROUND,
          strokeWidth: 1.8,
          r: 3,
        }),
      ),
      endLabels(labels),
    ],
  });
}
