import { isDeepStrictEqual } from 'node:util';
import {
  type Completion,
  completionOf,
  outcomeOfCompletion,
  outsideOutcome,
  parseCompletion,
} from '../record/completion.js';
import { attributesToFence } from '../record/fence.js';
import type { AttemptOutcome, RecordChange } from '../record/index.js';
import { cancelReasonOf } from '../record/not-before.js';
import { AsRead, type BacklogRecord, type Item } from '../record/record.js';
import type { RecordStore } from '../store/store.js';

interface Rules {
  deadIfRefused(record: BacklogRecord, outcome: AttemptOutcome): AttemptOutcome;
  settle(record: BacklogRecord, outcome: AttemptOutcome): RecordChange;
}

interface EndDeps {
  readonly store: { readonly records: Pick<RecordStore, 'get'> };
  readonly rules: Rules;
}

/**
 * The change of a record whose last attempt has its end from outside, or whose wait is over. Undefined: it has none, or it has failed
 * after it was to be cancelled.
 */
export function outsideChange(record: BacklogRecord, rules: Rules, now: number): RecordChange | undefined {
  const outcome = outsideOutcome(record, now);
  if (!outcome || (outcome.type === 'failure' && cancelReasonOf(record) !== undefined)) return undefined;
  return byToken(rules.settle(record, rules.deadIfRefused(record, outcome)), completionOf(record));
}

/** A change whose `rev` begins with the token: a call that comes again can tell by it that it took effect. */
function byToken(change: RecordChange, completion: Completion | undefined): RecordChange {
  return completion ? { ...change, token: `${completion.token}/` } : change;
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
  const given = parseCompletion(record.completion);
  const completion = given?.token === token ? given : undefined;
  const end = completion ? rules.deadIfRefused(record, outcomeOfCompletion(completion)) : outcome;
  const reason = cancelReasonOf(record);
  // Another attempt would follow.
  const isCancelled = completion?.error !== undefined && reason !== undefined;
  const last = isCancelled ? ({ type: 'cancel', reason } as const) : end;
  return { record, change: byToken(rules.settle(record, { ...last, ms: outcome.ms }), completion) };
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
