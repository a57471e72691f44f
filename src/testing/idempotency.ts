import { isDeepStrictEqual } from 'node:util';
import { show } from '../support/validation.js';
import { NotIdempotentError } from './findings.js';
import type { TestRecord } from './record.js';
import { describeRecord } from './words.js';

/**
 * Compares what two attempts of the same work have done with what the first of them had.
 *
 * @param record as it is after the second one
 * @throws NotIdempotentError if the second one added to it, or failed
 */
export function compareEffects(record: TestRecord, first: unknown, second: unknown): void {
  if (record.status !== 'SUCCESS') {
    throw new NotIdempotentError(
      `record ${show(record.id)}: the second attempt of the same work failed: ${describeRecord(record)}`,
      first,
      second,
    );
  }
  if (isDeepStrictEqual(first, second)) return;
  throw new NotIdempotentError(
    `record ${show(record.id)}: the second attempt of the same work has had effects. After the first: ${show(first)}; ` +
      `after the second: ${show(second)}. Use record.id as the idempotency key of what you call`,
    first,
    second,
  );
}
