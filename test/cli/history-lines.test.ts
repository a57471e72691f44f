import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../src/record/index.js';
import { historyHeading, historyLines } from '../../tools/src/cli/show.js';

const at = '2026-11-20T09:30:00.000Z';
const lines = (entry: Omit<HistoryEntry, 'at'>) => historyLines({ at, ...entry }, (_, text) => text);

describe('an attempt in the history', () => {
  it.each([
    [
      { attempt: 3, name: 'HttpError', message: 'HTTP 503', ms: 240, next: '2026-11-20T09:33:00.000Z' },
      'attempt 3  HttpError: HTTP 503  (240 ms; next 2026-11-20T09:33:00.000Z)',
    ],
    [
      { attempt: 1, name: 'Error', message: 'x', next: at, queue: 'retries' },
      `attempt 1  Error: x  (next ${at} in retries)`,
    ],
    [{ attempt: 9, name: 'Dead', message: '', ms: 1, next: 'dead' }, 'attempt 9  Dead  (1 ms; dead)'],
    [{ attempt: 2, outcome: 'snoozed', message: 'closed', ms: 5 }, 'attempt 2  snoozed: closed  (5 ms)'],
    [{ attempt: 4, outcome: 'succeeded' }, 'attempt 4  succeeded'],
    [
      { attempt: 1, name: 'TypeError', message: 'as it was before' },
      'attempt 1  TypeError: as it was before',
    ],
  ] as const)('%j is one line', (entry, text) => {
    expect(lines(entry)).toEqual([`  ${at}  ${text}`]);
  });

  it('has the lines of its stack below it, and nothing that a terminal would obey', () => {
    const stack = 'at a (b.mjs:1:2)\nat \u001b[31mc (d.mjs:3:4)';
    const [first, ...frames] = lines({ attempt: 1, name: 'E', message: '\u001b[2J', stack });
    expect(frames).toHaveLength(2);
    expect(frames[0]).toBe('      at a (b.mjs:1:2)');
    expect([first, ...frames].join('')).not.toContain('\u001b');
  });
});

describe('the heading of the history', () => {
  const entries = (count: number) => Array.from({ length: count }, (_, i) => ({ at, attempt: i + 1 }));

  it.each([
    [0, 0, []],
    [3, 3, ['attempts, the newest last']],
    [
      32,
      20,
      [
        'attempts, the newest last: 20 of 32; the history keeps no entry of 12 attempts (older, or a snooze for the same reason)',
      ],
    ],
    [
      2,
      1,
      [
        'attempts, the newest last: 1 of 2; the history keeps no entry of 1 attempt (older, or a snooze for the same reason)',
      ],
    ],
    [5, 0, ['the history keeps no entry of 5 attempts']],
  ])('says of %i attempts and %i entries what is not kept', (attempts, kept, heading) => {
    expect(historyHeading({ attempts, history: entries(kept) })).toEqual(heading);
  });
});
