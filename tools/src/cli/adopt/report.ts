import { counted, hasColors, printable } from '../output.js';
import { type Paint, painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import type { AdoptionCounters } from './counters.js';
import type { Note } from './plan.js';
import type { Left } from './rules.js';

const COLUMNS = [
  ['ITEMS', 'right'],
  ['WHAT', 'left'],
  ['SUCH AS', 'left'],
] as const;
const MAX_IDS_CHARS = 60;

/** Reasons that need a decision by the user. */
const OPEN: ReadonlySet<string> = new Set<Left['reason']>([
  'unknownStatus',
  'noStatus',
  'unreadable',
  'inTheWay',
  'undated',
  'refused',
  'changing',
]);

const LEFT: Readonly<Record<Left['reason'], (detail: string) => string>> = {
  indexed: () => 'indexed already',
  done: () => 'done already',
  unknownStatus: (detail) => `left alone: ${detail} is neither known nor in --status-map`,
  noStatus: (detail) => `left alone: no ${detail} (--status-map =NEW takes them as NEW)`,
  unreadable: (detail) => `left alone: ${detail}`,
  inTheWay: (detail) => `left alone: "${detail}" is an attribute of theirs, and the library needs that name`,
  undated: () =>
    'left alone: no time of insertion, so that a first attempt may be under way ("backlog doctor --repair" waits for its end)',
  young: (detail) => `left to the intake: younger than ${detail}`,
  refused: (detail) => `left alone: DynamoDB refuses the change: ${detail}`,
  changing: () => 'left alone: changed by another process all the time',
};

const NOTES: Readonly<Record<Note, string>> = {
  undated: 'of those indexed: no time of insertion, which counts as now',
  zoneless: 'of those indexed: times without a zone, read as UTC or by --utc-offset',
  noPayload:
    'of those indexed: no "payload" (handlers see the item’s attributes; a delivery by HTTP has no body)',
  odd: 'of those indexed: other attributes of the contract that are invalid ("backlog doctor" lists them)',
};

/** Tells whether items were left that need a decision. */
export function hasOpenItems({ state }: AdoptionCounters): boolean {
  return Object.keys(state.left).some((reason) => OPEN.has(reason));
}

/** Table of what was done, or would be done, by reason. */
export function adoptionTable({ state }: AdoptionCounters, dryRun: boolean): string {
  const paint = painter(hasColors(process.stdout));
  const verb = dryRun ? 'would be ' : '';
  const row = ({ count, ids }: { count: number; ids: readonly string[] }, what: string) =>
    count === 0 ? [] : [[String(count), printable(what), shorten(ids.map(printable).join(', '))]];
  const rows = [
    ...Object.entries(state.indexed).flatMap(([lane, group]) => row(group, `${verb}indexed in lane ${lane}`)),
    ...row(state.finished, `done, and ${verb}marked SUCCESS`),
    ...Object.entries(state.left).flatMap(([reason, groups]) =>
      Object.entries(groups).flatMap(([detail, group]) =>
        row(group, paintLeft(reason, (LEFT[reason as Left['reason']] ?? String)(detail), paint)),
      ),
    ),
    ...Object.entries(state.notes).flatMap(([note, group]) => row(group, NOTES[note as Note] ?? note)),
  ];
  return plainTable(COLUMNS, rows, paint);
}

/** One line: how many, how fast, at what price. */
export function adoptionSummary({ state, written }: AdoptionCounters, dryRun: boolean): string {
  const { items, seconds, readUnits, writeUnits } = state;
  const rate = seconds > 0 ? `, ${Math.round(items / seconds)} a second` : '';
  const units = (count: number, kind: string) => counted(Math.round(count * 10) / 10, `${kind} unit`);
  const writes = dryRun
    ? `${written} would be written, for about ${units(writeUnits, 'write')}`
    : `${written} written, ${units(writeUnits, 'write')}`;
  return `${counted(items, 'item')} looked at in ${Math.round(seconds)} s${rate}; ${writes}; ${units(readUnits, 'read')}`;
}

/** The counts as JSON, for programs. */
export function adoptionJson(
  counters: AdoptionCounters,
  about: { readonly table: string; readonly dryRun: boolean; readonly complete: boolean },
): string {
  const { state, written } = counters;
  return JSON.stringify({ ...about, written, openItems: hasOpenItems(counters), ...state });
}

function paintLeft(reason: string, text: string, paint: Paint): string {
  return OPEN.has(reason) ? paint('yellow', printable(text)) : text;
}

function shorten(text: string): string {
  return text.length > MAX_IDS_CHARS ? `${text.slice(0, MAX_IDS_CHARS - 1)}…` : text;
}
