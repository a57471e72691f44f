import { expect, it } from 'vitest';
import { debuggerLines } from '../../tools/src/cli/debugger-lines.js';
import type { RuntimeStatus } from '../../tools/src/local/status/status.js';

const linesOf = (count: number | undefined) =>
  debuggerLines({
    statusPage: 'http://127.0.0.1:8080/',
    debuggers:
      count === undefined
        ? undefined
        : Array.from({ length: count }, (_, i) => ({ functionName: `F${i}`, port: 9229 + i })),
  } as RuntimeStatus);

it('each function has a line with its address, up to four', () => {
  expect(linesOf(undefined)).toEqual([]);
  expect(linesOf(2)).toEqual(['127.0.0.1:9229  F0', '127.0.0.1:9230  F1']);
  expect(linesOf(4)).toHaveLength(4);
  expect(linesOf(6).slice(3)).toEqual([
    '127.0.0.1:9232  F3',
    'and 2 more: http://127.0.0.1:8080/status.json',
  ]);
});

it('an app without code of its own has nothing to debug, and says so', () => {
  expect(linesOf(0)).toEqual(['nothing to debug: the app has no "entry" or "handler" of its own']);
});
