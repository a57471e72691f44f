import { MAX_DEPTH } from '../record/depth.js';
import type { Item } from '../record/index.js';
import { itemBytes, MAX_ITEM_BYTES, numberText, significantDigits } from '../record/item-size.js';
import { InvalidRecordError } from '../support/errors.js';

export { MAX_ITEM_BYTES };

/** Kept free for what the library adds in the course of the attempts: counts, times, errors. */
const RESERVED_BYTES = 2 * 1024;
/** DynamoDB's limit of an id. It refuses a whole request that names a longer one. */
export const MAX_ID_BYTES = 2048;
const MAX_NUMBER_DIGITS = 38;
/** Powers of ten that the first digit may stand for, if it is not 0. */
const MAX_POWER = 125;
const MIN_POWER = -130;

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
  const fail: Fail = (reason, options) => {
    throw new InvalidRecordError(`record ${shorten(id)}: ${reason}`, options);
  };
  const idBytes = Buffer.byteLength(id);
  if (idBytes > MAX_ID_BYTES) fail(`id has ${idBytes} bytes in UTF-8, at most ${MAX_ID_BYTES} are possible`);
  let bytes: number;
  try {
    const check = new Check(fail);
    for (const [name, value] of Object.entries(item)) {
      if (name === '') fail('an attribute has an empty name');
      if (name === '__proto__') fail('the AWS SDK stores no attribute of the name __proto__');
      check.attribute(name, value);
    }
    bytes = itemBytes(item);
  } catch (cause) {
    if (cause instanceof InvalidRecordError) throw cause;
    // Reading a value has run the producer's code: a getter, a proxy.
    fail('a value of it cannot be read', { cause });
  }
  if (bytes > MAX_ITEM_BYTES - RESERVED_BYTES) {
    fail(
      `it has ${bytes} bytes, at most ${MAX_ITEM_BYTES - RESERVED_BYTES} are possible (DynamoDB's ` +
        'limit of 400 KB, less what the library adds): store large data in S3 and put its key into the payload',
    );
  }
}

type Fail = (reason: string, options?: ErrorOptions) => never;

class Check {
  private values = 0;

  constructor(private readonly refuse: Fail) {}

  /** @param parent the path of the map that it is in. Undefined: it is one of the item's own */
  attribute(name: string, value: unknown, parent?: string, depth = 0): void {
    if (isIllFormed(name)) {
      const where = parent === undefined ? 'the name of an attribute' : `a name in ${shorten(parent)}`;
      this.refuse(`${where} has half of a surrogate pair, which is no text`);
    }
    this.value(value, parent === undefined ? name : `${parent}.${name}`, depth);
  }

  private value(value: unknown, path: string, depth: number): void {
    // Each takes a byte. What the same object is in many times over would be looked at for hours.
    if (++this.values > MAX_ITEM_BYTES) this.refuse(`it has more than ${MAX_ITEM_BYTES} values`);
    if (value === undefined || value === null || typeof value === 'boolean') return;
    const number = numberText(value);
    if (typeof value === 'string') this.text(value, path);
    else if (number !== undefined) this.number(number, path);
    else if (typeof value !== 'object') this.fail(path, `is ${describe(value)}, which cannot be stored`);
    else if (value instanceof Set) this.set(value, path);
    else if (isBinary(value)) return;
    else if (depth >= MAX_DEPTH - 1) this.fail(path, `is nested deeper than ${MAX_DEPTH} levels`);
    else if (Array.isArray(value)) this.list(value, path, depth);
    else this.map(value, path, depth);
  }

  private map(value: object, path: string, depth: number): void {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      const hint = value instanceof Date ? '; use its toISOString()' : '; use plain objects';
      this.fail(path, `is ${describe(value)}, which cannot be stored${hint}`);
    }
    for (const [name, child] of Object.entries(value)) this.attribute(name, child, path, depth + 1);
  }

  private list(list: readonly unknown[], path: string, depth: number): void {
    for (const [i, element] of list.entries()) {
      if (element === undefined) this.fail(`${path}[${i}]`, 'is undefined; use null in lists');
      this.value(element, `${path}[${i}]`, depth + 1);
    }
  }

  private text(text: string, path: string): void {
    if (isIllFormed(text)) this.fail(path, 'has half of a surrogate pair, which is no text; store bytes');
  }

  private number(text: string, path: string): void {
    const power = decimalPower(text);
    if (power === undefined) this.fail(path, `is ${shorten(text)}, which cannot be stored`);
    else if (power > MAX_POWER || power < MIN_POWER) {
      this.fail(path, "is out of the range of DynamoDB's numbers (1E-130 to 9.99E+125)");
    }
    if (significantDigits(text) > MAX_NUMBER_DIGITS) {
      this.fail(path, `has more than ${MAX_NUMBER_DIGITS} significant digits; store it as a string`);
    }
  }

  private set(set: ReadonlySet<unknown>, path: string): void {
    if (set.size === 0) this.fail(path, 'is an empty set, which cannot be stored');
    const kinds = new Set([...set].map(setKind));
    if (kinds.size > 1 || kinds.has(undefined)) {
      this.fail(
        path,
        'is a set of mixed or unsupported types; a set holds only strings, numbers or binary values',
      );
    }
    for (const member of set) {
      if (member === '' || (isBinary(member) && member.byteLength === 0))
        this.fail(path, 'is a set with an empty member, which cannot be stored');
      this.value(member, path, 0);
    }
    if (new Set([...set].map(asStored)).size < set.size)
      this.fail(path, 'is a set that has a member twice, as DynamoDB has it');
  }

  private fail(path: string, reason: string): never {
    return this.refuse(`${shorten(path)} ${reason}`);
  }
}

/** The power of ten that the first digit stands for; 0 for zero. Undefined: the text is no number. */
function decimalPower(text: string): number | undefined {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === '') return undefined;
  const first = (whole + fraction).search(/[1-9]/);
  return first < 0 ? 0 : whole.length - 1 - first + Number(exponent);
}

/** UTF-8 has nothing for it: it would come back as another character. */
function isIllFormed(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function isBinary(value: unknown): value is ArrayBufferView | ArrayBuffer {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** 1 and 1n, or the same bytes twice, are one. */
function asStored(member: unknown): string {
  if (!isBinary(member)) return String(member === 0 ? 0 : member);
  const bytes = ArrayBuffer.isView(member)
    ? Buffer.from(member.buffer, member.byteOffset, member.byteLength)
    : Buffer.from(member);
  return bytes.toString('base64');
}

function setKind(element: unknown): string | undefined {
  if (typeof element === 'string') return 'text';
  if (numberText(element) !== undefined) return 'number';
  return isBinary(element) ? 'binary' : undefined;
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
