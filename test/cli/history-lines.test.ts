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
  const failed = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => ({ at, attempt: from + i }));
  const snoozed = (attempt: number) => ({ at, attempt, outcome: 'snoozed' as const });
  const older = 'older attempts are not kept (history.bytes, history.entries)';
  const repeated = 'snoozes in a row for the same reason are one entry';

  it.each([
    ['without an attempt', { attempts: 0, history: [] }, []],
    ['with all of them', { attempts: 3, history: failed(1, 3) }, ['attempts, the newest last']],
    [
      'whose oldest are dropped',
      { attempts: 32, history: failed(13, 32) },
      [`attempts, the newest last: 20 of 32; ${older}`],
    ],
    ['that has lost all', { attempts: 5, history: [] }, [older]],
    [
      'that was never ready',
      { attempts: 6, notReady: 5, history: [snoozed(5), ...failed(6, 6)] },
      [`attempts, the newest last: 2 of 6; ${repeated}`],
    ],
    [
      'that was not ready after a failure',
      { attempts: 6, notReady: 5, history: [...failed(1, 1), snoozed(6)] },
      [`attempts, the newest last: 2 of 6; ${repeated}`],
    ],
    [
      'that was put off, or has lost its oldest',
      { attempts: 6, history: [snoozed(6)] },
      [`attempts, the newest last: 1 of 6; ${older}, or ${repeated}`],
    ],
    [
      'that succeeded at once',
      { attempts: 1, history: [], status: 'SUCCESS' as const },
      ['a first attempt that succeeds, or is cancelled, leaves no entry'],
    ],
    [
      'that was cancelled at once',
      { attempts: 1, history: [], status: 'DEAD' as const, deadReason: 'cancelled: withdrawn' },
      ['a first attempt that succeeds, or is cancelled, leaves no entry'],
    ],
    [
      'that is dead, without what it had',
      { attempts: 1, history: [], status: 'DEAD' as const, deadReason: 'expired' },
      [older],
    ],
  ])('of a record %s', (_, record, heading) => {
    expect(historyHeading({ status: 'ERROR', ...record })).toEqual(heading);
  });
});
