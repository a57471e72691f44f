import type * as Plot from '@observablehq/plot';
import { FONT_SIZE } from './plot.js';

/** The name of a line, and where the line ends: values of the chart's axes. */
export interface EndLabel {
  readonly text: string;
  readonly color: string;
  readonly x: number;
  readonly y: number;
}

/** The distance from one label to the next, in pixels. */
export const LABEL_HEIGHT = 20;
/** The distance from the frame to the labels in pixels, with room for the line to a label. */
export const LEADER = 22;
/** The longest name in pixels; a longer one is cut. */
export const MAX_LABEL_WIDTH = 190;

/**
 * Names each line beside its end, to the right of the frame. Names that would overlap are moved apart, and a thin line
 * leads to each.
 */
export function endLabels(labels: readonly EndLabel[]): Plot.RenderFunction {
  return (_index, scales, _values, dimensions, { document }) => {
    const { width, height, marginRight, marginTop, marginBottom } = dimensions;
    const right = width - marginRight;
    const ends = labels.map(({ x, y }) => ({ x: Number(scales.x?.(x)), y: Number(scales.y?.(y)) }));
    const places = spread(
      ends.map(({ y }) => y),
      marginTop,
      height - marginBottom,
    );
    const element = (name: string, attributes: Readonly<Record<string, string | number>>) => {
      const made = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
      return made as NonNullable<ReturnType<Plot.RenderFunction>>;
    };
    const group = element('g', {});
    for (const [i, { text, color }] of labels.entries()) {
      const { x = 0, y = 0 } = ends[i] ?? {};
      const at = places[i] ?? y;
      const d = `M${x + 8},${y}L${right + 8},${y}L${right + LEADER - 4},${at}`;
      group.appendChild(element('path', { d, fill: 'none', stroke: color, 'stroke-opacity': 0.7 }));
      const attributes = {
        x: right + LEADER,
        y: at,
        dy: '0.32em',
        fill: color,
        'text-anchor': 'start',
        'font-weight': 'bold',
      };
      const shown = element('text', attributes);
      shown.textContent = text;
      group.appendChild(shown);
    }
    return group;
  };
}

/** Places at least a line apart, each as near to the wanted one as the others and the frame allow. */
export function spread(wanted: readonly number[], top: number, bottom: number): number[] {
  const half = FONT_SIZE / 2;
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0) || a - b);
  const places = [...wanted];
  // Each moves down as far as the one above demands, then up again as far as the frame demands.
  let least = top + half;
  for (const i of order) {
    places[i] = Math.max(places[i] ?? 0, least);
    least = (places[i] ?? 0) + LABEL_HEIGHT;
  }
  let most = bottom - half;
  for (const i of order.reverse()) {
    places[i] = Math.min(places[i] ?? 0, most);
    most = (places[i] ?? 0) - LABEL_HEIGHT;
  }
  return places;
}
