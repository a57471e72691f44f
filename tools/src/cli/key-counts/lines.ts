import { age } from 'dynamo-backlog/engine';
import {
  COUNT_SIGNS,
  causeText,
  count,
  counted,
  type KeyCounts,
  keyPauseNote,
} from 'dynamo-backlog/overview';
import { plain } from '../failures/lines.js';
import { cut, type Paint, padEnd, padStart, width } from '../paint.js';

interface Look {
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** The terminal's width. Default: as many as it takes. */
  readonly columns: number | undefined;
  readonly paint: Paint;
  /** Keys at most. */
  readonly top: number;
}

/** The width of a column for numbers, of one for durations, and the least and the most of that for keys. */
const NUMBER = 8;
const AGE = 11;
const MIN_KEY = 12;
const MAX_KEY = 64;
const MIN_CAUSE = 8;
const GAP = '  ';
/** The row of records without a key. */
const NO_KEY = '(no key)';

/** A line for each key, those with most waiting records first, and one for records without a key. */
export function keyLines(keys: readonly KeyCounts[], { now, columns, paint, top }: Look): string[] {
  const named = keys.filter(({ key }) => key !== undefined);
  const shown = [...named.slice(0, top), ...keys.filter(({ key }) => key === undefined)];
  const natural = Math.max(...shown.map(({ key }) => width(keyText(key))), NO_KEY.length);
  const others = 3 * NUMBER + 2 * AGE + 6 * GAP.length + MIN_CAUSE;
  const keyWidth = Math.min(
    natural,
    MAX_KEY,
    Math.max(MIN_KEY, (columns ?? Number.POSITIVE_INFINITY) - others),
  );
  const row = (key: string, cells: readonly string[], cause: string) =>
    [padEnd(cut(key, keyWidth), keyWidth), ...cells, cause].join(GAP).trimEnd();
  const head = row(
    'KEY',
    [
      ...['WAITING', 'RETRY', 'DEAD'].map((name) => padStart(name, NUMBER)),
      ...['OLDEST', 'BUSY FOR'].map((name) => padStart(name, AGE)),
    ],
    'CAUSE',
  );
  const rows = shown.map((one) => {
    const { waiting, retry, dead, oldestAt, busyUntil, cause, paused: [first] = [] } = one;
    const pause = first && `paused${keyPauseNote(first.pause, now)}`;
    const said = [pause, cause && causeText(cause)].filter(Boolean).join('; ');
    return row(
      paint(one.key === undefined ? 'dim' : 'bold', keyText(one.key)),
      [
        numberCell(waiting, one, paint),
        numberCell(retry, one, paint, 'yellow'),
        numberCell(dead, one, paint, 'red'),
        padStart(oldestAt === undefined ? '-' : age(now - oldestAt), AGE),
        padStart(busyUntil === undefined ? '-' : age(busyUntil - now), AGE),
      ],
      said === '' ? '-' : plain(said),
    );
  });
  const left = named.length - top;
  const more = left > 0 ? [paint('dim', `${counted(left, 'more key')}: --top ${named.length}`)] : [];
  return [paint('dim', head), ...rows, ...more].map((line) => cut(line, columns ?? Number.POSITIVE_INFINITY));
}

/** A key on one line. One of nothing but marks of direction or line ends has no text that can be shown. */
export function keyText(key: string | undefined): string {
  if (key === undefined) return NO_KEY;
  return plain(key).trim() || '(unprintable)';
}

function numberCell(number: number, of: KeyCounts, paint: Paint, colour?: 'red' | 'yellow'): string {
  const rounded = Math.round(number);
  if (rounded === 0) return padStart('0', NUMBER);
  const cell = padStart(`${COUNT_SIGNS[of.counted]}${count(rounded)}`, NUMBER);
  return colour === undefined ? cell : paint(colour, cell);
}
