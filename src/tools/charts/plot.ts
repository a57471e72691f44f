import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

/** Pixels. */
export const WIDTH = 900;
/** PT Sans is what pictures are drawn with here; a browser that lacks it takes its own. */
export const FONT = "'PT Sans', 'Helvetica Neue', Arial, sans-serif";

/** A part of a picture: SVG, and how high it is in pixels. */
export interface Panel {
  readonly svg: string;
  readonly height: number;
}

/** Okabe and Ito's palette, which people with any colour vision can tell apart; without its yellow, lost on paper. */
export const COLORS = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000'] as const;
/** Lines can be told apart without any colour. */
export const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star', 'wye'] as const;

const { document } = parseHTML('<!doctype html><html><body></body></html>');

/** Draws a panel as wide as the picture. The same options come to the same text, on every machine. */
export function panel(options: Plot.PlotOptions & { readonly height: number }): Panel {
  const drawn = Plot.plot({
    document: document as unknown as NonNullable<Plot.PlotOptions['document']>,
    width: WIDTH,
    marginLeft: 70,
    marginRight: 24,
    marginTop: 34,
    marginBottom: 46,
    className: 'plot',
    style: { fontSize: '13px', fontFamily: FONT },
    ...options,
    x: { labelArrow: 'none', labelOffset: 40, ...options.x },
    y: { labelArrow: 'none', ...options.y },
  });
  for (const style of drawn.querySelectorAll('style')) style.remove();
  return { svg: rounded(String(drawn.outerHTML)), height: options.height };
}

const GEOMETRY = /\b(d|x|y|cx|cy|x1|x2|y1|y2|r|width|height|transform|points)="([^"]*)"/g;

/** Two decimals of a pixel: the last digits of sines and logarithms are not the same in every version of Node. */
function rounded(svg: string): string {
  return svg.replace(
    GEOMETRY,
    (_, name: string, value: string) =>
      `${name}="${value.replace(/-?\d+\.\d+(e-?\d+)?/g, (number) => String(Number(Number(number).toFixed(2))))}"`,
  );
}

/** A line of the legend for each name: its mark and its text. */
export function legend(
  entries: readonly { readonly name: string; readonly color: string; readonly symbol: string }[],
): Panel {
  const height = 12 + 20 * entries.length;
  const rows = entries.map((entry, i) => ({ ...entry, row: i }));
  return panel({
    height,
    marginTop: 4,
    marginBottom: 8,
    x: { axis: null, domain: [0, 1] },
    y: { axis: null, domain: [-0.5, entries.length - 0.5], reverse: true },
    marks: rows.flatMap((row) => [
      Plot.dot([row], {
        x: 0,
        y: 'row',
        symbol: row.symbol as Plot.SymbolType,
        stroke: row.color,
        strokeWidth: 2,
        r: 5,
      }),
      Plot.text([row], { x: 0, y: 'row', text: 'name', textAnchor: 'start', dx: 14 }),
    ]),
  });
}

/** A unit of time that makes the numbers of an axis short. */
export interface TimeUnit {
  readonly name: 'seconds' | 'minutes' | 'hours' | 'days';
  readonly seconds: number;
}

const UNITS: readonly TimeUnit[] = [
  { name: 'days', seconds: 86_400 },
  { name: 'hours', seconds: 3_600 },
  { name: 'minutes', seconds: 60 },
];

/** The greatest unit of which the range holds three at least. */
export function timeUnitFor(rangeSeconds: number): TimeUnit {
  return UNITS.find(({ seconds }) => rangeSeconds >= 3 * seconds) ?? { name: 'seconds', seconds: 1 };
}
