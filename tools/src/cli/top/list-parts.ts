import { type Paint, padEnd } from '../paint.js';

/** The room of a list, and the times for it. */
export interface Look {
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** Real time, epoch milliseconds. */
  readonly wall: number;
  readonly columns: number;
  /** Lines that it may take. */
  readonly room: number;
  readonly paint: Paint;
}

export const MARK = '> ';
export const NO_MARK = '  ';

/** A line with a mark, if it is the selected one. */
export function marked(line: string, isSelected: boolean, columns: number, paint: Paint): string {
  return isSelected ? paint('inverse', padEnd(MARK + line, columns)) : NO_MARK + line;
}

/** The lines around the selected one, as many as there is room for. */
export function windowed(lines: readonly string[], selected: number, room: number) {
  const size = Math.max(1, room);
  const first = Math.max(0, Math.min(lines.length - size, selected - Math.floor(size / 2)));
  return lines.slice(first, first + size).map((line, i) => ({ line, place: first + i }));
}
