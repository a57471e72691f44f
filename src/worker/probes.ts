import type { Crashed } from '../leases/lease.js';
import { type BacklogRecord, lostProbe, mayProbe, WHOLE_QUEUE } from '../record/index.js';
import { inTurn, type LaneRun, whileHeld } from './lane-run.js';
import type { StopReason } from './stop-reason.js';

/** The next records of a lane, of which some are looked at. */
const MAX_KEYS = 10;
/** A due time that lies beyond any wait. */
const LAST_MS = Date.UTC(9999, 0);

// A probe is the attempt of a record that waits, ahead of its time: its group has failed for long, and no record of it is due that
// could tell whether it is back. See docs/monitoring.md. It passes every guard of an attempt, and holds the lease of its lane.

/** Tells whether a run that has found nothing due has a record to probe, by the index alone. */
export async function hasProbe(run: LaneRun): Promise<boolean> {
  return mayLook(run) && (await nextIds(run)).length > 0;
}

/**
 * Probes each group that fails, once its lane is drained. After a success it goes on, so that the note ends as soon as the group is
 * back; the rest of its records wait as before.
 */
export async function makeProbes(run: LaneRun): Promise<StopReason | undefined> {
  const { failing, executor, options } = run;
  if (!mayLook(run) || !executor.hasRoom()) return undefined;
  failing.looks(options.target.lane);
  const ids = await whileHeld(run, nextIds(run));
  let last: Awaited<ReturnType<typeof probeOne>> = 'probed';
  for (let made = 0; made < ids.length && failing.toProbe().length > 0 && executor.hasRoom(); made++) {
    last = await inTurn(run, 1, () => probeOne(run, ids));
    if (last !== 'probed') break;
  }
  // The next run of the lane reads it behind its lease, and makes no probe at once.
  await whileHeld(run, failing.write());
  return last === 'probed' ? undefined : last;
}

function mayLook({ failing, options }: LaneRun): boolean {
  return failing.toProbe().length > 0 && !failing.hasLooked(options.target.lane);
}

/** Reads to choose the record, and again once the journal names it. */
async function probeOne(run: LaneRun, ids: readonly string[]): Promise<StopReason | 'probed' | undefined> {
  const { lease, rules, executor, failing, counters } = run;
  const isStillOurs = lease.watch();
  const { records, stop } = await whileHeld(run, rules.read(ids));
  if (stop) return stop;
  const { record, group } = pick(run, records) ?? {};
  if (!record || group === undefined) return undefined;
  failing.beginProbe(group);
  if (!(await lease.extend([record.id]))) return 'leaseLost';
  // No attempt is made of what was read when the lease may have been another's.
  if (!isStillOurs()) return undefined;
  // No lease has named it so far: an operator may have moved it since it was read, and another lane may attempt it.
  const again = await whileHeld(run, rules.read([record.id]));
  const [named] = again.records;
  if (again.stop || !named || !isWaiting(run, named)) return again.stop;
  const before = counters.succeeded;
  rules.probe = record.id;
  const { late, deferred } = await executor.begin([{ record: named }], true);
  await executor.settled();
  await executor.stragglers.below(1);
  // It may come due in this run: that is an attempt like any other.
  rules.probe = undefined;
  if (late.length + deferred.length === 0) counters.probed();
  if (counters.succeeded > before) failing.probeSucceeded(group);
  return 'probed';
}

/** The record that was not attempted for longest, so that one record which always fails does not stand for its group. */
function pick(run: LaneRun, records: readonly BacklogRecord[]) {
  const { failing } = run;
  const groups = failing.toProbe();
  const waiting = records
    .filter((record) => isWaiting(run, record))
    .toSorted((a, b) => ((a.lastAttemptAt ?? '') < (b.lastAttemptAt ?? '') ? -1 : 1));
  for (const record of waiting) {
    const group = failing.groupOf(record);
    if (group !== undefined && groups.includes(group)) return { record, group };
  }
  const [record] = waiting;
  return record && groups.includes(WHOLE_QUEUE) ? { record, group: WHOLE_QUEUE } : undefined;
}

/** A run was lost during a probe: the record is known to have ended its process, and waits as before. */
export async function recoverProbe(
  run: LaneRun,
  { inFlight, rev, begun }: Crashed,
  [record]: readonly BacklogRecord[],
): Promise<StopReason | undefined> {
  const { lease, executor, rules } = run;
  if (!begun || inFlight.length !== 1 || !record || record.rev === rev) return undefined;
  // The probe may have its end from outside.
  const isEnded = rules.judge(record).do === 'lost';
  if (!isEnded && !isWaiting(run, record)) return undefined;
  if (!(await lease.extend([record.id]))) return 'leaseLost';
  const change = isEnded ? rules.lost(record) : lostProbe(record, rules.settleContext(record));
  await executor.settle(record, { change });
  return undefined;
}

/** Tells whether it waits for nothing but its policy, and its turn is still to come. */
function isWaiting({ rules, lease, clock, options }: LaneRun, record: BacklogRecord): boolean {
  const verdict = rules.judge(record);
  const isNotDue = verdict.do === 'skip' && verdict.reason === 'notDue';
  if (!isNotDue || lease.suspects.includes(record.id)) return false;
  return mayProbe(record, clock.now(), options.tickSeconds) && rules.begin(record).change === undefined;
}

async function nextIds({ store, clock, options }: LaneRun): Promise<string[]> {
  const { lane } = options.target;
  const from = clock.now() + 1;
  const { keys } = await store.pages.query({
    ...{ lane, from, until: LAST_MS, order: 'oldestFirst', limit: MAX_KEYS },
  });
  return [...new Set(keys.map(({ id }) => id))];
}
