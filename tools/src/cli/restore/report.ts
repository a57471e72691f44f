import { counted, hasColors, printable } from '../output.js';
import { painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import type { Difference } from './compare.js';
import type { Group, RestoreCounters } from './counters.js';
import type { Decisions } from './decide.js';
import type { HeldQueues } from './hold.js';
import type { Setting } from './settings.js';

export interface Report {
  readonly table: string;
  readonly from: string | undefined;
  readonly apply: boolean;
  readonly complete: boolean;
  readonly decisions: Decisions;
  readonly settings: readonly Setting[];
  readonly counters: RestoreCounters;
  readonly held: HeldQueues;
}

const MAX_IDS_CHARS = 50;
const SHOWN_FAILURES = 20;

const WHAT: Readonly<Record<Exclude<Difference, 'same'>, string>> = {
  succeeded: 'waiting or dead here, succeeded since',
  dead: 'waiting here, given up or discarded since',
  gone: 'waiting here, not in the old table',
  missing: 'in the old table only',
  changed: 'changed since by a producer or an operator',
  retried: 'waiting in both, attempted or put off since',
  unreadable: 'of an unreadable status in the old table',
};

const DONE = {
  succeeded: { mark: 'marked SUCCESS', attempt: 'attempted again', hold: 'held, as DEAD' },
  dead: { mark: 'marked DEAD', attempt: 'attempted again' },
  gone: { attempt: 'attempted', hold: 'held, as DEAD' },
  missing: { copy: 'copied', leave: 'left out' },
  changed: { restored: 'kept as restored', old: 'taken from the old table' },
} as const;

/** Text of what was found and done, or would be done: by difference, and by queue. */
export function restoreText({ apply, decisions, settings, counters, held }: Report): string {
  const paint = painter(hasColors(process.stdout));
  const groups = Object.entries(WHAT).flatMap(([difference, what]) => {
    const group = counters.groups[difference as Difference];
    if (!group) return [];
    const done = doneText(difference as Difference, decisions);
    return [
      [
        String(group.count),
        what,
        done + countsText(group, apply),
        shorten(group.ids.map(printable).join(', ')),
      ],
    ];
  });
  const queues = [...counters.queues].sort().map(([name, { waiting, due, notIndexed }]) => {
    const state = held.paused.has(name) ? 'held' : 'not held yet';
    return [printable(name), String(waiting), String(due), String(notIndexed), state];
  });
  const parts = [
    table(
      [
        ['RECORDS', 'right'],
        ['WHAT', 'left'],
        ['DECISION', 'left'],
        ['SUCH AS', 'left'],
      ],
      groups,
    ),
    table(
      [
        ['QUEUE', 'left'],
        ['WAITING', 'right'],
        ['DUE NOW', 'right'],
        ['NOT INDEXED', 'right'],
        ['STATE', 'left'],
      ],
      queues,
    ),
    table(
      [
        ['SETTING', 'left'],
        ['STATE', 'left'],
      ],
      settings.map(({ name, state }) => [name, STATES[state]]),
    ),
  ];
  const todo = settings.flatMap((setting) =>
    setting.todo ? [`  ${setting.name}: ${printable(setting.todo)}`] : [],
  );
  const todos = todo.length === 0 ? '' : [paint('dim', 'WHAT TO DO'), ...todo].join('\n');
  return [...parts, todos].filter((part) => part !== '').join('\n\n');

  function table(
    columns: readonly (readonly [string, 'left' | 'right'])[],
    rows: readonly (readonly string[])[],
  ) {
    return rows.length === 0 ? '' : plainTable(columns, rows, paint);
  }
}

const STATES: Readonly<Record<Setting['state'], string>> = {
  on: 'on',
  turnedOn: 'turned on',
  wouldTurnOn: 'would be turned on',
  yours: 'left to you',
  unsupported: 'this emulator has none',
};

function doneText(difference: Difference, decisions: Decisions): string {
  if (!(difference in DONE)) return 'kept as restored';
  const decision = difference as keyof typeof DONE;
  return (DONE[decision] as Readonly<Record<string, string>>)[decisions[decision]] ?? '';
}

/** Returns only the counts that differ from the count of the row. */
function countsText({ count, written, already }: Group, apply: boolean): string {
  const rest = count - written - already;
  if (written === 0 && already === 0) return '';
  const parts = [
    ...(already > 0 ? [`${already} already`] : []),
    ...(rest > 0 && apply ? [`${rest} not`] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** Lines for the operator: how it ended, and what to do next. */
export function restoreSummary({ table, apply, complete, counters, held }: Report): string {
  const { looked, changedMeanwhile, failed, failures, readUnits, writeUnits } = counters;
  const written = Object.values(counters.groups).reduce((sum, group) => sum + group.written, 0);
  const notIndexed = [...counters.queues.values()].reduce((sum, queue) => sum + queue.notIndexed, 0);
  const units = `${Math.ceil(readUnits)} read and ${Math.ceil(writeUnits)} write units`;
  return [
    `${counted(looked, 'item')} looked at, ${counted(written, 'record')} ${apply ? 'written' : 'to write'}; ${units}`,
    ...(changedMeanwhile > 0
      ? [`${changedMeanwhile} changed by another process meanwhile: repeat the command`]
      : []),
    ...failures.slice(0, SHOWN_FAILURES).map(({ id, reason }) => `${printable(id)}: ${printable(reason)}`),
    ...(failed > SHOWN_FAILURES ? [`… ${failed} failed (--json has the first 1000)`] : []),
    ...(complete ? [] : ['interrupted: the same command goes on with what is left']),
    ...(complete && !apply ? ['nothing was changed: --apply does it, and holds all queues first'] : []),
    ...(complete && notIndexed > 0
      ? [
          `${counted(notIndexed, 'record')} not indexed, and no event reports them: backlog doctor --table ${table} --repair, or the daily sweep`,
        ]
      : []),
    ...(complete && apply && held.paused.size > 0
      ? [`${counted(held.paused.size, 'queue')} held; when all is decided: backlog resume QUEUE`]
      : []),
  ].join('\n');
}

/** Tells whether something is left to decide, or could not be done. */
export function hasOpenEnds({ decisions, settings, counters }: Report): boolean {
  const { groups, failed, changedMeanwhile } = counters;
  const count = (difference: Difference) => groups[difference]?.count ?? 0;
  return (
    failed + changedMeanwhile + count('unreadable') > 0 ||
    (decisions.missing === 'leave' && count('missing') > 0) ||
    (decisions.succeeded === 'hold' && count('succeeded') > 0) ||
    (decisions.gone === 'hold' && count('gone') > 0) ||
    settings.some(({ state }) => state === 'yours')
  );
}

/** The report as JSON, for programs. */
export function restoreJson(report: Report): string {
  const { table, from, apply, complete, decisions, settings, counters, held } = report;
  const { looked, groups, changedMeanwhile, failed, failures, readUnits, writeUnits } = counters;
  const queues = Object.fromEntries(counters.queues);
  return JSON.stringify({
    ...{ table, from: from ?? null, apply, complete, openEnds: hasOpenEnds(report), decisions, settings },
    ...{ looked, differences: groups, queues, heldQueues: [...held.paused.keys()].sort() },
    ...{ changedMeanwhile, failed, failures, readUnits, writeUnits },
  });
}

function shorten(text: string): string {
  return text.length > MAX_IDS_CHARS ? `${text.slice(0, MAX_IDS_CHARS - 1)}…` : text;
}
