import { InvalidRecordError } from '../errors.js';
import { MAX_DEPTH } from '../record/depth.js';
import type { Item } from '../record/index.js';
import { byteLength, itemBytes, MAX_ITEM_BYTES, significantDigits } from '../record/item-size.js';

export { MAX_ITEM_BYTES };

/** Kept free for what the library adds in the course of the attempts: counts, times, errors. */
const RESERVED_BYTES = 2 * 1024;
const MAX_ID_BYTES = 2048;
const MAX_NUMBER_DIGITS = 38;
const MAX_MAGNITUDE = 9.99e125;
const MIN_MAGNITUDE = 1e-130;

/**
 * Checks a new item against DynamoDB's limits and types, so that every store refuses the same ones and says why.
 *
 * @throws InvalidRecordError naming the record, the attribute and the reason
 */
export function checkItem(item: Item): void {
  const { id } = item;
  if (typeof id !== 'string' || id === '') {
    throw new InvalidRecordError(`record: id must be a string that is not empty, got ${describe(id)}`);
  }
  const fail = (reason: string): never => {
    throw new InvalidRecordError(`record ${shorten(id)}: ${reason}`);
  };
  const idBytes = byteLength(id);
  if (idBytes > MAX_ID_BYTES) fail(`id has ${idBytes} bytes in UTF-8, at most ${MAX_ID_BYTES} are possible`);
  for (const [name, value] of Object.entries(item)) {
    if (name === '') fail('an attribute has an empty name');
    checkValue(value, name, 0, fail);
  }
  const bytes = itemBytes(item);
  if (bytes > MAX_ITEM_BYTES - RESERVED_BYTES) {
    fail(
      `it has ${bytes} bytes, at most ${MAX_ITEM_BYTES - RESERVED_BYTES} are possible (DynamoDB's ` +
        'limit of 400 KB, less what the library adds): store large data in S3 and put its key into the payload',
    );
  }
}

function checkValue(value: unknown, path: string, depth: number, fail: (reason: string) => never): void {
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'string')
    return;
  if (typeof value === 'number' || typeof value === 'bigint') {
    checkNumber(value, path, fail);
    return;
  }
  if (typeof value !== 'object') fail(`${path} is ${describe(value)}, which cannot be stored`);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return;
  if (value instanceof Set) {
    checkSet(value, path, fail);
    return;
  }
  if (depth >= MAX_DEPTH - 1) fail(`${shorten(path)} is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    for (const [i, element] of value.entries()) {
      if (element === undefined) fail(`${path}[${i}] is undefined; use null in lists`);
      checkValue(element, `${path}[${i}]`, depth + 1, fail);
    }
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const hint = value instanceof Date ? '; use its toISOString()' : '; use plain objects';
    fail(`${path} is ${describe(value)}, which cannot be stored${hint}`);
  }
  for (const [name, child] of Object.entries(value as object)) {
    checkValue(child, `${path}.${name}`, depth + 1, fail);
  }
}

function checkNumber(value: number | bigint, path: string, fail: (reason: string) => never): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    fail(`${path} is ${value}, which cannot be stored`);
  const magnitude = Math.abs(Number(value));
  if (magnitude > MAX_MAGNITUDE || (magnitude !== 0 && magnitude < MIN_MAGNITUDE)) {
    fail(`${path} is out of the range of DynamoDB's numbers (1E-130 to 9.99E+125)`);
  }
  if (significantDigits(value) > MAX_NUMBER_DIGITS) {
    fail(`${path} has more than ${MAX_NUMBER_DIGITS} significant digits; store it as a string`);
  }
}

function checkSet(value: Set<unknown>, path: string, fail: (reason: string) => never): void {
  if (value.size === 0) fail(`${path} is an empty set, which cannot be stored`);
  const kinds = new Set([...value].map((element) => setKind(element)));
  if (kinds.size > 1 || kinds.has(undefined)) {
    fail(
      `${path} is a set of mixed or unsupported types; a set holds only strings, numbers or binary values`,
    );
  }
  for (const element of value) {
    if (typeof element === 'number' || typeof element === 'bigint') checkNumber(element, path, fail);
  }
}

function setKind(element: unknown): string | undefined {
  if (typeof element === 'string') return 'text';
  if (typeof element === 'number' || typeof element === 'bigint') return 'number';
  return ArrayBuffer.isView(element) || element instanceof ArrayBuffer ? 'binary' : undefined;
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  return typeof value === 'object' ? `a ${value.constructor?.name ?? 'value'}` : `a ${typeof value}`;
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
