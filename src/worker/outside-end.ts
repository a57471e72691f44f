import { isDeepStrictEqual } from 'node:util';
import { outcomeOfCompletion, parseCompletion } from '../record/completion.js';
import { attributesToFence } from '../record/fence.js';
import type { AttemptOutcome, RecordChange } from '../record/index.js';
import { AsRead, type BacklogRecord, type Item } from '../record/record.js';
import type { RecordStore } from '../store/store.js';

interface EndDeps {
  readonly store: { readonly records: Pick<RecordStore, 'get'> };
  readonly rules: {
    deadIfRefused(record: BacklogRecord, outcome: AttemptOutcome): AttemptOutcome;
    settle(record: BacklogRecord, outcome: AttemptOutcome): RecordChange;
  };
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
  if (record?.completion === undefined || !isAsBefore(record, read)) return undefined;
  const completion = parseCompletion(record.completion);
  const end =
    completion?.token === token ? rules.deadIfRefused(record, outcomeOfCompletion(completion)) : outcome;
  return { record, change: rules.settle(record, { ...end, ms: outcome.ms }) };
}

/** Tells whether a record is as it was before its attempt, apart from its end from outside. A handler may have changed the payload that it got. */
function isAsBefore(record: BacklogRecord, read: BacklogRecord): boolean {
  const { stored, written } = AsRead.of(read);
  const [now, before] = [AsRead.of(record).stored as Item, stored as Item];
  const names = attributesToFence({ ...before, ...now }, read.rev !== undefined);
  return names.every((name) => {
    if (name === 'completion') return true;
    if (!(name in written)) return isDeepStrictEqual(now[name], before[name]);
    const [parsed, own] = [record, read].map((one) => (one as unknown as Item)[name]);
    return isDeepStrictEqual(parsed, own);
  });
}
