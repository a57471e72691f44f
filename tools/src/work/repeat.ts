import type { Clock, Random, RunSummary, StopReason } from 'dynamo-backlog/engine';
import type { Job } from './jobs.js';

/** Longest wait before the first run, so that workers that are started together come one after the other. */
const FIRST_WITHIN_MS = 5_000;
/** The share of each wait that chance adds or takes away: what began together does not stay together. */
const JITTER = 0.1;
/** Longest wait after trouble, and while a queue lets nothing be attempted; or the interval, if it is longer. */
const MAX_WAIT_MS = 60_000;
/** Longest timer. Longer ones overflow, and the time of day may be set meanwhile. */
const MAX_SLEEP_MS = 600_000;

/** Ends of a run that the next one would come to as well. */
const REFUSED: readonly StopReason[] = [
  'paused',
  'breakerOpen',
  'retryModeChanged',
  'notOwner',
  'passiveRegion',
];

/** The part of a run's summary that the next run depends on. */
type RunEnd = Pick<RunSummary, 'ended' | 'attempted'>;

export interface RepeatDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly stop: AbortSignal;
  /** Tells whether a run could attempt anything: long attempts may take all that the queue may have at once. */
  readonly mayRun: () => boolean;
  /** Makes one run. Rejects: it failed, and has logged why. */
  readonly run: (job: Job) => Promise<RunEnd>;
}

/** Makes the runs of a job, one after the other, until the process is to end. */
export async function repeat(job: Job, { clock, random, stop, mayRun, run }: RepeatDeps): Promise<void> {
  const jittered = (ms: number) => ms * (1 - JITTER + 2 * JITTER * random());
  if (!job.isTier) await clock.sleep(random() * Math.min(job.everyMs, FIRST_WITHIN_MS), stop);
  for (let fruitless = 0, hasFailed = false; ; ) {
    if (job.isTier && !hasFailed) await nextTick(job, clock, stop);
    if (stop.aborted) return;
    if (!mayRun()) {
      await clock.sleep(jittered(Math.min(job.everyMs, MAX_WAIT_MS)), stop);
      continue;
    }
    const summary = await run(job).catch(() => undefined);
    hasFailed = summary === undefined;
    fruitless = summary === undefined || REFUSED.includes(summary.ended) ? fruitless + 1 : 0;
    // What failed is not left to the next tick, which may be days away.
    if (!job.isTier || hasFailed) await clock.sleep(jittered(waitMs(job, summary, fruitless)), stop);
  }
}

/** @param fruitless runs in succession that failed, or could attempt nothing */
function waitMs({ everyMs }: Job, summary: RunEnd | undefined, fruitless: number): number {
  if (summary === undefined)
    return Math.min(MAX_WAIT_MS, Math.min(everyMs, FIRST_WITHIN_MS) * 2 ** fruitless);
  // The run came to a limit of its own, and knows of more records.
  const isCutShort = summary.ended === 'maxRecords' || summary.ended === 'deadline';
  if (isCutShort && summary.attempted > 0) return 0;
  return Math.max(everyMs, Math.min(MAX_WAIT_MS, everyMs * 2 ** fruitless));
}

async function nextTick({ everyMs }: Job, clock: Clock, stop: AbortSignal): Promise<void> {
  const at = (Math.floor(clock.wall() / everyMs) + 1) * everyMs;
  while (!stop.aborted) {
    const leftMs = at - clock.wall();
    // A clock that was set back by more than a turn begins to wait again.
    if (leftMs <= 0 || leftMs > everyMs) return;
    await clock.sleep(Math.min(leftMs, MAX_SLEEP_MS), stop);
  }
}
