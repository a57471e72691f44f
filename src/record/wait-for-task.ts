import { toIso } from '../clock.js';
import { arrivalOf, type RecordChange, type SettleContext, waitUntil } from './change.js';
import type { BacklogRecord } from './record.js';

/**
 * Longer and longer while no handler knows the task: a deployment takes minutes, a rollback may last for days.
 */
const UNKNOWN_TASK_WAITS = { leastMs: 60_000, mostMs: 600_000 };

/**
 * The handler does not know the record's task, as one that is about to be deployed may. It waits as long as it has
 * waited for that already, from 1 to 10 minutes; no attempt was made, and nothing is counted.
 */
export function waitForTask(record: BacklogRecord, context: SettleContext): RecordChange {
  const { now } = context;
  const { leastMs, mostMs } = UNKNOWN_TASK_WAITS;
  const since = record.unknownTaskSince ?? toIso(now);
  const waited = now - Date.parse(since);
  const { set, remove } = waitUntil(record, now + Math.min(mostMs, Math.max(leastMs, waited)), context);
  return {
    set: { ...arrivalOf(record), status: record.status, ...set, unknownTaskSince: since },
    remove,
    countedAs: 'unknownTask',
  };
}
