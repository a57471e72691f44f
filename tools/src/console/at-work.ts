import type { BacklogRecord } from 'dynamo-backlog';
import { type Clock, isUnderAttempt, systemClock } from 'dynamo-backlog/engine';

/** The leases of lanes: each names the records that its run attempts. */
type Leases = ReadonlyMap<string, { readonly ids: readonly string[] }>;

/** Tells which records are under attempt: those of a lease, and those that say so themselves. */
export function atWork(
  leases: Leases | undefined,
  clock: Clock = systemClock,
): (record: BacklogRecord) => boolean {
  const ids = new Set([...(leases?.values() ?? [])].flatMap((lease) => lease.ids));
  const now = clock.now();
  return (record) => ids.has(record.id) || isUnderAttempt(record, now, clock.speed);
}
