import type { BacklogRecord } from '../record/index.js';
import { Cancel } from '../record/outcomes/cancel.js';
import type { RunningAttempt } from './attempt.js';
import type { RunDeps } from './deps.js';

/** Time between two looks at the record of an attempt: its signal is aborted within 30 seconds. */
const LOOK_MS = 25_000;

type WatchDeps = Pick<RunDeps, 'store' | 'clock' | 'logger'>;

/** Watches attempts of one run, and tells each one to end whose record was cancelled or discarded meanwhile. */
export function cancelWatch(deps: WatchDeps): (attempt: RunningAttempt) => void {
  return (attempt) => void watch(attempt, deps);
}

/**
 * Reads the record of an attempt every 25 seconds until the attempt is over, or its time is. Never rejects: without an answer of
 * DynamoDB, it looks again later.
 */
async function watch(attempt: RunningAttempt, { store, clock, logger }: WatchDeps): Promise<void> {
  const { id } = attempt.record;
  const over = new AbortController();
  void Promise.race([attempt.outcome, attempt.straggling]).then(() => over.abort('over'));
  for (;;) {
    await clock.sleep(LOOK_MS, over.signal);
    if (over.signal.aborted) return;
    const record = await store.records.get(id).catch(() => undefined);
    const cancelled = record && cancelOf(record);
    if (over.signal.aborted) return;
    if (!cancelled) continue;
    logger.info('an attempt is told to end: its record was cancelled', { id });
    attempt.cancel(cancelled);
    return;
  }
}

/**
 * The reason that an attempt gets whose record is dead meanwhile: it was cancelled or discarded, or given up by hand. Undefined: it is
 * not.
 */
export function cancelOf({ status, deadReason = 'given up' }: BacklogRecord): Cancel | undefined {
  return status === 'DEAD' ? new Cancel(deadReason.replace(/^(cancelled|discarded): /, '')) : undefined;
}
