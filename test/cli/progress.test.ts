import { describe, expect, it } from 'vitest';
import { paceText } from '../../tools/src/cli/progress.js';

describe('the pace of a long operation', () => {
  it.each([
    [{ done: 24_680, share: 0.25, elapsedMs: 20_000 }, ', 1,234 a second, 1 min left'],
    [{ done: 10, share: 0.5, elapsedMs: 20_000 }, ', 0.5 a second, 20 s left'],
    [{ done: 7, share: 0.5, elapsedMs: 3_000 }, ', 2.3 a second, 3 s left'],
    [{ done: 5_000, elapsedMs: 1_000 }, ', 5,000 a second'],
    [{ done: 5_000, share: 1, elapsedMs: 1_000 }, ', 5,000 a second'],
    [{ done: 5, share: 0.1, elapsedMs: 100 }, ''],
    [{ done: 0, share: 0, elapsedMs: 9_000 }, ''],
  ])('%j is %j', (pace, text) => {
    expect(paceText(pace)).toBe(text);
  });
});
