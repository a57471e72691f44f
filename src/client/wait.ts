import { type BacklogRecord, isPending } from '../record/index.js';
import { StoreThrottledError, StoreUnavailableError } from '../store/errors.js';
import type { RecordStore } from '../store/index.js';
import type { Clock } from '../support/clock.js';
import { age } from '../support/duration.js';
import { show } from '../support/validation.js';
import { unlessAborted } from './unless-aborted.js';

/** Thrown by a `wait` whose time is up. The record goes on as before. */
export class WaitTimeoutError extends Error {
  /** Always `WaitTimeoutError`. */
  override readonly name = 'WaitTimeoutError';
  /** The record as it was read last. Not enumerable: a logger that prints the error must not print the payload. */
  declare readonly record: BacklogRecord;
  constructor(record: BacklogRecord, timeoutMs: number) {
    const { id, status, attempts } = record;
    const made = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    super(`wait: record ${show(id)} has not ended within ${age(timeoutMs)}: ${status}, ${made}`);
    Object.defineProperty(this, 'record', { value: record });
  }
}

interface Waiting {
  readonly id: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface WaitDeps {
  readonly records: Pick<RecordStore, 'get'>;
  readonly clock: Clock;
}

const FIRST_MS = 100;
const GROWTH = 1.5;
const MAX_MS = 5_000;

/**
 * Reads a record, less and less often, until it has ended. Its last read is at the end of its time. A read that DynamoDB
 * throttles, or does not answer, is repeated at the next one's time.
 */
export async function waitForEnd(
  { id, timeoutMs, signal }: Waiting,
  { records, clock }: WaitDeps,
): Promise<BacklogRecord | undefined> {
  const until = clock.wall() + timeoutMs;
  for (let pause = FIRST_MS; ; pause = Math.min(pause * GROWTH, MAX_MS)) {
    const record = await unlessAborted(() => records.get(id), signal).catch(passing);
    if (!(record instanceof Error) && (!record || !isPending(record))) return record;
    const left = until - clock.wall();
    if (left <= 0) throw record instanceof Error ? record : new WaitTimeoutError(record, timeoutMs);
    await clock.sleep(Math.min(pause, left), signal);
  }
}

/** Returns an error of a read that may be repeated, and throws any other. */
function passing(error: unknown): StoreThrottledError | StoreUnavailableError {
  if (error instanceof StoreThrottledError || error instanceof StoreUnavailableError) return error;
  throw error;
}
