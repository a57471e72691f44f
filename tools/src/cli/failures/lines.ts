import {
  COUNT_SIGNS,
  causeText,
  count,
  counted,
  type FailureCause,
  minuteText,
  names,
  sumOf,
} from 'dynamo-backlog/overview';
import { printable } from '../output.js';
import { cut, type Paint, padEnd, padStart, width } from '../paint.js';

interface Look {
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** The terminal's width. Default: as many as it takes. */
  readonly columns: number | undefined;
  readonly paint: Paint;
  /** The column of queues is left out. */
  readonly isOfOneQueue?: boolean | undefined;
}

const MAX_CAUSES = 20;
const MAX_PATTERNS = 5;
/** The width of a column for numbers, and the least of the two for texts. */
const NUMBER = 7;
const MIN_CAUSE = 24;
const MIN_QUEUES = 13;
const SINCE = 16;
const GAP = '  ';

/** A line for each cause, and below it its patterns and a few records. None is longer than so many columns. */
export function causeLines(causes: readonly FailureCause[], look: Look): string[] {
  if (causes.length === 0) return [];
  const { columns = Number.POSITIVE_INFINITY, paint, isOfOneQueue = false } = look;
  const shown = causes.slice(0, MAX_CAUSES);
  const natural = Math.max(...shown.map(({ cause }) => width(plain(causeText(cause)))), 'CAUSE'.length);
  const others = 2 * NUMBER + SINCE + 3 * GAP.length + (isOfOneQueue ? 0 : MIN_QUEUES + GAP.length);
  const causeWidth = Math.min(natural, Math.max(MIN_CAUSE, columns - others));
  const row = (cause: string, retry: string, dead: string, since: string, queues: string) =>
    [cause, retry, dead, padEnd(since, SINCE), ...(isOfOneQueue ? [] : [queues])].join(GAP).trimEnd();
  const causeCell = (text: string) => padEnd(cut(text, causeWidth), causeWidth);
  const head = row(
    causeCell('CAUSE'),
    padStart('RETRY', NUMBER),
    padStart('DEAD', NUMBER),
    'SINCE, UTC',
    'QUEUES',
  );
  const lines = [
    paint('dim', head),
    ...shown.flatMap((cause) => [
      row(
        paint('bold', causeCell(plain(causeText(cause.cause)))),
        numberCell(cause.retry, cause, paint, 'yellow'),
        numberCell(cause.dead, cause, paint, 'red'),
        cause.firstAt === undefined ? '-' : minuteText(cause.firstAt, look.now),
        plain(names(cause.queues.map(({ queue }) => queue))),
      ),
      ...patternLines(cause, paint),
    ]),
    ...more(causes.length - MAX_CAUSES, 'more cause', paint),
  ];
  return lines.map((line) => cut(line, columns));
}

function patternLines({ counted: exactness, patterns, morePatterns }: FailureCause, paint: Paint): string[] {
  const sign = COUNT_SIGNS[exactness];
  const ids = patterns[0]?.examples.map(({ id }) => plain(id)) ?? [];
  return [
    ...patterns.slice(0, MAX_PATTERNS).map((pattern) => {
      const number = padStart(`${sign}${count(Math.round(sumOf(pattern)))}`, 2 + NUMBER);
      return `${number}${GAP}${plain(pattern.pattern) || 'no message'}`;
    }),
    ...more(patterns.length - MAX_PATTERNS + morePatterns, 'more pattern', paint),
    ...(ids.length > 0 ? [paint('dim', `${' '.repeat(2 + NUMBER)}${GAP}e.g. ${ids.join(', ')}`)] : []),
  ];
}

function more(left: number, noun: string, paint: Paint): string[] {
  return left > 0 ? [paint('dim', `${' '.repeat(2 + NUMBER)}${GAP}${counted(left, noun)}: --json`)] : [];
}

function numberCell(
  number: number,
  { counted: exactness }: FailureCause,
  paint: Paint,
  colour: 'red' | 'yellow',
) {
  const rounded = Math.round(number);
  if (rounded === 0) return padStart('0', NUMBER);
  return paint(colour, padStart(`${COUNT_SIGNS[exactness]}${count(rounded)}`, NUMBER));
}

/** Text that others wrote, without what a terminal obeys or what changes the direction of the line. */
export function plain(text: string): string {
  return printable(text).replace(/\p{Cf}/gu, '');
}
