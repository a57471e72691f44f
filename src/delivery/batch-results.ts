import type { BatchResult, RecordOutcome } from '../batches/index.js';
import { BatchItemFailure, SUCCESS } from '../batches/outcomes.js';
import type { BacklogRecord } from '../record/index.js';
import { groupBy } from '../support/group-by.js';
import { EXCERPT_BYTES, excerpt } from './body.js';
import type { Answered } from './sender.js';

/** An answer, or one result in it, as a receiver has written it. */
interface Item {
  readonly results?: unknown;
  readonly batchItemFailures?: unknown;
  readonly id?: unknown;
  readonly itemIdentifier?: unknown;
  /** A status as of an answer to this record alone. */
  readonly status?: unknown;
  readonly error?: unknown;
  /** Seconds, or a date, as the header `Retry-After` has it. */
  readonly retryAfter?: unknown;
}

const EXPECTED =
  'expected {"results":[{"id":"…","status":200}]} or {"batchItemFailures":[{"itemIdentifier":"…"}]}';

/** A request was answered, but not in a form that says what became of its records. */
class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/**
 * The outcomes of a request's records by the body of its answer: `{ "results": [{ "id", "status", "error", "retryAfter" }] }`, this list
 * alone, a line for each, or `{ "batchItemFailures": [{ "itemIdentifier" }] }`. A status means what it would for one record.
 */
export function resultsOfAnswer(records: readonly BacklogRecord[], answered: Answered): BatchResult {
  const read = readBody(answered);
  const { batchItemFailures: failures, results: own } = asObject(read);
  if (Array.isArray(failures) && own === undefined) return resultsOfFailures(records, failures, answered);
  const results = listOfResults(read);
  if (!results) return all(records, unreadable(answered, EXPECTED));
  const byId = groupBy(results.map(asObject), ({ id }) => id);
  return records.map(({ id }) => {
    const [result, other] = byId.get(id) ?? [];
    if (result && !other) return outcomeOfResult(result, answered);
    return unreadable(answered, `expected ${other ? 'one' : 'a'} result for this record`);
  });
}

function listOfResults(read: unknown): readonly unknown[] | undefined {
  if (Array.isArray(read)) return read;
  const { results, id } = asObject(read);
  if (Array.isArray(results)) return results;
  // The only line of an answer.
  return id === undefined ? undefined : [read];
}

/** Records that are not named have succeeded. A name that no record has may be another form of one: then none has. */
function resultsOfFailures(
  records: readonly BacklogRecord[],
  failures: readonly unknown[],
  answered: Answered,
): BatchResult {
  const byId = new Map(failures.map((failure) => [asObject(failure).itemIdentifier, asObject(failure)]));
  const named = records.filter(({ id }) => byId.has(id));
  if (named.length < byId.size) {
    return all(records, unreadable(answered, 'expected ids of the records in batchItemFailures'));
  }
  return records.map(({ id }) => {
    const failure = byId.get(id);
    if (!failure) return SUCCESS;
    if (failure.status !== undefined) return outcomeOfResult(failure, answered);
    const text = shownText(failure.error, answered);
    return new BatchItemFailure(`${answered.origin} has named it in batchItemFailures${text && `: ${text}`}`);
  });
}

function all(records: readonly BacklogRecord[], outcome: RecordOutcome): BatchResult {
  return records.map(() => outcome);
}

function readBody({ received }: Answered): unknown {
  if (!received.isComplete) return undefined;
  const text = new TextDecoder().decode(received.bytes);
  try {
    return JSON.parse(text);
  } catch {
    return readLines(text);
  }
}

/** Reads a JSON text in each line; undefined: one is none. */
function readLines(text: string): unknown {
  try {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.length === 0 ? undefined : lines.map((line) => JSON.parse(line));
  } catch {
    return undefined;
  }
}

function outcomeOfResult({ status, error, retryAfter }: Item, answered: Answered): RecordOutcome {
  if (!Number.isInteger(status)) return unreadable(answered, 'expected a status for each record');
  const wait =
    typeof retryAfter === 'number' || typeof retryAfter === 'string' ? String(retryAfter) : undefined;
  return answered.outcomeOf(Number(status), bytesOf(error), wait) ?? SUCCESS;
}

function shownText(error: unknown, { hidden }: Answered): string {
  return excerpt({ bytes: bytesOf(error), isComplete: true }, EXCERPT_BYTES, hidden);
}

/** The text of an error, or its JSON. */
function bytesOf(error: unknown): Uint8Array {
  if (error === undefined || error === null) return Buffer.alloc(0);
  try {
    return Buffer.from(typeof error === 'string' ? error : JSON.stringify(error));
  } catch {
    return Buffer.from('an error that is nested too deep');
  }
}

function unreadable({ status, origin, received, hidden }: Answered, expected: string): UnreadableAnswer {
  const got = received.isComplete ? excerpt(received, EXCERPT_BYTES, hidden) : 'an answer that was cut off';
  return new UnreadableAnswer(`HTTP ${status} from ${origin}: ${expected}, got ${got || 'nothing'}`);
}

function asObject(value: unknown): Item {
  return typeof value === 'object' && value !== null ? value : {};
}
