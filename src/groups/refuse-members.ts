import { InsertInterruptedError, type InsertManyResult } from '../client/index.js';
import type { OperatorRecordStore } from '../store/operator-store.js';
import { InvalidRecordError } from '../support/errors.js';
import { type Counts, memberPages, type PagesDeps, resultOf } from './member-pages.js';

export interface RefuseDeps<Given> extends Pick<PagesDeps<Given>, 'itemOf' | 'clock'> {
  readonly records: Pick<OperatorRecordStore, 'getItems'>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Answers for the records of a group that takes no more members. One that is in the table is a duplicate: the call may have come
 * again. Any other one is reported as failed, so that none is lost unseen. One read unit for each 4 KB.
 */
export async function refuseMembers<Given>(
  id: string,
  source: Iterable<Given> | AsyncIterable<Given>,
  { records, itemOf, clock, signal = new AbortController().signal }: RefuseDeps<Given>,
): Promise<InsertManyResult> {
  const counts: Counts = { inserted: 0, duplicates: [], failed: [], taken: 0, unsettled: new Set() };
  try {
    for await (const members of memberPages(source, counts, { itemOf, clock, signal })) {
      const found = await records.getItems(members.map(({ item }) => item.id));
      const present = new Set(found.map(({ record }) => record.id));
      for (const { item, index } of members) {
        const error = new InvalidRecordError(`record "${item.id}": the group ${id} takes no more members`);
        if (present.has(item.id)) counts.duplicates.push(item.id);
        else counts.failed.push({ id: item.id, index, error });
        counts.unsettled.delete(index);
      }
    }
  } catch (cause) {
    throw new InsertInterruptedError(resultOf(counts), { cause }, [...counts.unsettled], counts.taken);
  }
  return resultOf(counts);
}
