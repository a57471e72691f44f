import type { TypedOutcome } from '../record/outcome.js';
import { BRAND, describe } from '../record/outcomes/brand.js';
import type { ProcessResult } from '../worker/index.js';
import type { Member } from './batch.js';

const EXPECTED =
  'expected a list with one outcome for each record, a map of outcomes by id, or { batchItemFailures }';

/** The result of a call names no outcome for the record. */
class MissingOutcome extends Error {
  override readonly name = 'MissingOutcome';
}

/** The result of a call is not what it may be. */
class InvalidBatchResult extends Error {
  override readonly name = 'InvalidBatchResult';
}

/** The record is one of those in `batchItemFailures`. */
export class BatchItemFailure extends Error {
  override readonly name = 'BatchItemFailure';
}

const MISSING =
  'processBatch returned no outcome for this record: give new Done(), an error or another outcome; ' +
  '{ batchItemFailures: [] } says that all have succeeded';

type OutcomeOf = (member: Member, place: number) => unknown;

/** Gives each member the outcome that the result of a call has for it. A member without one fails: silence is no success. */
export function giveOutcomes(members: readonly Member[], result: unknown): void {
  let outcomeOf: OutcomeOf;
  try {
    outcomeOf = read(members, result);
  } catch (error) {
    for (const { reject } of members) reject(error);
    // The process would end by a promise in it that rejects.
    if (Array.isArray(result)) Promise.allSettled(result).catch(() => {});
    return;
  }
  for (const [place, member] of members.entries()) give(member, () => outcomeOf(member, place));
}

function read(members: readonly Member[], result: unknown): OutcomeOf {
  if (Array.isArray(result)) {
    if (result.length === members.length) return (_, place) => result[place];
    throw invalid(
      `a list of ${result.length} outcomes: expected ${members.length}, one for each record, in their order`,
    );
  }
  if (result instanceof Map) return ({ record }) => result.get(record.id);
  const { batchItemFailures: failures } = (result ?? {}) as { batchItemFailures?: unknown };
  if (!Array.isArray(failures)) throw invalid(`${describe(result)}: ${EXPECTED}`);
  const failed = new Set(
    failures.map((failure: { itemIdentifier?: unknown } | null) => failure?.itemIdentifier),
  );
  const ids = new Set<unknown>(members.map(({ record }) => record.id));
  // One that it means has another name here, and would be a success.
  const unknown = [...failed].filter((id) => !ids.has(id));
  if (unknown.length > 0) {
    throw invalid(`batchItemFailures with ${describe(unknown[0])}: expected the id of a record of the batch`);
  }
  return ({ record }) =>
    failed.has(record.id) ? new BatchItemFailure('processBatch has named it in batchItemFailures') : SUCCESS;
}

/** The outcome of a record that has succeeded. */
export const SUCCESS: PromiseSettledResult<void> = { status: 'fulfilled', value: undefined };

function invalid(got: string): InvalidBatchResult {
  return new InvalidBatchResult(`processBatch returned ${got}`);
}

function give({ resolve, reject }: Member, read: () => unknown): void {
  try {
    const outcome = read();
    if (outcome === undefined || outcome === null) reject(new MissingOutcome(MISSING));
    else if (outcome instanceof Error && !(BRAND in outcome)) reject(outcome);
    else if (!isSettled(outcome)) resolve(outcome as TypedOutcome);
    else if (outcome.status === 'fulfilled') resolve(outcome.value as ProcessResult);
    else reject(outcome.reason);
  } catch (error) {
    reject(error);
  }
}

/** Tells whether it is what `Promise.allSettled` gives. */
function isSettled(value: object): value is PromiseSettledResult<unknown> {
  const { status } = value as { status?: unknown };
  return status === 'fulfilled' || status === 'rejected';
}
