import { age } from 'dynamo-backlog/engine';
import { pauseNote } from 'dynamo-backlog/overview';
import type { ControlFacts } from '../../../../src/store/dynamodb/control-items.js';
import { counted, printable } from '../output.js';
import type { Finding } from './findings.js';

/** Time after its end at which a lease, or a run on arrival, counts as lost: the next run would have taken it over. */
const HANGING_MS = 5 * 60_000;
/** Time since its start at which a sweep is late: it comes once a day, and may take several hourly turns. */
const SWEEP_MS = 50 * 3_600_000;

/** Records were attempted, and no control table knows any queue: it is not the one that their runs worked with. */
export const FORGOTTEN: Finding = {
  kind: 'control.empty',
  severity: 'warning',
  what: 'records were attempted before, and the control table knows no queue: it was lost and created again, or belongs to another backlog',
  todo: 'its pauses, breakers and rate limits are gone: pause the queues that are to rest before the rules run: docs/recovery.md',
};

/**
 * Findings from the control table: runs that were lost, queues that make no progress, and the sweep.
 *
 * @param time epoch milliseconds: real, and of the backlog
 */
export function checkControl(
  { leases, queues, arrivals, sweeps }: ControlFacts,
  time: { readonly wall: number; readonly now: number },
): Finding[] {
  const lost = leases.filter(({ until }) => until < time.wall - HANGING_MS);
  const paused = [...queues].filter(([, queue]) => queue.paused);
  const lostArrivals = [...arrivals].flatMap(([queue, runs]) => {
    const ends = [...runs.values()].filter((until) => until < time.wall - HANGING_MS);
    return ends.length === 0 ? [] : [{ queue, count: ends.length, since: Math.min(...ends) }];
  });
  const late = sweeps.filter(({ startedAt }) => time.now - startedAt > SWEEP_MS);
  return [
    ...lost.map(({ key, until, inFlight }): Finding => {
      return {
        kind: `lease.${key}`,
        severity: 'error',
        what: `a run of ${printable(key)} was lost ${age(time.wall - until)} ago with ${counted(inFlight, 'record')} under attempt, and no run has come since`,
        todo: 'look whether the rules of that queue are there and enabled, and whether its function fails',
      };
    }),
    ...paused.map(([name, queue]): Finding => {
      return {
        kind: `paused.${name}`,
        severity: 'warning',
        what: `the queue ${printable(name)} is paused${pauseNote(queue.state, time.now)}`,
        todo: `no record of it is attempted until it is resumed: npx backlog resume ${printable(name)}`,
      };
    }),
    ...late.map(({ startedAt }): Finding => {
      return {
        kind: 'sweep',
        severity: 'warning',
        what: `the daily sweep last began ${age(time.now - startedAt)} ago`,
        todo: 'look whether its rule is there and enabled, and whether its function fails: it finds what no event has reached',
      };
    }),
    ...lostArrivals.map(({ queue, count, since }): Finding => {
      return {
        kind: `arrivals.${queue}`,
        severity: 'note',
        what: `${counted(count, 'run')} on arrivals of ${printable(queue)} ended without an answer, ${age(time.wall - since)} ago`,
        todo: 'nothing: their records come back to the intake; those that did not are listed here',
      };
    }),
  ];
}

/** Tells whether a run has noted that something fails, or a breaker is open. */
export function hasSigns({ queues }: Pick<ControlFacts, 'queues'>): boolean {
  return [...queues.values()].some(({ state }) => state.failing !== undefined || state.breakers.size > 0);
}
