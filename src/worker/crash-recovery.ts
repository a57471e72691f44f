import type { Crashed } from '../leases/lease.js';
import { type BacklogRecord, settleLostWorker, WORKER_LOST } from '../record/index.js';
import { MAX_PAGE_RECORDS } from './capacity.js';
import { inTurn, type LaneRun } from './lane-run.js';
import { recoverProbe } from './probes.js';
import type { StopReason } from './stop-reason.js';

/** Suspects that one run attempts before its pages, and after them: those of a page. Each costs a journal write of its own. */
const MAX_SUSPECTS = MAX_PAGE_RECORDS;

/** Reasons that let no attempt begin, but let the failure of a lost worker be written: its proof would go with the journal. */
const LETS_BLAME: readonly StopReason[] = ['paused', 'breakerOpen'];

/**
 * A run before this one was lost, and left ids in its journal. Those that were not settled are suspects, unless one alone
 * was under attempt for certain: it gets a failure, without another attempt.
 */
export async function recoverCrashed(
  run: LaneRun,
  crashed: Crashed | undefined,
): Promise<StopReason | undefined> {
  if (!crashed) return undefined;
  const { rules, lease, executor } = run;
  const { inFlight, rev, begun } = crashed;
  const { records, unread, stop } = await rules.read(inFlight);
  if (stop && !(begun && LETS_BLAME.includes(stop))) return stop;
  const unsettled = records.filter((record) => record.rev !== rev && rules.judge(record).do === 'attempt');
  // Large records may be left unread: these are not known to be settled, and stay suspects.
  const isUnsettled = (id: string) => unread.includes(id) || unsettled.some((record) => record.id === id);
  lease.clear(inFlight.filter((id) => !isUnsettled(id)));
  const [culprit, ...others] = unsettled;
  if (!culprit) return (await recoverProbe(run, crashed, records)) ?? stop;
  if (!begun || others.length + unread.length > 0) return stop;
  lease.clear([culprit.id]);
  if (!(await lease.extend([culprit.id]))) return 'leaseLost';
  await executor.settle(culprit, { change: settleLostWorker(culprit, rules.settleContext(culprit)) });
  return stop;
}

/**
 * Marks a record as a suspect that a worker was lost on before: it is attempted after the pages of this run, or before
 * those of the next one. False: it is none.
 */
export function markIfSuspect(record: BacklogRecord, { lease, counters }: LaneRun): boolean {
  if (record.lastError?.name !== WORKER_LOST) return false;
  // Those above the limit are due still, and named again.
  if (lease.suspects.length < MAX_SUSPECTS) lease.suspect(record.id);
  else counters.leftOver(1);
  return true;
}

/**
 * Attempts suspects, each alone and journalled by itself, so that the next loss tells which it was. A poison record is
 * found by its second crash; the innocent ones lose nothing. One that is not attempted remains a suspect.
 *
 * @param mayGoOn false when other records have waited long enough
 */
export async function attemptSuspects(
  run: LaneRun,
  mayGoOn: () => boolean = () => true,
): Promise<StopReason | undefined> {
  const { executor, lease } = run;
  for (const id of lease.suspects.slice(0, MAX_SUSPECTS)) {
    await executor.stragglers.below(1);
    if (!executor.hasRoom() || !mayGoOn()) return undefined;
    const stop = await inTurn(run, 1, () => attemptAlone(run, id));
    if (stop) return stop;
  }
  await executor.stragglers.below(1);
  return undefined;
}

/** Reads before it journals, other than a page: what the journal names as begun begins at once. */
async function attemptAlone(run: LaneRun, id: string): Promise<StopReason | undefined> {
  const { rules, lease, executor, counters } = run;
  const isStillOurs = lease.watch();
  const { records, stop } = await rules.read([id]);
  if (stop) return stop;
  const [record] = records;
  const verdict = record && rules.judge(record);
  if (!record || !verdict || verdict.do === 'skip') {
    counters.skipped();
    lease.clear([id]);
    return undefined;
  }
  if (!(await lease.extend([id]))) return 'leaseLost';
  // No attempt is made of what was read when the lease may have been another's.
  if (!isStillOurs()) return undefined;
  const { late, deferred } = await executor.begin([rules.work(record, verdict)], true);
  await executor.settled();
  if (late.length + deferred.length === 0) lease.clear([id]);
  return undefined;
}
