/** Pixels. */
export const WIDTH = 900;
/** PT Sans is what pictures are drawn with here; a browser that lacks it takes its own. */
export const FONT = "'PT Sans', 'Helvetica Neue', Arial, sans-serif";

/** A part of a picture: SVG, and how high it is in pixels. */
export interface Panel {
  readonly svg: string;
  readonly height: number;
}
