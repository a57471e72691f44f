import { Readable } from 'node:stream';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { parseExactly } from '../../tools/src/cli/exact-json.js';
import { parseLine } from '../../tools/src/cli/import-line.js';
import { readLines, TOO_LONG } from '../../tools/src/cli/ndjson.js';

describe('a line of an import', () => {
  it('with a payload is a record, whose other attributes are kept', () => {
    expect(
      parseLine('{"id":"a","event":"push","payload":{"x":1},"queue":"bulk","status":"NEW"}', undefined),
    ).toEqual({
      type: 'record',
      record: { id: 'a', payload: { x: 1 }, queue: 'bulk', attributes: { event: 'push' } },
      ignored: [],
    });
  });

  it.each(['{"x":1}', '[1,{"payload":2}]', '"text"', '7', 'null', 'false'])(
    'that is any other JSON value is a payload: %s',
    (text) => {
      expect(parseLine(text, undefined)).toEqual({
        type: 'record',
        record: { payload: JSON.parse(text) },
        ignored: [],
      });
    },
  );

  it('goes to the queue of the flag, unless it names its own', () => {
    expect(parseLine('7', 'bulk')).toMatchObject({ record: { queue: 'bulk' } });
    expect(parseLine('{"payload":7}', 'bulk')).toMatchObject({ record: { queue: 'bulk' } });
    expect(parseLine('{"payload":7,"queue":"own"}', 'bulk')).toMatchObject({ record: { queue: 'own' } });
  });

  it('keeps the trace that it belongs to', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(parseLine(JSON.stringify({ payload: 7, traceparent }), undefined)).toMatchObject({
      record: { traceparent, attributes: {} },
      ignored: [],
    });
  });

  it.each([7, 0, '7', null])('takes the number %j as it is', (seq) => {
    expect(parseLine(JSON.stringify({ payload: 1, key: 'c', seq }), undefined)).toEqual({
      type: 'record',
      record: { payload: 1, key: 'c', seq, attributes: {} },
      ignored: [],
    });
  });

  // The client refuses what is no key: a line of another form is a bad one.
  it.each(['c-7', '__proto__', 'Zoë\n', '', 7, null])('takes the key %j as it is', (key) => {
    expect(parseLine(JSON.stringify({ payload: 1, key, customer: 'c' }), undefined)).toEqual({
      type: 'record',
      record: { payload: 1, key, attributes: { customer: 'c' } },
      ignored: [],
    });
  });

  it('keeps when the work came up', () => {
    const insertedAt = '2026-01-02T02:04:05.000Z';
    const availableAt = '2026-01-03T00:00:00.000Z';
    expect(parseLine(JSON.stringify({ payload: 7, insertedAt, availableAt }), undefined)).toMatchObject({
      record: { insertedAt, availableAt },
    });
  });

  it('loses the attributes that are for the library to write, and says which', () => {
    expect(parseLine('{"payload":1,"attempts":3,"lane":"x","mine":1}', undefined)).toEqual({
      type: 'record',
      record: { payload: 1, attributes: { mine: 1 } },
      ignored: ['attempts', 'lane'],
    });
  });

  it.each([
    ['{"payload":1', /no valid JSON/],
    ['{"payload":1,"status":"SUCCESS"}', /status: only NEW can be imported, got "SUCCESS"/],
  ])('that is invalid is bad: %s', (text, reason) => {
    expect(parseLine(text, undefined)).toEqual({ type: 'bad', reason: expect.stringMatching(reason) });
  });
});

describe('reading JSON exactly', () => {
  it.each([
    ['12345678901234567890', 12345678901234567890n],
    ['[9007199254740993,-9007199254740993]', [9007199254740993n, -9007199254740993n]],
    ['{"a":1234567890123456,"b":"12345678901234567890"}', { a: 1234567890123456, b: '12345678901234567890' }],
    ['{"12345678901234567890":1}', { '12345678901234567890': 1 }],
    ['["\\"12345678901234567890", 12345678901234567891]', ['"12345678901234567890', 12345678901234567891n]],
    ['1.2345678901234567890', NumberValue.from('1.2345678901234567890')],
    [
      '[0.30000000000000004,1.00000000000000000000,1.2345678901234568e-10]',
      [0.1 + 0.2, 1, 1.2345678901234568e-10],
    ],
    ['-12345678901234567890e2', NumberValue.from('-12345678901234567890e2')],
    [
      '{"\\u0000\\u006eumber":"x","n":12345678901234567890}',
      { '\u0000number': 'x', n: 12345678901234567890n },
    ],
  ])('%s', (text, expected) => {
    expect(parseExactly(text)).toEqual(expected);
  });

  it('speaks of the text as it is when it is no JSON', () => {
    expect(() => parseExactly('[12345678901234567890')).toThrow(SyntaxError);
  });
});

describe('reading lines', () => {
  async function linesOf(...chunks: (string | Uint8Array)[]) {
    async function* stream() {
      for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    }
    const lines: [number, unknown][] = [];
    for await (const { number, text } of readLines(stream())) lines.push([number, text]);
    return lines;
  }

  it('knows byte order marks, all line ends, empty lines, and a last line without an end', async () => {
    expect(await linesOf('\uFEFF1\r\n\r\n  \n2\n\n3')).toEqual([
      [1, '1'],
      [4, '2'],
      [6, '3'],
    ]);
  });

  it('puts lines and characters together that are split between chunks', async () => {
    const bytes = Buffer.from('"Łódź"\n"Zürich"\n');
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await linesOf(...chunks)).toEqual([
      [1, '"Łódź"'],
      [2, '"Zürich"'],
    ]);
  });

  it('gives up on a line that is longer than any record, and goes on with the next', async () => {
    const huge = 'x'.repeat(3_000_000);
    expect(await linesOf('1\n', huge, huge, `${huge}\n`, '3\n')).toEqual([
      [1, '1'],
      [2, TOO_LONG],
      [3, '3'],
    ]);
  });

  it('says of a line that it is not in UTF-8, instead of changing its characters', async () => {
    const found = [];
    const chunks = [
      Buffer.from('"Zürich"\n', 'latin1'),
      Buffer.from('"\ufffd Zürich"\n'),
      Buffer.from('"Ł').subarray(0, 2),
    ];
    for await (const line of readLines(Readable.from(chunks))) found.push(line);
    expect(found).toMatchObject([
      { number: 1, problem: expect.stringContaining('not in UTF-8') },
      { number: 2, text: '"\ufffd Zürich"' },
      { number: 3, problem: expect.stringContaining('not in UTF-8') },
    ]);
    expect(found[1]).not.toHaveProperty('problem');
  });

  it('finds nothing in an empty file', async () => {
    expect(await linesOf()).toEqual([]);
    expect(await linesOf('')).toEqual([]);
  });
});
