import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../record/index.js';
import { numberText, significantDigits } from '../../record/item-size.js';
import { withoutTrailing } from '../../support/trailing.js';
import { StoreError } from '../errors.js';

/** An item, or a map in one, as DynamoDB has it. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/**
 * The item in DynamoDB's values. Every name is data, `__proto__` and `constructor` included: the SDK's own conversion
 * assigns the one to the prototype, and refuses maps that have the other.
 *
 * @throws StoreError for a value of a type that DynamoDB does not have
 */
export function toItem(attributes: Attributes): Item {
  return mapOf(attributes, toValue);
}

/**
 * DynamoDB's values of an item. What is `undefined` is left out.
 *
 * @throws StoreError for a value that DynamoDB cannot hold, such as a function or an instance of a class
 */
export function toAttributes(item: Item): Attributes {
  return mapOf(item, toAttributeValue);
}

export function toValue(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return parseNumber(attribute.N);
  if (attribute.M !== undefined) return mapOf(attribute.M, toValue);
  if (attribute.L !== undefined) return attribute.L.map(toValue);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.NULL !== undefined) return null;
  if (attribute.B !== undefined) return bytesOfItsOwn(attribute.B);
  if (attribute.SS !== undefined) return new Set(attribute.SS);
  if (attribute.NS !== undefined) return new Set(attribute.NS.map(parseNumber));
  if (attribute.BS !== undefined) return new Set(attribute.BS.map(bytesOfItsOwn));
  throw new StoreError(`DynamoDB has a value of an unknown type (${Object.keys(attribute).join(', ')})`);
}

/** Copies bytes, which can be changed in place: the stored ones fence the record. In the image of a stream they are base64. */
function bytesOfItsOwn(bytes: Uint8Array | string): Uint8Array {
  return new Uint8Array(typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes);
}

export function toAttributeValue(value: unknown): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'number':
      if (!Number.isFinite(value)) throw new StoreError(`${value} cannot be stored`);
      return { N: String(value) };
    case 'bigint':
      return { N: String(value) };
    case 'boolean':
      return { BOOL: value };
    case 'object':
      return value === null ? { NULL: true } : ofObject(value);
    default:
      throw new StoreError(`a value of the type ${typeof value} cannot be stored`);
  }
}

/**
 * DynamoDB's numbers have 38 digits. Those that JavaScript's cannot hold are read exactly all the same: as `bigint`, or
 * where they are no whole numbers as `NumberValue`.
 */
export function parseNumber(text: string): number | bigint | NumberValue {
  const value = Number(text);
  if (significantDigits(text) <= 15 || plainDigits(String(value)) === plainDigits(text)) return value;
  return /^-?\d+$/.test(text) ? BigInt(text) : NumberValue.from(text);
}

/** A text that is the same for the same number, however it is written: DynamoDB answers `0.0000001` to `1e-7`. */
function plainDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = withoutTrailing(digits, '0');
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}

function ofObject(value: object): AttributeValue {
  const number = numberText(value);
  if (number !== undefined) return { N: number };
  if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(toAttributeValue) };
  const bytes = bytesOf(value);
  if (bytes) return { B: bytes };
  if (value instanceof Set) return ofSet(value);
  const prototype = Object.getPrototypeOf(value);
  // A plain object of another realm has another prototype than this realm's.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new StoreError('an instance of a class cannot be stored');
  }
  return { M: mapOf(value as Item, toAttributeValue) };
}

function ofSet(set: ReadonlySet<unknown>): AttributeValue {
  const members = [...set];
  if (members.length === 0) throw new StoreError('an empty set cannot be stored');
  const values = members.map(toAttributeValue);
  const only = <Value>(of: (value: AttributeValue) => Value | undefined) => {
    const these = values.map(of).filter((one) => one !== undefined);
    return these.length === values.length ? these : undefined;
  };
  const [SS, NS, BS] = [only(({ S }) => S), only(({ N }) => N), only(({ B }) => B)];
  if (SS) return { SS };
  if (NS) return { NS };
  if (BS) return { BS };
  throw new StoreError('a set of mixed or unsupported types cannot be stored');
}

function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (!ArrayBuffer.isView(value)) return undefined;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/** Converts the values of a map. A page has thousands of them: a loop is several times faster than lists of entries. */
function mapOf<From, To>(from: Readonly<Record<string, From>>, convert: (value: From) => To) {
  const map: Record<string, To> = {};
  for (const name of Object.keys(from)) {
    const value = from[name];
    if (value === undefined) continue;
    const converted = convert(value);
    if (name === '__proto__') {
      Object.defineProperty(map, name, {
        value: converted,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } else {
      map[name] = converted;
    }
  }
  return map;
}

/**
 * The item in an image of a table's stream. As Lambda hands images over, bytes in them are base64 text.
 *
 * @returns undefined if it is no image of an item
 */
export function itemOfImage(image: unknown): Item | undefined {
  try {
    return toItem(image as Attributes);
  } catch {
    return undefined;
  }
}

/** An item as the client has it, in the form that Lambda hands images over in: bytes are base64 text. */
export function lambdaImage(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return withTextForBytes(value) as Record<string, unknown>;
}

function withTextForBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(withTextForBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withTextForBytes(part)]));
}
