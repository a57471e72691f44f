import { MAX_WAIT_SECONDS } from '../policies/index.js';

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

const DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
];
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Reads `Retry-After`: seconds, or an HTTP date in one of its three forms (RFC 9110, 10.2.3 and 5.6.7).
 *
 * @param now epoch milliseconds
 * @returns seconds from 0 to 365 days; `undefined` if the header is absent or invalid
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (dateOf(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, Math.ceil(seconds)), MAX_WAIT_SECONDS);
}

function dateOf(text: string): number {
  if (DATES.some((form) => form.test(text))) return Date.parse(text);
  return ASCTIME.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
