import { MAX_WAIT_SECONDS } from '../policies/index.js';
import { readRetryAfter } from '../support/retry-after-header.js';

const PERCENT = 0x25;

/**
 * An id as a header value: visible ASCII stays as it is, all other bytes of its UTF-8 and the percent sign are
 * percent-encoded. Without the percent sign, two ids could meet in one key.
 */
export function idempotencyKey(id: string): string {
  let key = '';
  for (const byte of new TextEncoder().encode(id)) {
    const plain = byte > 0x20 && byte < 0x7f && byte !== PERCENT;
    key += plain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return key;
}

/**
 * Reads the header `Retry-After`.
 *
 * @param now epoch milliseconds
 * @returns seconds from 0 to 365 days; `undefined` if the header is absent or invalid
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const seconds = readRetryAfter(value ?? '', now);
  return seconds === undefined ? undefined : Math.min(seconds, MAX_WAIT_SECONDS);
}
