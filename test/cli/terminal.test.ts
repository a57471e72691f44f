import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { printable, processOutput } from '../../tools/src/cli/output.js';
import { terminalBar } from '../../tools/src/cli/progress.js';
import { anyText } from '../fuzz/raw-values.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function writtenTo(stream: 'stdout' | 'stderr'): string[] {
  const written: string[] = [];
  vi.spyOn(process[stream], 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  return written;
}

describe('a line of data', () => {
  it('has no character that a terminal obeys, or reorders text by, and the same value as JSON', () => {
    const written = writtenTo('stdout');
    const tricks = ['\u009b31m', '\u0085', '\u007f', '\u202e', '\u2066', '\u200f', '\u2028', '\u061c'];
    const trick = fc.oneof(fc.constantFrom(...tricks), fc.string(), anyText());
    fc.assert(
      fc.property(fc.dictionary(trick, fc.array(trick)), (value) => {
        written.length = 0;
        processOutput.data(JSON.stringify(value));
        const [line = ''] = written;
        expect(line).not.toMatch(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

it('a text that others wrote has a space for each of them', () => {
  const tricks = [
    ...'\u0000\u001b\n\u007f\u0085\u009b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069',
  ];
  expect(printable(tricks.join('a'))).toBe(tricks.map(() => ' ').join('a'));
});

describe('the progress of a long operation', () => {
  it.each([80, 40, 10])(
    'keeps to one line of %i columns, so that all of it is taken away again',
    (columns) => {
      const written = writtenTo('stderr');
      const { stderr } = process;
      const before = { isTTY: stderr.isTTY, columns: stderr.columns };
      Object.assign(stderr, { isTTY: true, columns });
      try {
        const bar = terminalBar('{bar} {percentage}%  {items}{more}');
        bar?.start(10, 0, { items: '0 items', more: '' });
        bar?.update(5, { items: '5 items', more: ', 3 changed, 1,234 a second, 2 min 10 s left, and more' });
        bar?.stop();
      } finally {
        Object.assign(stderr, before);
      }
      const shown = written.filter((text) => /[█░]/.test(text));
      expect(shown.length).toBeGreaterThan(0);
      for (const text of shown) expect(text.length).toBeLessThan(columns);
    },
  );
});
