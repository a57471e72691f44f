import type { Status } from 'dynamo-backlog';
import { type Item, STATUSES } from 'dynamo-backlog/engine';
import type { AdoptionRules, Left } from './rules.js';

const MAX_SHOWN = 40;

/** Returns what an item's status means: as the user says, or as the contract does. It is never guessed. */
export function statusOf(item: Item, { sources, statuses }: AdoptionRules): Status | Left {
  const own = item.status ?? undefined;
  const source = own === undefined ? (sources.status ?? 'status') : 'status';
  const value = item[source] ?? undefined;
  // Once the library has written a record, its status is in the contract's words.
  const written = own !== undefined && typeof item.rev === 'string';
  const text = textOf(value);
  if (text !== undefined && !written && Object.hasOwn(statuses, text)) return statuses[text] as Status;
  const known = STATUSES.find((status) => status === value);
  if (known) return known;
  if (value === undefined) return { reason: 'noStatus', detail: source };
  const shown =
    text === undefined ? `a ${Array.isArray(value) ? 'list' : typeof value}` : `"${shorten(text)}"`;
  return { reason: 'unknownStatus', detail: `${source} = ${shown}` };
}

/** Returns a status as the command line names it: `''` for none, undefined for a list or a map. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return '';
  return typeof value === 'object' ? undefined : String(value);
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
