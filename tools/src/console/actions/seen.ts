import { createHmac, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import type { Item } from 'dynamo-backlog/engine';

/** Options of `inspect` that show all of a value, in the same order for the same value. */
const WHOLE = {
  depth: Number.POSITIVE_INFINITY,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: Number.POSITIVE_INFINITY,
  sorted: true,
} as const;

/**
 * Makes the text that stands in a form for the record that its page shows: a digest of all of its item. A `rev` alone
 * would not do: a record that the library has never written has none, and a change by hand leaves it as it is. The
 * digest has a key of this console, so that payloads which are hidden from the page cannot be guessed by it.
 */
export function seenBy(key = randomBytes(32)): (item: Item) => string {
  return (item) => createHmac('sha256', key).update(inspect(item, WHOLE)).digest('base64url');
}
