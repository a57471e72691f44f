import type { RawValue } from './raw-values.js';

/**
 * The form in which a received value is compared with the stored one. Each value has its type, and a map is a list of its
 * entries in the order of their names, so that no name can hide. It is written without the library's conversion.
 */
export function plainOfRaw(value: RawValue): unknown {
  const [[type, inner]] = Object.entries(value) as [[string, unknown]];
  switch (type) {
    case 'S':
      return ['text', inner];
    case 'N':
      return ['number', canonical(String(inner))];
    case 'B':
      return ['bytes', inner];
    case 'BOOL':
      return ['boolean', inner];
    case 'NULL':
      return ['null'];
    case 'L':
      return ['list', (inner as RawValue[]).map(plainOfRaw)];
    case 'M':
      return ['map', entriesOf(inner as Record<string, RawValue>, plainOfRaw)];
    case 'SS':
      return ['set', (inner as string[]).map((one) => plainOfRaw({ S: one })).sort(byText)];
    case 'NS':
      return ['set', (inner as string[]).map((one) => plainOfRaw({ N: one })).sort(byText)];
    case 'BS':
      return ['set', (inner as string[]).map((one) => plainOfRaw({ B: one })).sort(byText)];
    default:
      throw new Error(`a value of the type ${type}`);
  }
}

/** The same of what `process` received. */
export function plainOfReceived(value: unknown): unknown {
  if (value === null) return ['null'];
  if (typeof value === 'string') return ['text', value];
  if (typeof value === 'boolean') return ['boolean', value];
  if (typeof value === 'number' || typeof value === 'bigint') return ['number', canonical(String(value))];
  if (value instanceof Uint8Array) return ['bytes', Buffer.from(value).toString('base64')];
  if (Array.isArray(value)) return ['list', value.map(plainOfReceived)];
  if (value instanceof Set) return ['set', [...value].map(plainOfReceived).sort(byText)];
  if (typeof value !== 'object') throw new Error(`received a ${typeof value}`);
  // The SDK's form of a number that JavaScript's numbers cannot hold.
  if ('toBigInt' in value && typeof value.toBigInt === 'function')
    return ['number', canonical(String(value))];
  return ['map', entriesOf(value as Record<string, unknown>, plainOfReceived)];
}

function entriesOf<Value>(map: Record<string, Value>, convert: (value: Value) => unknown) {
  return Object.keys(map)
    .sort()
    .map((name) => [name, convert(map[name] as Value)]);
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

/** `-12.50e3` as sign, digits and exponent: equal numbers have one form, however they were written. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - short.length;
  return `${sign === '-' ? '-' : ''}${short}e${power}`;
}
