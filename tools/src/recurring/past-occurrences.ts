import type { BacklogRecord } from 'dynamo-backlog';
import {
  latestOccurrences,
  nameOf,
  type OperatorStore,
  occurrenceId,
  type PastOccurrence,
} from 'dynamo-backlog/engine';

/** An occurrence whose time has come, with its record. */
export interface OccurrenceWithRecord extends PastOccurrence {
  /** The id of its record, also if that is not there. */
  readonly id: string;
  /** Undefined: it was not inserted, or was removed since. */
  readonly record: BacklogRecord | undefined;
}

/** The latest occurrences of a schedule with their records, the newest first. */
export async function pastOccurrences(
  schedule: BacklogRecord,
  {
    store,
    now,
    count,
  }: { readonly store: Pick<OperatorStore, 'records'>; readonly now: number; readonly count: number },
): Promise<OccurrenceWithRecord[]> {
  const name = nameOf(schedule.id);
  const past = latestOccurrences(schedule, now, count).map((one) => ({
    ...one,
    id: occurrenceId(name, one.at),
  }));
  const found = await store.records.getItems(
    past.map(({ id }) => id),
    'eventual',
  );
  const records = new Map(found.map(({ record }) => [record.id, record]));
  return past.map((one) => ({ ...one, record: records.get(one.id) }));
}
