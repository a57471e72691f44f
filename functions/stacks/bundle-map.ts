/** A place in a source: lines and columns count from 1, as in a stack. */
export interface SourcePlace {
  /** The name of the source in the map. */
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/** The state of a decoder: each number of a map is the difference to the one before. Lines and columns count from 0. */
interface Point {
  /** The place in the text `mappings` where the next one begins. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly source: number;
  readonly sourceLine: number;
  readonly sourceColumn: number;
  /** The code from here on has a source. */
  readonly isMapped: boolean;
}

const START: Point = {
  offset: 0,
  line: 0,
  column: 0,
  source: 0,
  sourceLine: 0,
  sourceColumn: 0,
  isMapped: false,
};
/** One point is kept for so many segments: a place is then found without decoding the whole map again. */
const SEGMENTS_PER_POINT = 1_000;
const CONTINUES = 32;
const MAX_BITS = 30;
const SEMICOLON = 59;
const COMMA = 44;

const DIGITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((char, i) => [
    char.charCodeAt(0),
    i,
  ]),
);

/**
 * The source map of one bundle. `SourceMap` of `node:module` keeps every segment as an object, 20 MB for a usual bundle: as
 * much as a small function has left. This one keeps the map's text and a few points in it.
 */
export class BundleMap {
  private readonly mappings: string;
  private readonly sources: readonly unknown[];
  private readonly points: Point[] = [START];

  /**
   * @param json the text of the map's file
   * @throws Error if it is no source map
   */
  constructor(json: string) {
    const { mappings, sources } = JSON.parse(json) as { mappings?: unknown; sources?: unknown };
    if (typeof mappings !== 'string' || !Array.isArray(sources)) throw new Error('not a source map');
    this.mappings = mappings;
    this.sources = sources;
    let count = 0;
    for (const point of this.after(START)) {
      if (++count % SEGMENTS_PER_POINT === 0) this.points.push(point);
    }
  }

  /** Finds the place in the source of a place in the bundle; line and column count from 1. */
  find(line: number, column: number): SourcePlace | undefined {
    const isBefore = (point: Point) =>
      point.line < line - 1 || (point.line === line - 1 && point.column < column);
    let last = this.points.findLast(isBefore) ?? START;
    for (const point of this.after(last)) {
      if (!isBefore(point)) break;
      last = point;
    }
    const source = this.sources[last.source];
    if (!last.isMapped || last.line !== line - 1 || typeof source !== 'string') return undefined;
    return { source, line: last.sourceLine + 1, column: last.sourceColumn + 1 };
  }

  /**
   * The beginnings of the segments behind a point.
   *
   * @throws Error where the map is malformed
   */
  private *after(from: Point): Generator<Point> {
    const { mappings } = this;
    let { offset, line, column, source, sourceLine, sourceColumn } = from;
    const numbers: number[] = [];
    while (offset < mappings.length) {
      const char = mappings.charCodeAt(offset);
      if (char === SEMICOLON) {
        line++;
        column = 0;
      }
      if (char === SEMICOLON || char === COMMA) {
        offset++;
        continue;
      }
      numbers.length = 0;
      for (let value = 0, bits = 0; offset < mappings.length; offset++) {
        const digit = DIGITS.get(mappings.charCodeAt(offset));
        if (digit === undefined && bits === 0) break;
        if (digit === undefined || bits > MAX_BITS) throw new Error('not a source map');
        value += (digit & (CONTINUES - 1)) << bits;
        bits += 5;
        if (digit & CONTINUES) continue;
        numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
        value = 0;
        bits = 0;
      }
      const [columns, sources, lines, sourceColumns] = numbers;
      if (columns === undefined) throw new Error('not a source map');
      column += columns;
      source += sources ?? 0;
      sourceLine += lines ?? 0;
      sourceColumn += sourceColumns ?? 0;
      const isMapped = sourceColumns !== undefined;
      yield { offset, line, column, source, sourceLine, sourceColumn, isMapped };
    }
  }
}
