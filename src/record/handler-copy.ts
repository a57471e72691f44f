import { AS_READ, type BacklogRecord } from './record.js';

/**
 * A copy of a record for code of the user's. The library goes on with its own, so whatever that code does to the copy, then
 * or later, is in no write, no log line and no decision. A frozen record would fail the attempts of code that only
 * normalizes what it got.
 *
 * `payload` and `attributes` are handed over as they are: a copy of 300 KB would cost more than the rest of an attempt. The
 * library does not look at them again.
 */
export function copyForHandler(record: BacklogRecord): BacklogRecord {
  const { lastError, history, notBefore, retry, limits, problems } = record;
  return {
    ...record,
    history: history.map((entry) => ({ ...entry })),
    problems: [...problems],
    // Only its store may see it.
    ...(record[AS_READ] && { [AS_READ]: undefined }),
    ...(lastError && { lastError: { ...lastError } }),
    ...(typeof notBefore === 'object' && { notBefore: { ...notBefore } }),
    ...(retry && { retry: structuredClone(retry) }),
    ...(limits && { limits: { ...limits } }),
  };
}
