import * as fc from 'fast-check';

/** A value as DynamoDB's protocol has it, with bytes as base64 text: no code of a client or of the library in between. */
export type RawValue = Readonly<Record<string, unknown>>;
export type RawItem = Readonly<Record<string, RawValue>>;

const ODD_NUMBERS = [
  '0',
  '-0',
  '0E-37',
  '0.0000',
  '1e3',
  '1.50',
  '00012',
  '-17',
  '9007199254740993',
  '9223372036854775808',
  '12345678901234567890123456789012345678',
  '0.12345678901234567890123456789012345678',
  '9.9999999999999999999999999999999999999E+125',
  '-9.9999999999999999999999999999999999999E+125',
  '1E-130',
  '-1E-130',
];

const ODD_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'then',
  'toJSON',
  'length',
  'S',
  'N',
  'M',
  '',
  ' ',
  '#n',
  ':v',
  'a.b[0]',
  'ключ',
];

const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a\udfff',
  '\u202e\u001b[31m',
  '😀'.repeat(3),
  '__proto__',
  'null',
  'NaN',
  '1e999',
  '{"a":1}',
  '\r\n',
];

export const numbers = fc.oneof(
  fc.constantFrom(...ODD_NUMBERS),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 }).map(String),
  fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n }).map(String),
);

/** Texts of any characters, as `unit: 'binary'` draws them, for which fast-check takes a second to begin with. */
export function anyText(maxLength = 10): fc.Arbitrary<string> {
  const character = fc
    .nat(0x10ffff - 0x800)
    .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
  return fc.array(character, { maxLength }).map((characters) => characters.join(''));
}

export const texts = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ maxLength: 20 }),
  anyText(),
  fc.nat(3_000).map((length) => 'x'.repeat(length)),
);

const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((some) => Buffer.from(some).toString('base64'));
const names = fc.oneof(fc.constantFrom(...ODD_NAMES), fc.string({ maxLength: 8 }));

const scalars: fc.Arbitrary<RawValue> = fc.oneof(
  texts.map((S) => ({ S })),
  numbers.map((N) => ({ N })),
  bytes.map((B) => ({ B })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant({ NULL: true }),
  fc.uniqueArray(texts, { minLength: 1, maxLength: 4 }).map((SS) => ({ SS })),
  fc.uniqueArray(numbers, { minLength: 1, maxLength: 4, selector: Number }).map((NS) => ({ NS })),
  fc.uniqueArray(bytes, { minLength: 1, maxLength: 3 }).map((BS) => ({ BS })),
);

/** Any value: of every type, a few levels deep. */
export const values: fc.Arbitrary<RawValue> = fc.letrec<{ value: RawValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 4 }).map((L) => ({ L })),
    maps(tie('value')),
  ),
})).value;

/** One value that lies deep: DynamoDB takes 32 levels. */
export const deepValues: fc.Arbitrary<RawValue> = fc
  .tuple(scalars, fc.integer({ min: 1, max: 30 }), names, fc.boolean())
  .map(([inmost, levels, name, isList]) => {
    let value: RawValue = inmost;
    for (let i = 0; i < levels; i++) value = isList ? { L: [value] } : { M: mapOf([[name, value]]) };
    return value;
  });

function maps(of: fc.Arbitrary<RawValue>): fc.Arbitrary<RawValue> {
  return fc.array(fc.tuple(names, of), { maxLength: 5 }).map((entries) => ({ M: mapOf(entries) }));
}

/** Every name is data. */
export function mapOf<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries(entries);
}
