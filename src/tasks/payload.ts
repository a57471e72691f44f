import { MAX_DEPTH, tooDeep } from '../record/depth.js';
import { shortened } from '../support/shortened.js';
import { withoutTrailing } from '../support/trailing.js';
import type { SchemaIssue, StandardSchema } from './standard-schema.js';

/** The answer of a schema to a payload: its output, or the problem. */
export type CheckedPayload = { readonly value: unknown } | { readonly problem: string };

const MAX_ISSUES = 5;
const MAX_MESSAGE_CHARACTERS = 120;
/** Names in a payload may be as long as the payload. */
const MAX_PLACE_CHARACTERS = 120;
const MAX_LEAVES = 50;
/** Shorter texts are found in messages by chance. */
const MIN_TEXT = 3;

/**
 * Asks a schema. The problem names paths and what was expected there, and none of the payload's values: it is kept,
 * shown and thrown.
 *
 * @throws whatever the schema does
 */
export function checkPayload(
  schema: StandardSchema,
  payload: unknown,
): CheckedPayload | Promise<CheckedPayload> {
  const result = schema['~standard'].validate(payload);
  // A promise of another realm, or of a library of its own, is no instance of this realm's.
  return 'then' in result
    ? Promise.resolve(result).then((one) => checked(one, payload))
    : checked(result, payload);
}

function checked(result: Awaited<ReturnType<StandardSchema['~standard']['validate']>>, payload: unknown) {
  if (!result.issues) return { value: result.value };
  const { issues } = result;
  const problems = issues.slice(0, MAX_ISSUES).map((issue) => describeIssue(issue, payload));
  const more = issues.length > MAX_ISSUES ? `; and ${issues.length - MAX_ISSUES} more` : '';
  return { problem: `${problems.join('; ') || 'refused'}${more}` };
}

function describeIssue({ path = [], message }: SchemaIssue, payload: unknown): string {
  const keys = path.map((step) => (typeof step === 'object' ? step.key : step));
  const place = keys.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    'payload',
  );
  const text = withoutValues(String(message), valueAt(payload, keys));
  return `${shortened(place, MAX_PLACE_CHARACTERS)}: ${text.slice(0, MAX_MESSAGE_CHARACTERS)}`;
}

function valueAt(payload: unknown, keys: readonly PropertyKey[]): unknown {
  let value = payload;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** Leaves the payload's values out of a message: some libraries quote what they got. */
function withoutValues(message: string, value: unknown): string {
  let text = message;
  for (const leaf of leavesOf(value)) {
    const bare = String(leaf);
    if (typeof leaf === 'string') {
      for (const quoted of [JSON.stringify(leaf), `'${leaf}'`, `\`${leaf}\``])
        text = text.replaceAll(quoted, '…');
      if (bare.length >= MIN_TEXT) text = text.replaceAll(bare, '…');
    } else {
      const pattern = bare.replaceAll(/[.+-]/g, '\\$&');
      text = text.replaceAll(new RegExp(`(?<![\\w.])${pattern}(?![\\w.]*\\w)`, 'g'), '…');
    }
  }
  return text;
}

function leavesOf(value: unknown): (string | number | bigint)[] {
  const leaves: (string | number | bigint)[] = [];
  const waiting = [value];
  while (waiting.length > 0 && leaves.length < MAX_LEAVES) {
    const one = waiting.pop();
    if (typeof one === 'string' || typeof one === 'number' || typeof one === 'bigint') {
      if (one !== '') leaves.push(one);
    } else if (typeof one === 'object' && one !== null) {
      const [...values] = one instanceof Set ? one : Object.values(one);
      waiting.push(...values.slice(0, MAX_LEAVES));
    }
  }
  // What holds another one goes first.
  return leaves.sort((a, b) => String(b).length - String(a).length);
}

/** Digits that every JavaScript number holds. */
const SAFE_DIGITS = 15;

/**
 * A payload as its handler will read it: without what is undefined, with small bigints as numbers. What DynamoDB does
 * not take at all is left as it is; the store refuses it.
 *
 * @throws InvalidRecordError for one that is nested too deep, or holds itself
 */
export function asStored(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return isSmall(value) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((element) => asStored(element, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return Object.fromEntries(entries.map(([name, child]) => [name, asStored(child, depth + 1)]));
}

function isSmall(value: bigint): boolean {
  const text = String(value);
  return withoutTrailing(text.replace('-', ''), '0').length <= SAFE_DIGITS || String(Number(value)) === text;
}
