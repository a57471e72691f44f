import type { Indexed, IndexingDeps } from '../intake/indexing.js';
import { Claim, withClaim } from '../leases/claim.js';
import { withHeartbeat } from '../leases/timed-hold.js';
import { type BacklogRecord, isNotIndexed, isPending, waitOf } from '../record/index.js';
import type { QueueRun, RunContext } from './context.js';
import { Executor } from './executor.js';
import type { AttemptBudget } from './guards/budget.js';
import { gateOf, limitCode } from './guards/queue-guards.js';
import type { Arrivals } from './options.js';
import { QUEUE_DEFAULTS } from './queue-options.js';
import { RecordRules } from './record-rules.js';
import type { StopReason } from './stop-reason.js';

interface FirstAttempts {
  readonly ended: StopReason;
  /** Records that were indexed since enough others are under attempt. */
  readonly overflow: readonly BacklogRecord[];
}

interface InsertRun extends RunContext {
  readonly guards: QueueRun['guards'];
  readonly hold: Claim;
  readonly executor: Executor;
}

/**
 * Attempts records that were just inserted, before they are indexed: a success is their only write, and the write of a
 * failure indexes them. A record that cannot be attempted now is indexed without an attempt.
 *
 *     owner, slots, permits -> claim the batch -> read, judge, attempt, settle -> index the others -> release
 *
 * If this run is lost, its event comes back to the intake, which indexes all of them.
 */
export async function attemptOnInsert(
  run: QueueRun,
  { batch, ids }: Arrivals,
  budget: AttemptBudget | undefined,
): Promise<FirstAttempts> {
  const { options, guards } = run;
  const { target, deadline } = options;
  const { attemptTimeout, onInsertConcurrency: maxRuns = QUEUE_DEFAULTS.onInsertConcurrency } =
    options.limits;
  const conflict = await options.ownershipConflict?.();
  // To write here would undo what the active region writes. The event comes back to the intake, which looks at them again: this
  // region may have become the active one less than a minute ago.
  if (conflict === 'passiveRegion') return { ended: conflict, overflow: [] };
  if (conflict) return leaveToRules(run, ids, conflict);
  const isSpread = (target.shards ?? 1) > 1;
  const claim = new Claim(
    { queue: target.queue, batch, ids, isSpread, maxRuns, attemptTimeout, deadline },
    { ...run, invocation: options.invocation },
  );
  const share = guards.pool?.join();
  const longAttempts = share && options.longestAttempt !== undefined ? run.longAttempts?.(share) : undefined;
  const { gate, atOnce, keyLimit } = gateOf(run, { hold: claim, share, budget, longAttempts });
  const limited = await gate.open(ids.length);
  if (limited) return leaveToRules(run, ids, limited);
  return withClaim(claim, async (answer) => {
    if (answer === 'taken') return { ended: 'leaseHeld', overflow: [] };
    if (answer === 'shared') return { ended: 'claimedElsewhere', overflow: [] };
    if (answer === 'full') return leaveToRules(run, ids, 'concurrencyLimited');
    const rules = new RecordRules(options, { ...run, gate }, undefined);
    const ofBatch = { ...run, hold: claim, rules, gate, atOnce, keyLimit };
    const executor = new Executor(ofBatch, longAttempts);
    try {
      const ended = await attemptAll({ ...ofBatch, executor }, ids);
      return { ended, overflow: ended === 'drained' ? (keyLimit?.refused ?? []) : [] };
    } finally {
      // Whatever happened: no other run may claim the records while one of them is still under attempt.
      await executor.settled();
      await executor.stragglers.below(1);
    }
  });
}

async function attemptAll(run: InsertRun, batch: readonly string[]): Promise<StopReason> {
  const { rules, executor, counters, hold, atOnce } = run;
  let closed: StopReason | undefined;
  for (let ids: readonly string[] = [...new Set(batch)]; ; ) {
    const { records, unread, stop = closed } = await rules.read(ids);
    const waiting = records.filter(isNotIndexed);
    for (let i = waiting.length + unread.length; i < ids.length; i++) counters.skipped();
    // Asked once: a record that comes due during the attempts of others is indexed all the same.
    const due = stop === undefined ? waiting.filter((record) => isDue(record, run)) : [];
    const forNow = new Set(run.guards.busyKeys?.inOrderOf(ids, due) ?? due);
    const work = [...forNow].map((record) => rules.begin(record));
    const workedOff = await executor.begin(work);
    await executor.settled();
    const late = workedOff.late.map(({ record }) => record);
    const deferred = workedOff.deferred.map(({ record }) => record);
    const end = stop ?? executor.stopReason() ?? (late.length > 0 && hold.isLast ? 'deadline' : undefined);
    const others = waiting.filter((record) => !forNow.has(record));
    if (!(await index(run, [...others, ...deferred, ...(end ? late : [])]))) return 'claimedElsewhere';
    ids = [...(end ? [] : late.map(({ id }) => id)), ...unread];
    if (ids.length === 0) return end ?? 'drained';
    // These did not fit into the memory of a page, or into the claim: stragglers held slots, or the others took long.
    await executor.stragglers.below(atOnce.most);
    closed = end ?? (await withHeartbeat(beginRound(run, ids.length), () => [...executor.inFlight], run));
    if (!(await hold.extend())) return 'claimedElsewhere';
  }
}

/**
 * Waits until another attempt may begin.
 *
 * @returns why none may soon: the records that are left are indexed
 */
async function beginRound(
  { gate, clock, options }: InsertRun,
  attempts: number,
): Promise<StopReason | undefined> {
  const limited = await gate.open(attempts);
  if (limited) return limited;
  await gate.prepare(attempts);
  const waitMs = gate.waitMs();
  if (waitMs > 0) await clock.sleep(waitMs, options.stop);
  return gate.stopReason();
}

/** Tells whether it may be attempted now: it is not delayed, and was not put into another queue meanwhile. */
function isDue(record: BacklogRecord, { clock, options }: QueueOf): boolean {
  const now = clock.now();
  const availableAt = record.availableAt === undefined ? 0 : Date.parse(record.availableAt);
  return (
    isPending(record) && record.queue === options.target.queue && Math.max(availableAt, waitOf(record)) <= now
  );
}

/** Indexes records. False: this process was frozen, or another one has claimed some of them. The event comes back. */
async function index(run: InsertRun, records: readonly BacklogRecord[]): Promise<boolean> {
  if (records.length === 0) return true;
  if (run.hold.renewInMs() <= 0 && !(await run.hold.extend())) return false;
  const { queue } = run.options.target;
  const own = records.filter((record) => record.queue === queue);
  const ofOthers = records.filter((record) => record.queue !== queue).map(({ id }) => id);
  const { indexAll, indexWhenFree } = await limitCode();
  count(run, await indexAll(own, 0, indexing(run)));
  if (ofOthers.length === 0) return true;
  // This run's claim excludes no run of another queue.
  const answer = await indexWhenFree(ofOthers, indexing(run));
  count(run, answer);
  return answer.waiting.length === 0;
}

async function leaveToRules(
  run: QueueRun,
  ids: readonly string[],
  ended: StopReason,
): Promise<FirstAttempts> {
  const previousQueues = [run.options.target.queue];
  const { indexWhenFree } = await limitCode();
  const answer = await indexWhenFree(ids, indexing(run), { previousQueues });
  count(run, answer);
  const overflow = ended === 'concurrencyLimited' ? answer.indexed : [];
  return { ended: answer.waiting.length > 0 ? 'claimedElsewhere' : ended, overflow };
}

type QueueOf = Pick<QueueRun, 'store' | 'clock' | 'random' | 'logger' | 'options' | 'counters' | 'guards'>;

/** Dependencies of the indexing. A queue into which a record was moved meanwhile counts as one without shards. */
function indexing(run: QueueOf): IndexingDeps {
  const { queue, shards = 1, arrivals } = run.options.target;
  const { invocation } = run.options;
  const keyLanes = arrivals && run.guards.busyKeys?.lanesFor(arrivals);
  return { ...run, invocation, shardsOf: (name) => (name === queue ? shards : 1), keyLanes };
}

/** @throws StoreError that kept some from being indexed */
function count({ counters }: QueueOf, { indexed, quarantined, refused, trouble }: Indexed): void {
  counters.leftOver(indexed.length);
  counters.quarantined(quarantined);
  counters.refused(refused);
  if (trouble) throw trouble.error;
}
