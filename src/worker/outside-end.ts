import { completionOf, outcomeOfCompletion } from '../record/completion.js';
import type { AttemptOutcome, BacklogRecord, RecordChange } from '../record/index.js';
import type { RecordStore } from '../store/store.js';

interface EndDeps {
  readonly store: { readonly records: Pick<RecordStore, 'get'> };
  readonly rules: { settle(record: BacklogRecord, outcome: AttemptOutcome): RecordChange };
}

/**
 * The end of an attempt whose record has changed, if the only change is that its end was given from outside meanwhile. That one is written in
 * place of what the attempt itself came to. One that was given for an earlier attempt is dropped. Undefined: others have changed the
 * record.
 *
 * @param read the record as it was before the attempt
 */
export async function endedEarly(
  read: BacklogRecord,
  { token, outcome }: { readonly token: string; readonly outcome: AttemptOutcome },
  { store, rules }: EndDeps,
): Promise<{ readonly record: BacklogRecord; readonly change: RecordChange } | undefined> {
  const record = await store.records.get(read.id);
  if (record?.completion === undefined || record.rev !== read.rev) return undefined;
  const completion = completionOf(record);
  const end = completion?.token === token ? outcomeOfCompletion(completion) : outcome;
  return { record, change: rules.settle(record, { ...end, ms: outcome.ms }) };
}
