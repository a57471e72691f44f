import { isIdle, type RunSummary, withoutUrlSecrets } from 'dynamo-backlog/engine';
import type { RunReport } from 'dynamo-backlog/overview';
import type { InvocationLog } from '../sandbox/invocation-log.js';
import type { Invocation } from '../sandbox/sandbox.js';
import type { GivenUp } from '../sandbox/sandbox-pool.js';

/** Output of a run, for people of this machine: it is not in the status that other programs read. */
export interface RunDetails {
  /** Logs of the invocations that the report stands for, the oldest first. */
  readonly logs: readonly InvocationLog[];
  /** Stack of the error, if one ended the invocation. */
  readonly stack?: string | undefined;
}

export function detailsOf(invocation: Invocation | GivenUp): RunDetails {
  if (invocation.type === 'givenUp') return { logs: [] };
  const { log } = invocation;
  const stack = invocation.type === 'error' ? invocation.stack : undefined;
  return { logs: log ? [log] : [], ...(stack === undefined ? {} : { stack }) };
}

export interface FiringResult {
  readonly at: string;
  readonly rule: string;
  readonly label: string;
  readonly coalesced: number;
  readonly durationMs: number;
  readonly invocation: Invocation | GivenUp;
}

export function reportRun({ invocation, ...firing }: FiringResult): RunReport {
  switch (invocation.type) {
    case 'result': {
      const summary = asSummary(invocation.value);
      // What the monitor has read, queue by queue, shows on the page anyway.
      const isReading = Array.isArray(invocation.value);
      const idle = isReading || (summary !== undefined && didNothing(summary));
      const text = summary ? describeSummary(summary) : 'done';
      return { ...firing, outcome: 'ok', text, idle, ...(summary ? { summary } : {}) };
    }
    case 'error': {
      const text = shortened(`failed: ${invocation.name}: ${invocation.message}`);
      return { ...firing, outcome: 'error', text, idle: false };
    }
    case 'exited':
    case 'timedOut':
      return { ...firing, outcome: invocation.type, text: shortened(invocation.message), idle: false };
    case 'givenUp':
      return { ...firing, outcome: 'givenUp', text: `given up: ${invocation.message}`, idle: false };
    default:
      throw new TypeError(`unknown invocation ${JSON.stringify(invocation satisfies never)}`);
  }
}

/** Tells whether a run met no record and made up for no missed run, or its queue is paused. */
function didNothing(summary: RunSummary): boolean {
  return (isIdle(summary) || isPausedOnly(summary)) && !summary.caughtUp;
}

/** Tells whether a run read only records that it was not to attempt. What waits in a paused queue shows elsewhere. */
function isPausedOnly({ leftOver, ...summary }: RunSummary): boolean {
  return summary.ended === 'paused' && isIdle({ ...summary, leftOver: 0 });
}

const MAX_TEXT_CHARACTERS = 500;

/** A handler can throw anything, however long it is. */
function shortened(text: string): string {
  const shown = withoutUrlSecrets(text, 4 * MAX_TEXT_CHARACTERS);
  return shown.length > MAX_TEXT_CHARACTERS ? `${shown.slice(0, MAX_TEXT_CHARACTERS)}…` : shown;
}

/** Reasons why runs ended, in words. */
export const ENDS: Readonly<Record<RunSummary['ended'], string>> = {
  drained: 'drained',
  leaseHeld: 'another run is at it',
  rateLimited: 'left to the rules: the rate limit is used up',
  concurrencyLimited: 'left to the rules: enough runs are at work on arrivals',
  keyLimited: 'keys have as many attempts under way as they may',
  stopped: 'stopped, as its function was to end',
  maxRecords: 'stopped at maxRecords',
  deadline: 'stopped before the deadline',
  paused: 'paused',
  breakerOpen: 'the circuit breaker is open: too many attempts have failed',
  retryModeChanged: "waits for the previous retry mode's last run",
  notOwner: 'left alone: the queue has another owner',
  passiveRegion: 'left alone: another region is the active one',
  leaseLost: 'lost its lease',
  claimedElsewhere: 'others have some of these arrivals: its event comes back',
  storeError: 'DynamoDB did not answer',
};

/** `attempted 12: 10 ok, 2 failed, 0 dead - drained` */
function describeSummary(run: RunSummary): string {
  const caughtUp = run.caughtUp ? `, made up for tier ${run.caughtUp.join(', ')}` : '';
  const ended = ENDS[run.ended] ?? run.ended;
  if (isIdle(run) || isPausedOnly(run)) return (run.ended === 'drained' ? 'nothing due' : ended) + caughtUp;
  const extras = [
    run.snoozed > 0 ? `${run.snoozed} snoozed` : '',
    run.pending ? `${run.pending} pending` : '',
    run.cancelled > 0 ? `${run.cancelled} cancelled` : '',
    run.skipped > 0 ? `${run.skipped} skipped` : '',
    run.unsettled > 0 ? `${run.unsettled} unsettled` : '',
    run.refused ? `${run.refused} refused by the table` : '',
    run.unknownTask ? `${run.unknownTask} of unknown tasks` : '',
    run.probes ? `${run.probes} as probes` : '',
    run.leftOver > 0 ? `${run.leftOver} left over` : '',
  ].filter(Boolean);
  const counts = [`${run.succeeded} ok`, `${run.failed} failed`, `${run.dead} dead`, ...extras].join(', ');
  return `attempted ${run.attempted}: ${counts} - ${ended}${caughtUp}`;
}

function asSummary(value: unknown): RunSummary | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { queue, attempted, succeeded, ended } = value as Record<string, unknown>;
  const fits =
    typeof queue === 'string' &&
    typeof attempted === 'number' &&
    typeof succeeded === 'number' &&
    typeof ended === 'string';
  return fits ? (value as RunSummary) : undefined;
}
