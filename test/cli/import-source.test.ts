import { describe, expect, it } from 'vitest';
import { openValues } from '../../tools/src/cli/import-source.js';
import { MAX_LINE_CHARS, TOO_LONG } from '../../tools/src/cli/ndjson.js';

/** The values that are read of a source which comes in pieces of so many bytes. */
async function valuesOf(text: string | Uint8Array, pieces = 65_536) {
  const bytes = Buffer.from(text as string);
  async function* stream() {
    for (let at = 0; at < bytes.length; at += pieces) yield bytes.subarray(at, at + pieces);
  }
  const { unit, values } = await openValues(stream(), 'orders.json');
  const all: unknown[] = [];
  for await (const { number, text: one, ...more } of values) {
    all.push('problem' in more ? [number, more.problem] : [number, one]);
  }
  return { unit, all };
}

describe.each([65_536, 7, 1])('a source that comes in pieces of %i bytes', (pieces) => {
  it.each([
    ['{"id":1}\n{"id":2}\n', ['{"id":1}', '{"id":2}']],
    ['7\n"x"\n', ['7', '"x"']],
    ['nonsense\n1\n', ['nonsense', '1']],
    ['[1,2]\n[3]\n', ['[1,2]', '[3]']],
    ['{"payload":1\n{"payload":2}\n', ['{"payload":1', '{"payload":2}']],
    ['{"payload":"1\nnonsense\n', ['{"payload":"1', 'nonsense']],
    ['{"payload":1', ['{"payload":1']],
    ['', []],
    [' \n\n', []],
  ])('%j is read line by line', async (text, expected) => {
    const { unit, all } = await valuesOf(text, pieces);
    expect(unit).toBe('line');
    expect(all.map((one) => (one as unknown[])[1])).toEqual(expected);
  });

  it.each([
    ['[1,2]', ['1', '2']],
    ['\uFEFF[\r\n  {"a": 1},\r\n  {"a": [2, {}]}\r\n]\r\n', ['{"a": 1}', '{"a": [2, {}]}']],
    ['[{"a":"],[{\\"},"},"\\\\",[]]\n', ['{"a":"],[{\\"},"}', '"\\\\"', '[]']],
    ['["Łódź","Zürich","😀"]', ['"Łódź"', '"Zürich"', '"😀"']],
    ['[]', []],
    ['[ \n ]\n', []],
    ['[1,]', ['1', '']],
    ['[nonsense, 2]', ['nonsense', '2']],
    ['[1,\n{"a":2', ['1', 'the array has no "]": is the file cut off?']],
    ['[1,\n2],\n[3]', ['1', '2', 'there is text behind the array']],
  ])('%j is read element by element', async (text, expected) => {
    expect(await valuesOf(text, pieces)).toEqual({
      unit: 'element',
      all: expected.map((one, i) => [i + 1, one]),
    });
  });

  it.each([
    '{\n  "id": 1\n}\n{\n  "id": 2\n}\n',
    '\uFEFF\r\n{\r\n  "id": 1\r\n}\r\n',
    '{ "id": 1,\n  "payload": {} }\n',
    '{"Items": [\n  {"id": 1},\n  {"id": 2}\n]}\n',
  ])('%j is refused with what puts each record on one line', async (text) => {
    await expect(valuesOf(text, pieces)).rejects.toThrow(
      /a record of orders\.json takes several lines[\s\S]*jq -c \. orders\.json \| backlog import -/,
    );
  });
});

describe('a source', () => {
  it('that is UTF-16 is refused with what converts it', async () => {
    await expect(valuesOf(Buffer.from('\uFEFF{"id":1}', 'utf16le'))).rejects.toThrow(
      /is UTF-16.*iconv -f UTF-16 -t UTF-8 orders\.json \| backlog import -/,
    );
  });

  it('says of an element that it is not in UTF-8, and reads the others', async () => {
    const { unit, all } = await valuesOf(Buffer.from('[1, "Zürich", {"a":2}]', 'latin1'), 3);
    expect(unit).toBe('element');
    expect(all).toEqual([
      [1, '1'],
      [2, expect.stringContaining('not in UTF-8')],
      [3, '{"a":2}'],
    ]);
  });

  it('of one line that is longer than any record is an array, and gives up on an element of that length alone', async () => {
    const long = `"${'x'.repeat(MAX_LINE_CHARS)}"`;
    const { unit, all } = await valuesOf(`[1,${long},3,${long}]`);
    expect(unit).toBe('element');
    expect(all).toEqual([
      [1, '1'],
      [2, TOO_LONG],
      [3, '3'],
      [4, TOO_LONG],
    ]);
  });

  it('is not waited for: lines are read before the source ends', async () => {
    async function* stream() {
      yield Buffer.from('{"id":1}\n');
      await new Promise(() => {});
    }
    const { values } = await openValues(stream(), 'stdin');
    expect((await values.next()).value).toMatchObject({ number: 1, text: '{"id":1}' });
  });
});
