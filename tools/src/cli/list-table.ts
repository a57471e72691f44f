import type { BacklogRecord, Status } from 'dynamo-backlog';
import { age, cancelReasonOf, isUnderAttempt, nextAttemptAt, notReadyText } from 'dynamo-backlog/engine';
import { outsideReason, outsideWait } from '../outside-wait.js';
import { clock, printable } from './output.js';
import { cut, type Paint, padEnd, padStart, width } from './paint.js';
import { shortAge } from './top/text.js';

/** Degree of detail of the table; each one is narrower than the one before. */
interface Density {
  /** A time, which is `ms` from now; positive in the future. */
  readonly time: (iso: string, ms: number) => string;
  /** The reason has a column of its own; otherwise it stands before the error. */
  readonly ownReason: boolean;
  readonly hides: ReadonlySet<string>;
  /** Smallest widths of columns, by heading. */
  readonly least: Readonly<Record<string, number>>;
}

const relative = (milliseconds: number) =>
  milliseconds > 0 ? `in ${age(milliseconds)}` : `${age(-milliseconds)} ago`;
/** `27 min`, `in 3 min` */
const shortTime = (_iso: string, ms: number) => (ms > 0 ? `in ${shortAge(ms)}` : shortAge(-ms));

/** An id is for `backlog show`: it gives way last. */
const ID = 36;
const NARROW = {
  time: shortTime,
  ownReason: false,
  least: { ID, QUEUE: 10, TASK: 10, KEY: 10, 'LAST ERROR': 20 },
};

const DENSITIES: readonly Density[] = [
  {
    time: (iso, ms) => `${clock(iso)}  ${relative(ms)}`,
    ownReason: true,
    hides: new Set(),
    least: { ID, QUEUE: 20, TASK: 20, KEY: 20, REASON: 24, 'LAST ERROR': 40 },
  },
  {
    time: (iso, ms) => `${clock(iso).slice(5, 16)}  ${shortTime(iso, ms)}`,
    ownReason: true,
    hides: new Set(),
    least: { ID, QUEUE: 20, TASK: 20, KEY: 20, REASON: 16, 'LAST ERROR': 24 },
  },
  {
    time: (_iso, ms) => relative(ms),
    ownReason: true,
    hides: new Set(),
    least: { ID, QUEUE: 16, TASK: 16, KEY: 16, REASON: 16, 'LAST ERROR': 24 },
  },
  { ...NARROW, hides: new Set() },
  { ...NARROW, hides: new Set(['ATTEMPTS']) },
  {
    ...NARROW,
    hides: new Set(['ATTEMPTS', 'TASK', 'KEY', 'QUEUE']),
    least: { ID: 12, 'LAST ERROR': 10 },
  },
];

interface TableLook {
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** The terminal's width. Default: as many as it takes. */
  readonly columns: number | undefined;
  readonly paint: Paint;
}

interface Column {
  readonly head: string;
  readonly align?: 'right';
  readonly cell: (record: BacklogRecord, density: Density, now: number) => string;
  readonly style?: (text: string, record: BacklogRecord, paint: Paint) => string;
}

/** The columns, in the order in which they are given more room than they must have: the error comes last. */
const COLUMNS: readonly Column[] = [
  { head: 'ID', cell: ({ id }) => printable(id) },
  { head: 'QUEUE', cell: ({ queue }) => printable(queue) },
  { head: 'TASK', cell: ({ task }) => printable(task ?? NONE) },
  { head: 'KEY', cell: ({ key }) => printable(key ?? NONE) },
  {
    head: 'STATUS',
    cell: ({ status }) => status,
    style: (text, { status }, paint) => paint(STATUS_FORMATS[status], text),
  },
  { head: 'ATTEMPTS', align: 'right', cell: ({ attempts }) => String(attempts) },
  {
    head: 'INSERTED',
    cell: ({ insertedAt }, { time }, now) => time(insertedAt, Date.parse(insertedAt) - now),
  },
  { head: 'DUE', cell: dueCell },
  {
    head: 'REASON',
    cell: (record, { ownReason }, now) => (ownReason ? reasonText(record, now) : ''),
  },
  {
    head: 'LAST ERROR',
    cell: (record, { ownReason }, now) => {
      const reason = ownReason ? '' : reasonText(record, now);
      return [reason && `(${reason})`, errorText(record)].filter(Boolean).join(' ');
    },
  },
];

const OPTIONAL: ReadonlySet<string> = new Set(['TASK', 'KEY', 'REASON', 'LAST ERROR']);
const GAP = '  ';
const NONE = '-';

/** A heading, and one line for each record, none longer than so many columns. */
export function recordTable(
  records: readonly BacklogRecord[],
  { now, columns = Number.POSITIVE_INFINITY, paint }: TableLook,
): string[] {
  let laid = laidOut(records, DENSITIES[0] as Density, now);
  for (const density of DENSITIES) {
    laid = laidOut(records, density, now);
    if (widthOf(laid.map(({ least }) => least)) <= columns) break;
  }
  let room = columns - widthOf(laid.map(({ least }) => least));
  const widths = laid.map(({ least, natural }) => {
    const more = Math.max(0, Math.min(natural - least, room));
    room -= more;
    return least + more;
  });
  const line = (cellOf: (column: Laid, i: number) => string) =>
    cut(laid.map(cellOf).join(GAP), columns).trimEnd();
  const fitted = (text: string, i: number, align: Column['align']) => {
    const own = widths[i] ?? 0;
    const shown = cut(text, own);
    return align === 'right' ? padStart(shown, own) : i === laid.length - 1 ? shown : padEnd(shown, own);
  };
  return [
    line(({ head, align }, i) => paint('dim', fitted(head, i, align))),
    ...records.map((record, r) =>
      line(({ cells, align, style }, i) => {
        const text = fitted(cells[r] ?? '', i, align);
        return style ? style(text, record, paint) : text;
      }),
    ),
  ];
}

type Laid = Column & {
  readonly cells: readonly string[];
  readonly least: number;
  readonly natural: number;
};

function laidOut(records: readonly BacklogRecord[], density: Density, now: number): Laid[] {
  return COLUMNS.filter(({ head }) => !density.hides.has(head)).flatMap((column) => {
    const cells = records.map((record) => column.cell(record, density, now));
    if (OPTIONAL.has(column.head) && cells.every((text) => text === '' || text === NONE)) return [];
    const natural = Math.max(width(column.head), ...cells.map(width));
    return [{ ...column, cells, natural, least: Math.min(natural, density.least[column.head] ?? natural) }];
  });
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
}

const STATUS_FORMATS = { NEW: 'white', ERROR: 'yellow', SUCCESS: 'green', DEAD: 'red' } as const;

export function paintStatus(status: Status, paint: Paint): string {
  return paint(STATUS_FORMATS[status], status);
}

function dueCell(record: BacklogRecord, { time }: Density, now: number): string {
  const due = nextAttemptAt(record);
  if (due === undefined) return NONE;
  if (isUnderAttempt(record, now)) return attemptText(record);
  const ms = Date.parse(due) - now;
  if (ms > 0) return time(due, ms);
  return waitsForTurn(record) ? 'its turn' : 'next run';
}

/** Tells whether it has a number and is in no lane: it is attempted in the order of its key, see `backlog lines`. */
function waitsForTurn(record: BacklogRecord): boolean {
  return record.key !== undefined && record.seq !== undefined && record.lane === undefined;
}

function attemptText(record: BacklogRecord): string {
  return cancelReasonOf(record) === undefined ? 'under attempt' : 'asked to end';
}

/** `in 3 min`, `in 2 d, unless its end comes before` from outside, `next run`, `in its turn …`, `under attempt` for hours, `asked to end` if it is to be cancelled, or `-` for a record that does not wait. */
export function dueText(record: BacklogRecord, now: number): string {
  const due = nextAttemptAt(record);
  if (due === undefined) return NONE;
  if (isUnderAttempt(record, now)) return attemptText(record);
  const ms = Date.parse(due) - now;
  if (ms <= 0)
    return waitsForTurn(record) ? 'in its turn among the records of its key: backlog lines' : 'next run';
  return `in ${age(ms)}${outsideWait(record) ? ', unless its end comes before' : ''}`;
}

/** Text for a record whose task no handler knows; empty for any other record. */
export function unknownTaskText({ unknownTaskSince: since }: BacklogRecord, now: number): string {
  return since === undefined ? '' : `no handler knows its task, for ${age(now - Date.parse(since))}`;
}

function reasonText(record: BacklogRecord, now: number): string {
  const waits = outsideReason(record) ?? notReadyText(record) ?? '';
  return printable(record.deadReason ?? (unknownTaskText(record, now) || waits));
}

function errorText({ lastError }: BacklogRecord): string {
  return lastError ? printable(`${lastError.name}: ${lastError.message}`) : '';
}
