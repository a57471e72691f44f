import { age } from 'dynamo-backlog/engine';
import {
  COUNT_SIGNS,
  count,
  LOOKS,
  type Look,
  type OverviewStats,
  type QueueView,
} from 'dynamo-backlog/overview';
import { cut, type Paint, padEnd, padStart, width } from '../paint.js';
import type { SortOrder } from './sort.js';
import { oneColumnEach, shortAge, shortCount } from './text.js';

/** Time of the counts, by two clocks. */
export interface TableTimes {
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** Real time, epoch milliseconds: leases follow it. */
  readonly wall: number;
}

/** One character for each icon of the console. */
export const GLYPHS: Readonly<Record<Look['icon'], string>> = {
  breaker: '◐',
  fail: '⊗',
  warn: '▲',
  paused: '‖',
  dead: '⊠',
  run: '●',
  new: '○',
  ok: '✓',
};
export const COLORS: Readonly<Record<Look['tone'], Parameters<Paint>[0]>> = {
  amber: 'yellow',
  dead: 'red',
  run: 'cyan',
  new: 'reset',
  ok: 'green',
};

/** Degree of detail of the table; each one is narrower than the one before. */
interface Density {
  readonly ages: (milliseconds: number) => string;
  readonly counts: (number: number) => string;
  readonly lease: 'full' | 'short' | 'time';
  readonly hides: ReadonlySet<string>;
}

const EXTRAS = ['FAILED', 'NEXT RUN'];
const DENSITIES: readonly Density[] = [
  { ages: age, counts: count, lease: 'full', hides: new Set() },
  { ages: age, counts: count, lease: 'short', hides: new Set() },
  { ages: age, counts: count, lease: 'short', hides: new Set(EXTRAS) },
  { ages: shortAge, counts: count, lease: 'short', hides: new Set(EXTRAS) },
  { ages: shortAge, counts: shortCount, lease: 'short', hides: new Set(EXTRAS) },
  { ages: shortAge, counts: shortCount, lease: 'time', hides: new Set(EXTRAS) },
  { ages: shortAge, counts: shortCount, lease: 'time', hides: new Set([...EXTRAS, 'LAG', 'OLDEST DUE']) },
];

interface Cell {
  readonly text: string;
  readonly format?: Parameters<Paint>[0] | undefined;
}

interface Column {
  readonly head: string;
  readonly align: 'left' | 'right';
  readonly sort?: SortOrder;
  readonly cell: (view: QueueView, density: Density, times: TableTimes) => Cell;
}

const UNKNOWN: Cell = { text: '–', format: 'dim' };

const COLUMNS: readonly Column[] = [
  { head: 'STATE', align: 'left', sort: 'worst', cell: stateCell },
  {
    head: 'WAITING',
    align: 'right',
    sort: 'waiting',
    cell: ({ stats }, density) => number(stats.pending, density, { counted: stats.counted }),
  },
  {
    head: 'DUE',
    align: 'right',
    sort: 'due',
    cell: ({ stats }, density) => number(stats.due?.now, density, { counted: stats.counted }),
  },
  {
    head: 'RETRY',
    align: 'right',
    cell: ({ inRetry, retryCounted }, density) =>
      number(inRetry, density, { counted: retryCounted, format: 'blue' }),
  },
  {
    head: 'DEAD',
    align: 'right',
    sort: 'dead',
    cell: ({ stats }, density) => number(stats.dead, density, { counted: stats.counted, format: 'red' }),
  },
  { head: 'OLDEST DUE', align: 'right', sort: 'oldest', cell: oldestCell },
  {
    head: 'LAG',
    align: 'right',
    cell: ({ stats: { lagSeconds } }, { ages }) => {
      if (lagSeconds === undefined) return UNKNOWN;
      return { text: ages(lagSeconds * 1000), format: lagSeconds < 1 ? 'dim' : undefined };
    },
  },
  { head: 'FAILED', align: 'right', cell: failedCell },
  {
    head: 'NEXT RUN',
    align: 'right',
    cell: ({ nextRunAt }, { ages }, { now }) => {
      if (nextRunAt === undefined) return UNKNOWN;
      const ms = Date.parse(nextRunAt) - now;
      return { text: ms < 1000 ? 'now' : `in ${ages(ms)}` };
    },
  },
  { head: 'LEASE', align: 'left', cell: leaseCell },
];

const GAP = '  ';
const WIDEST_NAME = 60;
/** A name that is longer gives way before other columns do. */
const NAME_ROOM = 20;
const NARROWEST_NAME = 8;

/** A heading, and one line for each queue, none longer than so many columns. */
export function queueTable(
  queues: readonly QueueView[],
  times: TableTimes,
  { columns, sort, paint }: { columns: number; sort: SortOrder; paint: Paint },
): string[] {
  const names = queues.map(({ stats }) => oneColumnEach(stats.queue));
  const natural = Math.min(WIDEST_NAME, Math.max(6, ...names.map(width)));
  let chosen = laidOut(queues, times, DENSITIES[0] as Density);
  for (const density of DENSITIES) {
    chosen = laidOut(queues, times, density);
    if (chosen.width + Math.min(natural, NAME_ROOM) <= columns) break;
  }
  const nameWidth = Math.max(NARROWEST_NAME, Math.min(natural, columns - chosen.width));
  const marked = (text: string, own: SortOrder | undefined) => paint(own === sort ? 'bold' : 'dim', text);
  const head = [
    marked(padEnd('QUEUE', nameWidth), 'name'),
    ...chosen.columns.map(({ head: text, align, width: own, sort: by }) => marked(pad(text, own, align), by)),
  ].join(GAP);
  const rows = queues.map((_, i) =>
    [
      padEnd(cut(names[i] ?? '', nameWidth), nameWidth),
      ...chosen.columns.map(({ cells, align, width: own }) => {
        const { text, format } = cells[i] ?? UNKNOWN;
        const padded = pad(text, own, align);
        return format === undefined ? padded : paint(format, padded);
      }),
    ].join(GAP),
  );
  return [head, ...rows].map((line) => cut(line, columns));
}

function pad(text: string, columns: number, align: Column['align']): string {
  return align === 'right' ? padStart(text, columns) : padEnd(text, columns);
}

/** The columns that have something to say, and how wide they are together, gaps included. */
function laidOut(queues: readonly QueueView[], times: TableTimes, density: Density) {
  const columns = COLUMNS.filter(({ head }) => !density.hides.has(head) && isKnown(head, queues)).map(
    (column) => {
      const cells = queues.map((view) => column.cell(view, density, times));
      const own = Math.max(width(column.head), ...cells.map(({ text }) => width(text)));
      return { ...column, cells, width: own };
    },
  );
  return { columns, width: columns.reduce((sum, column) => sum + column.width + GAP.length, 0) };
}

/** Tells whether a column has values: what only a local runtime knows has no column elsewhere. */
function isKnown(head: string, queues: readonly QueueView[]): boolean {
  if (head === 'RETRY') return queues.some(({ inRetry }) => inRetry !== undefined);
  if (head === 'FAILED') return queues.some(({ recent }) => recent !== undefined);
  return head !== 'NEXT RUN' || queues.some(({ nextRunAt }) => nextRunAt !== undefined);
}

function number(
  value: number | undefined,
  { counts }: Density,
  { counted = 'exact', format }: Partial<Pick<OverviewStats, 'counted'>> & Pick<Cell, 'format'>,
): Cell {
  if (value === undefined) return UNKNOWN;
  if (value === 0) return { text: '0', format: 'dim' };
  return { text: `${COUNT_SIGNS[counted].trim()}${counts(value)}`, format };
}

/** Icon and word; an operator's pause is said of any queue. */
function stateCell({ condition, stats }: QueueView): Cell {
  const { icon, tone, word } = LOOKS[condition];
  const also = stats.paused && condition !== 'paused' ? ', paused' : '';
  return { text: `${GLYPHS[icon]} ${SHORT_WORDS[condition] ?? word}${also}`, format: COLORS[tone] };
}

const SHORT_WORDS: Readonly<Partial<Record<QueueView['condition'], string>>> = {
  dead: 'Has dead',
  working: 'At work',
};

function oldestCell({ stats: { oldestDueAt } }: QueueView, { ages }: Density, { now }: TableTimes): Cell {
  const ms = oldestDueAt === undefined ? Number.NaN : now - Date.parse(oldestDueAt);
  if (!Number.isFinite(ms)) return UNKNOWN;
  return ms >= 0 ? { text: ages(ms) } : { text: `in ${ages(-ms)}`, format: 'dim' };
}

function failedCell({ recent }: QueueView): Cell {
  const all = recent ? recent.succeeded + recent.failed : 0;
  if (!recent || all === 0) return UNKNOWN;
  if (recent.failed === 0) return { text: '0 %', format: 'dim' };
  return { text: `${Math.max(1, Math.round((100 * recent.failed) / all))} %` };
}

const HOLDER_CHARACTERS = 12;

/** The run that holds it, and until when. */
function leaseCell({ leases }: QueueView, { lease: how }: Density, { wall }: TableTimes): Cell {
  const [first, ...others] = leases;
  if (first === undefined) return UNKNOWN;
  const left = shortAge(Math.max(0, first.until - wall));
  const more = others.length > 0 ? ` +${others.length}` : '';
  if (how === 'time') return { text: `${left}${more}` };
  const holder = cut(oneColumnEach(first.holder), how === 'full' ? HOLDER_CHARACTERS : 8);
  const until = new Date(first.until).toISOString().slice(11, 19);
  return { text: how === 'full' ? `${holder} until ${until}, ${left}${more}` : `${holder} ${left}${more}` };
}
