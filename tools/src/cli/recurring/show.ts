import type { RedactPayload } from 'dynamo-backlog';
import { age, jsonOf, nextOccurrences, toIso } from 'dynamo-backlog/engine';
import { inOrder, type ReadSchedule } from '../../recurring/find-schedules.js';
import { type OccurrenceWithRecord, pastOccurrences } from '../../recurring/past-occurrences.js';
import { inZone, ORIGINS, scheduleText, scheduleWords } from '../../recurring/recurring-words.js';
import { definitionJson, shownOwnPayload } from '../../recurring/shown-definition.js';
import { paintStatus } from '../list-table.js';
import { EXIT, hasColors, printable } from '../output.js';
import { type Paint, padEnd, painter } from '../paint.js';
import { loadRedact } from '../redact-module.js';
import { indentJson } from '../show.js';
import { type Act, warnIfUnserved } from './at.js';
import { stateText } from './list.js';

const SHOWN = 5;
const LABEL = 16;

/** `backlog recurring show`: the definition, its next occurrences, and the records of the last ones. */
export const showRecurring: Act = async (name, at, flags, output) => {
  const redact = await loadRedact(flags.redact);
  const { store, target, recurring } = at;
  const { id = '' } = (await recurring.get(name)) ?? {};
  const record = await store.records.get(id);
  const now = target.clock.now();
  const [schedule] = record ? inOrder([record], now) : [];
  if (!record || !schedule) {
    output.message(`no recurring record "${printable(name)}" in ${target.where}`);
    return EXIT.failed;
  }
  const next = nextOccurrences(record, now, SHOWN).map((time) => toIso(time));
  const latest = await pastOccurrences(record, { store, now, count: SHOWN });
  if (flags.json) {
    const records = latest.map((one) => ({ at: toIso(one.at), id: one.id, status: one.record?.status }));
    output.data(jsonOf({ ...definitionJson(schedule, redact), upcoming: next, latest: records }));
  } else {
    const paint = painter(hasColors(process.stdout));
    output.data(describe(schedule, { next, latest, now, paint, redact }).join('\n'));
  }
  await warnIfUnserved(at, output);
  return EXIT.ok;
};

interface Describing {
  readonly next: readonly string[];
  readonly latest: readonly OccurrenceWithRecord[];
  readonly now: number;
  readonly paint: Paint;
  readonly redact: RedactPayload | undefined;
}

function describe(schedule: ReadSchedule, { next, latest, now, paint, redact }: Describing): string[] {
  const { name, origin, definition, problem, lastAttemptAt } = schedule.recurring;
  const line = (label: string, text: string | undefined) =>
    text === undefined ? [] : [`${paint('dim', padEnd(label, LABEL))}${text}`];
  const time = (iso: string, ms = Date.parse(iso)) => {
    const local = inZone(ms, definition?.timeZone);
    const then = ms > now ? `in ${age(ms - now)}` : `${age(now - ms)} ago`;
    return `${iso}  (${local === undefined ? '' : `${local} in ${definition?.timeZone}, `}${then})`;
  };
  const words = definition && scheduleWords(definition);
  const shown = shownOwnPayload(schedule, redact);
  return [
    ...line('name', paint('bold', printable(name))),
    ...(definition === undefined
      ? []
      : [
          ...line('schedule', printable(`${scheduleText(definition)}${words ? `  (${words})` : ''}`)),
          ...line('queue', printable(definition.queue ?? 'default')),
          ...line('task', definition.task && printable(definition.task)),
          ...line('key', definition.key && printable(definition.key)),
          ...line('retry', definition.retry && printable(jsonOf(definition.retry))),
          ...line('missed', definition.missed),
          ...line('none before', definition.startAt),
          ...line('none after', definition.endAt),
          ...line('jitter', definition.jitter === undefined ? undefined : age(definition.jitter * 1000)),
        ]),
    ...line('origin', ORIGINS[origin]),
    ...line('state', stateText({ ...schedule.recurring, problem: undefined }, now, paint)),
    ...line('problem', problem && paint('red', printable(problem))),
    ...line('last attempt', lastAttemptAt && time(lastAttemptAt)),
    ...section(
      'next occurrences',
      next.map((iso) => time(iso)),
      paint,
    ),
    ...section(
      'last occurrences, the newest first',
      latest.map((one) => `${printable(one.id)}  ${statusOf(one, paint)}`),
      paint,
    ),
    ...(shown === undefined
      ? []
      : [
          '',
          paint('dim', 'payload of its records'),
          ...(shown.hidden ?? indentJson(shown.json)).split('\n').map(printable),
        ]),
  ];
}

function section(heading: string, lines: readonly string[], paint: Paint): string[] {
  return ['', paint('dim', heading), ...(lines.length === 0 ? ['  none'] : lines.map((text) => `  ${text}`))];
}

function statusOf({ record, wasPaused }: OccurrenceWithRecord, paint: Paint): string {
  if (record !== undefined) return paintStatus(record.status, paint);
  return paint('dim', wasPaused ? 'paused' : 'no record: passed over, or removed since');
}
