import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { COLORS, CURVE_COLORS } from './theme.js';

/** The width of the picture in pixels. At 400, the width of a phone, the text has 10 and can still be read. */
export const WIDTH = 640;
export const FONT_SIZE = 16;
/** The margin around the picture, in pixels. */
export const MARGIN = 20;
/** PT Sans, in which a PNG is drawn, stands for all of them there. */
export const FONT = "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif";

/** A part of a picture: SVG, and how high it is in pixels. */
export interface Panel {
  readonly svg: string;
  readonly height: number;
}

/** A panel under what it shows, in words. */
export interface Section {
  readonly heading?: string | undefined;
  /** A text beside the heading if there is room, otherwise below it. */
  readonly aside?: string | undefined;
  readonly text?: string | undefined;
  readonly panel?: Panel | undefined;
}

export const INK = COLORS.ink[0];
export const MUTED = COLORS.muted[0];
export const BACKGROUND = COLORS.background[0];
export const SHADE = COLORS.shade[0];

/** Symbols of lines, so that these can be told apart without any colour. */
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star', 'wye'] as const;

/** The colour and symbol of the curve at this place in a comparison: no two of 49 are alike. */
export function curveStyle(i: number): { readonly color: string; readonly symbol: Plot.SymbolType } {
  const [color] = CURVE_COLORS[i % CURVE_COLORS.length] ?? CURVE_COLORS[0];
  return { color, symbol: SYMBOLS[(i + Math.floor(i / CURVE_COLORS.length)) % SYMBOLS.length] ?? 'circle' };
}

const { document } = parseHTML('<!doctype html><html><body></body></html>');

/** Draws a panel as wide as the picture. The same options come to the same text, on every machine. */
export function panel(options: Plot.PlotOptions & { readonly height: number }): Panel {
  const drawn = Plot.plot({
    document: document as unknown as NonNullable<Plot.PlotOptions['document']>,
    width: WIDTH,
    marginLeft: MARGIN,
    marginRight: MARGIN,
    marginTop: 10,
    marginBottom: 10,
    className: 'plot',
    style: { fontSize: `${FONT_SIZE}px`, fontFamily: FONT },
    ...options,
    x: { axis: null, ...options.x },
    y: { axis: null, ...options.y },
  });
  for (const style of drawn.querySelectorAll('style')) style.remove();
  // The picture is one image with one name: what its groups are called is not read out, and no role allows it.
  for (const group of drawn.querySelectorAll('[aria-label]')) group.removeAttribute('aria-label');
  return { svg: rounded(String(drawn.outerHTML)), height: options.height };
}

const GEOMETRY = /\b(d|x|y|cx|cy|x1|x2|y1|y2|r|width|height|transform|points)="([^"]*)"/g;

const NUMBERS = /-?\d+(?:\.\d+(?:e-?\d+)?)?/g;

/**
 * The picture with two decimals of a pixel: the last digits of sines and logarithms are not the same in every version
 * of Node.
 */
function rounded(svg: string): string {
  return svg.replace(
    GEOMETRY,
    (_, name: string, value: string) =>
      `${name}="${value.replace(NUMBERS, (number) => (number.includes('.') ? String(Number(Number(number).toFixed(2))) : number))}"`,
  );
}
