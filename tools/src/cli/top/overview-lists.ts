import { isHeld, isLost, type Job } from 'dynamo-backlog/engine';
import {
  count,
  counted,
  type Incident,
  incidentName,
  incidentText,
  minuteText,
  names,
  shortened,
} from 'dynamo-backlog/overview';
import { alarmLine } from '../../alarms/alarm-source.js';
import { deedsOf } from '../../jobs/deeds.js';
import { actionWords, selectionText, stateText } from '../../jobs/job-words.js';
import type { Paint } from '../paint.js';
import { plainTable } from '../plain-table.js';
import { type Look, marked, NO_MARK, windowed } from './list-parts.js';
import type { OverviewScreen } from './screens.js';
import type { Reading } from './source.js';
import { GLYPHS } from './table.js';
import { oneColumnEach, wrapped } from './text.js';

/** Jobs, or operators on an incident, that are named at once. */
const MAX_SHOWN = 2;

/** The ids of the incidents, or of the jobs, in the order of their list. */
export function listedIds({ name }: OverviewScreen, reading: Reading | undefined): readonly string[] {
  return (name === 'incidents' ? reading?.incidents : reading?.jobs)?.map(({ id }) => id) ?? [];
}

/** The place of the selected one: it may have moved since the last reading, or be gone. */
export function selectedPlace({ selected }: OverviewScreen, ids: readonly string[]): number {
  return Math.max(0, ids.indexOf(selected ?? ''));
}

/** The incidents, or the jobs: a row for each, the selected one opened into what is known of it. */
export function overviewLines(screen: OverviewScreen, reading: Reading | undefined, look: Look): string[] {
  if (reading === undefined) return ['Reading the queues …'];
  const { incidents, jobs } = reading;
  const isOfJobs = screen.name === 'jobs';
  if (isOfJobs && jobs.length === 0) return ['No job in the last 30 days.'];
  if (!isOfJobs && incidents.length === 0) return ['No incident goes on.'];
  const [head = '', ...rows] = isOfJobs ? jobRows(jobs, look) : incidentRows(incidents, look);
  const place = selectedPlace(screen, listedIds(screen, reading));
  const job = jobs[place];
  const incident = incidents[place];
  const opened = isOfJobs ? job && jobDetails(job) : incident && incidentDetails(incident, reading);
  const details = (opened ?? []).flatMap((text) => wrapped(oneColumnEach(text), look.columns - 4, 3));
  return [
    NO_MARK + head,
    ...windowed(rows, place, look.room - details.length - 4).flatMap((row) => [
      marked(row.line, row.place === place, look.columns, look.paint),
      ...(row.place === place ? details.map((line) => `    ${look.paint('dim', line)}`) : []),
    ]),
  ];
}

const MARKS: Readonly<Record<Incident['state'], string>> = {
  failing: GLYPHS.fail,
  unknown: '?',
  recovering: GLYPHS.run,
  dead: GLYPHS.dead,
};

function incidentRows(incidents: readonly Incident[], { now, paint }: Look): string[] {
  const rows = incidents.map((incident) => {
    const { state, since, queues } = incident;
    return [
      `${MARKS[state]} ${oneColumnEach(incidentName(incident))}`,
      state,
      since === undefined ? '–' : minuteText(since, now),
      oneColumnEach(names(queues.map(({ stats }) => stats.queue))),
    ];
  });
  return tableLines(['INCIDENT', 'STATE', 'SINCE, UTC', 'QUEUES'], rows, paint);
}

function incidentDetails(incident: Incident, { snapshot: { now }, jobs }: Reading): string[] {
  const alarms = alarmLine([incident], undefined, now);
  return [
    incidentText(incident, now),
    ...(alarms === undefined ? [] : [alarms]),
    ...onIt(incident, jobs, now),
  ];
}

/** `on it: ann paused orders, 14:10 UTC`: the operators who have paused one of its queues, or begun a job on one. */
function onIt(incident: Incident, jobs: readonly Job[], now: number): string[] {
  const deeds = deedsOf(incident, jobs);
  const texts = deeds
    .slice(0, MAX_SHOWN)
    .map(({ by, what, at }) => `${shortened(by, 40)} ${shortened(what, 100)}, ${minuteText(at, now)} UTC`);
  const more = deeds.length - texts.length;
  return deeds.length === 0
    ? []
    : [`on it: ${[...texts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}`];
}

function jobRows(jobs: readonly Job[], { wall, paint }: Look): string[] {
  const rows = jobs.map((job) => [
    job.id,
    oneColumnEach(actionWords(job).label),
    (job.startedAt ?? job.createdAt).slice(5, 16).replace('T', ' '),
    oneColumnEach(stateText(job, wall)),
  ]);
  return tableLines(['JOB', 'ACTION', 'BEGAN, UTC', 'STATE'], rows, paint);
}

function jobDetails(job: Job): string[] {
  const { by, from, perSecond, counts, state, undoneBy, action } = job;
  const hasEnded = (state === 'done' || state === 'stopped') && counts.changed > 0 && action !== 'undo';
  const left = Object.values(counts.skipped).reduce((sum, number) => sum + number, 0);
  const facts = [
    `by ${by}, ${from}`,
    ...(perSecond === undefined ? [] : [`${perSecond} a second`]),
    ...(left > 0 ? [`${count(left)} left alone`] : []),
    ...(counts.failed > 0 ? [`${count(counts.failed)} failed`] : []),
  ];
  const undo =
    undoneBy === undefined ? 'u takes it back, within a day of its end' : `undone by job ${undoneBy}`;
  return [selectionText(job), facts.join('; '), ...(hasEnded ? [undo] : [])];
}

function tableLines(heads: readonly string[], rows: readonly string[][], paint: Paint): string[] {
  const columns = heads.map((head) => [head, 'left'] as const);
  return plainTable(columns, rows, paint).split('\n');
}

/** `job k3v9x2ab, Retry now: Running, 68 of 599`: the jobs at work, and those that were lost. */
export function jobLines({ jobs }: Pick<Reading, 'jobs'>, wall: number): string[] {
  const now = jobs.filter((job) => isHeld(job, wall) || isLost(job, wall));
  const lines = now
    .slice(0, MAX_SHOWN)
    .map((job) => oneColumnEach(`job ${job.id}, ${actionWords(job).label}: ${stateText(job, wall)}`));
  const more = now.length - lines.length;
  return more > 0 ? [...lines, `and ${counted(more, 'other job')}`] : lines;
}
