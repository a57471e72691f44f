import { age } from '../support/duration.js';
import type { Condition } from './conditions.js';
import { COUNT_SIGNS, leastExact, waitText } from './count-signs.js';
import type { PassiveRegion } from './counts.js';
import { RECENT_MINUTES } from './failing.js';
import { count, minuteText, names, records } from './format.js';
import { incidentText } from './incident-text.js';
import { type Incident, incidentsOf } from './incidents.js';
import { pauseNote } from './pause-text.js';
import { runTroubles } from './run-text.js';
import type { QueueView, Snapshot } from './snapshot.js';

/** The sentence at the top of the overview. */
export interface Sentence {
  /**
   * `ok`: nothing is wrong. `run`: the fault is over, and records that had failed are left. `unknown`: nothing is known to be wrong,
   * and not all is known.
   */
  readonly tone: 'ok' | 'run' | 'unknown' | 'amber' | 'dead';
  /** The worst finding, in one sentence. */
  readonly title: string;
  /** The other findings, in their order. */
  readonly details: readonly string[];
}

interface Finding {
  readonly tone: 'amber' | 'dead' | 'run';
  readonly text: string;
}

/**
 * The findings of an overview, the worst first. The order is fixed, so that the same state always reads the same:
 *
 *     tables unread > another region active > incidents > queue late > runs fail > no rule for a queue > keys held >
 *     rule missed > rule disabled > paused > not known since a pause > recovering > dead records
 *
 * @param error the reason why the tables could not be read; undefined: they were
 */
export function sentenceOf(snapshot: Snapshot, error?: string): Sentence {
  const findings = [...unread(error), ...inOrder(snapshot)];
  const [first, ...others] = findings;
  if (!first) return nothingWrong(snapshot);
  return { tone: first.tone, title: first.text, details: others.map(({ text }) => text) };
}

function unread(error: string | undefined): Finding[] {
  return error === undefined ? [] : [{ tone: 'dead', text: `The tables cannot be read: ${error}` }];
}

function inOrder(snapshot: Snapshot): Finding[] {
  const { queues = [], rules, now, passive } = snapshot;
  const incidents = incidentsOf(queues);
  const texts = (state: Incident['state']) =>
    incidents.filter((one) => one.state === state).map((one) => incidentText(one, now));
  const of = (condition: Condition) => queues.filter((queue) => queue.condition === condition);
  const missed = rules.filter((rule) => rule.missed).map(({ rule }) => rule.label);
  const disabled = rules.filter(({ rule }) => !rule.enabled && rule.queues.length > 0).length;
  return [
    ...(passive ? [amber(passiveText(passive))] : []),
    ...texts('failing').map(dead),
    ...of('late').map((queue) => dead(lateText(queue, now))),
    ...runTroubles(snapshot).map(({ text, isRepeated }) => (isRepeated ? dead : amber)(text)),
    ...of('unserved').map((queue) => amber(unservedText(queue))),
    ...of('held').map((queue) => amber(heldText(queue))),
    ...(missed.length > 0 ? [amber(`${names(missed)} missed a run.`)] : []),
    ...(disabled > 0 ? [amber(`${disabled === 1 ? 'One rule is' : `${disabled} rules are`} disabled.`)] : []),
    ...of('paused').map((queue) => amber(pausedText(queue, now))),
    ...texts('unknown').map(amber),
    ...texts('recovering').map((text): Finding => ({ tone: 'run', text })),
    ...deadText(queues),
  ];
}

const dead = (text: string): Finding => ({ tone: 'dead', text });
const amber = (text: string): Finding => ({ tone: 'amber', text });

/** The text of a passive region. Its records wait for the active one; if that one has stopped, `Lag` fires. */
function passiveText({ region, active }: PassiveRegion): string {
  return active === region
    ? `A failover to ${region} is under way: no region attempts records.`
    : `${region} is passive: ${active} attempts the records.`;
}

/** `prices is 16 min late: 4,212 records due, no run is at work.` */
export function lateText({ stats, leases, neverServed, lostRuns }: QueueView, now: number): string {
  const { queue, lagSeconds = 0, due, counted } = stats;
  const left = lostRuns?.leftSince;
  const none = left === undefined ? '' : `, and one was lost at ${minuteText(left, now)} UTC`;
  const isAtWork = leases.length > 0 ? 'a run is at work' : `no run is at work${none}`;
  const holder = neverServed ? 'no run has served it yet' : isAtWork;
  return `${queue} is ${age(lagSeconds * 1000)} late: ${COUNT_SIGNS[counted]}${records(due?.now ?? 0)} due, ${holder}.`;
}

/** `deafult: no rule serves this queue, 2 records wait; did you mean "default"?` */
export function unservedText({ stats, unserved }: QueueView): string {
  const hint = unserved?.meant === undefined ? '.' : `; did you mean "${unserved.meant}"?`;
  return `${stats.queue}: no rule serves this queue, ${waitText(stats)}${hint}`;
}

/** `events: the records of 3 keys wait until an operator acts: "backlog lines events --held" shows them.` */
export function heldText({ stats: { queue }, held }: QueueView): string {
  const { keys = 0, hasMore = false } = held ?? {};
  const of = `${hasMore ? '≥ ' : ''}${count(keys)} ${keys === 1 ? 'key' : 'keys'}`;
  return `${queue}: the records of ${of} wait until an operator acts: "backlog lines ${queue} --held" shows them.`;
}

function pausedText({ stats }: QueueView, now: number): string {
  const { queue, pausedAt } = stats;
  const since =
    pausedAt === undefined ? 'is paused' : `has been paused for ${age(now - Date.parse(pausedAt))}`;
  const note = pauseNote(stats, now);
  return `${queue} ${since}${note}${note === '' ? ',' : ';'} ${waitText(stats)}.`;
}

function deadText(queues: readonly QueueView[]): Finding[] {
  const having = queues.filter(({ stats }) => stats.dead > 0);
  const total = having.reduce((sum, { stats }) => sum + stats.dead, 0);
  if (total === 0) return [];
  const verb = total === 1 ? 'needs' : 'need';
  const sign = COUNT_SIGNS[leastExact(having.map(({ stats }) => stats))];
  return [
    amber(
      `${sign}${records(total, 'dead')} of ${names(having.map(({ stats }) => stats.queue))} ${verb} a decision.`,
    ),
  ];
}

/**
 * The sentence if nothing is known to be wrong. The local runtime knows how attempts end and whether rules fire. Elsewhere the latest
 * success of each queue that waits is the evidence: attempts that fail come due again on time, and what no intake indexes waits in
 * no queue.
 */
function nothingWrong({ queues, now }: Snapshot): Sentence {
  if (queues === undefined) return unknown('The queues have not been read yet.');
  if (queues.length === 0) return unknown('No run has served a queue yet.');
  const strangers = queues.filter(({ recent }) => recent === undefined);
  if (queues.every(({ stats }) => stats.pending === 0)) {
    if (strangers.length === 0) return ok('All quiet. No record waits.');
    const last = Math.max(...strangers.map(successAt));
    if (!strangers.every(isUnsure)) return ok(`No indexed record waits. ${successText(last, now)}.`);
    return unknown(`No indexed record waits. Whether attempts succeed is not known ${sinceText(last, now)}.`);
  }
  const wait = waitTextOf(queues);
  const waiting = strangers.filter(({ stats }) => stats.pending > 0);
  if (strangers.length === 0) {
    const hasSucceeded = queues.some(({ recent }) => (recent?.succeeded ?? 0) > 0);
    if (hasSucceeded) return ok(`Every queue is on time. ${wait}.`);
    return unknown(
      `Every queue is on time. ${wait}, and none has succeeded in the last ${RECENT_MINUTES} min.`,
    );
  }
  const unsure = waiting.filter(isUnsure);
  if (unsure.length === 0) {
    const onTime = waiting.every(({ stats }) => stats.lagSeconds !== undefined)
      ? 'Every queue is on time.'
      : 'No queue is known to be late.';
    return ok(`${onTime} ${wait}. ${successText(Math.min(...waiting.map(successAt)), now)}.`);
  }
  const of = unsure.length === queues.length ? '' : ` of ${names(unsure.map(({ stats }) => stats.queue))}`;
  const since = sinceText(Math.min(...unsure.map(successAt)), now);
  return unknown(
    `Whether attempts${of} succeed is not known ${since}: ${waitTextOf(unsure)}${retryText(unsure, now)}.`,
    'Failures reads some of them, and the alarms watch attempts.',
  );
}

function waitTextOf(queues: readonly QueueView[]): string {
  const pending = queues.reduce((sum, { stats }) => sum + stats.pending, 0);
  return waitText({ pending, counted: leastExact(queues.map(({ stats }) => stats)) });
}

/** Tells whether no success of late is known. */
export function isUnsure({ lastSuccess }: Pick<QueueView, 'lastSuccess'>): boolean {
  return lastSuccess?.isOld !== false;
}

function successAt({ lastSuccess }: QueueView): number {
  return lastSuccess?.at ?? Number.NEGATIVE_INFINITY;
}

function successText(at: number, now: number): string {
  return `Attempts have succeeded, the latest at ${minuteText(at, now)} UTC`;
}

/** `since 14:12 UTC`: the latest success that is known; `here`: none is. */
function sinceText(at: number, now: number): string {
  return Number.isFinite(at) ? `since ${minuteText(at, now)} UTC` : 'here';
}

const ok = (title: string): Sentence => ({ tone: 'ok', title, details: [] });
const unknown = (title: string, ...details: readonly string[]): Sentence => ({
  tone: 'unknown',
  title,
  details,
});

/** `, ≈ 759 of them after failed attempts, as counted at 14:41 UTC`, by the monitor. */
function retryText(queues: readonly QueueView[], now: number): string {
  if (queues.some(({ inRetry }) => inRetry === undefined)) return '';
  const readAt = queues.map(({ stats }) => stats.reading?.at ?? '').sort()[0] ?? '';
  const at = readAt === '' ? '' : `, as counted at ${minuteText(Date.parse(readAt), now)} UTC`;
  const inRetry = queues.reduce((sum, { inRetry = 0 }) => sum + inRetry, 0);
  if (inRetry === 0) return `, and none of those that the monitor has read has failed${at}`;
  const sign = COUNT_SIGNS[leastExact(queues.map(({ retryCounted }) => ({ counted: retryCounted })))];
  return `, ${sign}${count(inRetry)} of them after failed attempts${at}`;
}
