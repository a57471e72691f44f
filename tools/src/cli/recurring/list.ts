import type { BacklogRecord, RecurringRecord } from 'dynamo-backlog';
import { age, jsonOf } from 'dynamo-backlog/engine';
import { shortened } from 'dynamo-backlog/overview';
import { findSchedules, inOrder, type ReadSchedule } from '../../recurring/find-schedules.js';
import { ORIGINS, pauseText, scheduleText } from '../../recurring/recurring-words.js';
import { definitionJson } from '../../recurring/shown-definition.js';
import { clock, counted, EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { type Paint, painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import { loadRedact } from '../redact-module.js';
import { type RecurringAt, type RecurringFlags, warnIfUnserved } from './at.js';

const AT_ONCE = 100;
const MAX_PROBLEM = 120;

const COLUMNS = ['NAME', 'SCHEDULE', 'QUEUE', 'NEXT, UTC', 'STATE', 'ORIGIN'].map(
  (name) => [name, 'left'] as const,
);

/** `backlog recurring list`: all that go on or are dead, those in trouble first. */
export async function listRecurring(
  at: RecurringAt,
  flags: RecurringFlags,
  output: Output,
): Promise<ExitCode> {
  const redact = await loadRedact(flags.redact);
  const { store, target } = at;
  const now = target.clock.now();
  const { ids } = await findSchedules(store);
  const records: BacklogRecord[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const found = await store.records.getItems(ids.slice(start, start + AT_ONCE), 'eventual');
    records.push(...found.map(({ record }) => record));
  }
  const schedules = inOrder(records, now);
  if (flags.json) {
    const lines = schedules.map((schedule) => jsonOf(definitionJson(schedule, redact)));
    output.data(lines.length === 0 ? '[]' : `[${lines.join(',\n')}]`);
  } else if (schedules.length > 0) {
    const paint = painter(hasColors(process.stdout));
    output.data(
      plainTable(
        COLUMNS,
        schedules.map((one) => row(one, now, paint)),
        paint,
      ),
    );
  }
  output.message(`${counted(schedules.length, 'recurring record')} in ${target.where}`);
  await warnIfUnserved(at, output);
  return EXIT.ok;
}

function row({ recurring }: ReadSchedule, now: number, paint: Paint): string[] {
  const { name, definition, next, origin } = recurring;
  return [
    printable(name),
    definition === undefined ? '-' : printable(scheduleText(definition)),
    definition === undefined ? '-' : printable(definition.queue ?? 'default'),
    next === undefined ? '-' : `${clock(next).slice(0, 16)}  ${relative(Date.parse(next) - now)}`,
    stateText(recurring, now, paint),
    ORIGINS[origin],
  ];
}

const relative = (milliseconds: number) => (milliseconds > 0 ? `in ${age(milliseconds)}` : 'now');

const COLORS = { dead: 'red', failing: 'red', paused: 'yellow', ended: 'dim', waiting: 'green' } as const;

/** `dead: payload: expected …`, `paused for 2 h: stocktaking, by anna` */
export function stateText(recurring: RecurringRecord, now: number, paint: Paint): string {
  const { state, problem } = recurring;
  const why = problem === undefined ? '' : `: ${shortened(problem, MAX_PROBLEM)}`;
  const pause = pauseText(recurring, now);
  const more = state === 'paused' ? pause : `${why}${pause && `; paused${pause}`}`;
  return `${paint(COLORS[state], state)}${printable(more)}`;
}
