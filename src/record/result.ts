import type { BacklogRecord } from './record.js';

/** The most bytes of a result, as JSON. */
const MAX_RESULT_BYTES = 1024;

/** Kinds of objects that JSON turns into `{}` or into something else. */
const FOREIGN = /^(Map|Set|Weak.*|Error|RegExp|NumberValue|.*Buffer|.+Array|DataView)$/;

/** A result as an attempt gave it: its JSON, or why the record does not keep it. */
type GivenResult = { readonly result?: string } | { readonly notKept: string };

/**
 * The result of a success as JSON text. One that cannot be kept is left out, and its work is done all the same: a failure
 * would do it again. Text, because DynamoDB has no room for some of what JSON can hold, such as `1e200` or a depth of 40.
 */
export function givenResult(value: unknown): GivenResult {
  if (value === undefined) return {};
  let result: string | undefined;
  let foreign: string | undefined;
  try {
    result = JSON.stringify(value, (_name, inner: unknown) => {
      // All of it is looked at: each promise that nothing awaits would end the process if it is rejected.
      const found = foreignToJson(inner);
      foreign ??= found;
      return found === undefined ? inner : null;
    });
  } catch {
    // A `bigint`, an object that holds itself, or a `toJSON` that throws: what it says may quote the value.
  }
  if (result === undefined || foreign !== undefined) {
    return {
      notKept: `expected a value that JSON can hold${foreign === undefined ? '' : `, got ${foreign}`}`,
    };
  }
  const bytes = Buffer.byteLength(result);
  if (bytes <= MAX_RESULT_BYTES) return { result };
  return { notKept: `expected at most ${MAX_RESULT_BYTES} bytes of JSON, got ${bytes}` };
}

/** The name of what JSON would turn into `{}` or into something else, without an error. Undefined: JSON can hold it. */
function foreignToJson(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Promise) {
    value.catch(() => {});
    return 'a promise: await it';
  }
  // A fraction with more digits than a number of JavaScript has, as DynamoDB's client reads it, is a `NumberValue`.
  const kind =
    value.constructor?.name === 'NumberValue'
      ? 'NumberValue'
      : Object.prototype.toString.call(value).slice(8, -1);
  return FOREIGN.test(kind) ? `an object of the kind ${kind}` : undefined;
}

/** A record whose item has less room for its history, as a result is written beside it. */
export function besideResult(record: BacklogRecord, result: string): BacklogRecord {
  const { historyRoom } = record;
  if (historyRoom === undefined) return record;
  return { ...record, historyRoom: Math.max(0, historyRoom - Buffer.byteLength(result)) };
}

/** Tells whether the item of a record has room for its result, too. */
export function hasRoomForResult(
  { historyRoom = MAX_RESULT_BYTES }: Pick<BacklogRecord, 'historyRoom'>,
  result: string,
): boolean {
  return Buffer.byteLength(result) <= historyRoom;
}

/** Reads the attribute `result`. Undefined: it is no result that this library has written. */
export function parseResult(value: unknown): { readonly result: unknown } | undefined {
  if (typeof value !== 'string' || Buffer.byteLength(value) > MAX_RESULT_BYTES) return undefined;
  try {
    return { result: JSON.parse(value) };
  } catch {
    return undefined;
  }
}
