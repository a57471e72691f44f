import { expect, it } from 'vitest';
import { painter } from '../../tools/src/cli/paint.js';
import { reloadLines } from '../../tools/src/cli/reload-lines.js';
import type { RuntimeStatus } from '../../tools/src/local/status/status.js';

const AT = Date.parse('2026-01-01T00:00:00Z');

function linesOf(
  reload: Partial<NonNullable<RuntimeStatus['reload']>> | undefined,
  { afterMs = 1_000, most = 20 } = {},
) {
  const news = reload && {
    ...{ at: new Date(AT).toISOString(), ok: true, text: 'orders.ts is live', lines: [] },
    ...reload,
  };
  return reloadLines({ reload: news } as RuntimeStatus, most, painter(false), AT + afterMs);
}

it('shows for a minute what came of a good save', () => {
  expect(linesOf(undefined)).toEqual([]);
  expect(linesOf({})).toEqual(['', 'reload: orders.ts is live']);
  expect(linesOf({}, { afterMs: 61_000 })).toEqual([]);
});

it('shows what is wrong until a save is good, in a few lines', () => {
  const lines = ['a', 'b', 'c', 'd', 'e'];
  expect(linesOf({ ok: false, text: 'does not compile', lines }, { afterMs: 3_600_000 })).toEqual([
    ...['', 'not reloaded: does not compile', '  a', '  b', '  c', '  and 2 more'],
  ]);
  expect(linesOf({ ok: false, text: '\u001b[2J' }).join()).not.toContain('\u001b');
});

it('says with little room that there is more', () => {
  const news = { text: 'the app has changed', lines: ['a', 'b', 'c'] };
  expect([0, 1, 2, 3, 4, 5].map((most) => linesOf(news, { most }))).toEqual([
    [],
    ['reload: the app has changed'],
    ['reload: the app has changed', '  3 lines of it are in /status.json'],
    ['', 'reload: the app has changed', '  3 lines of it are in /status.json'],
    ['', 'reload: the app has changed', '  a', '  and 2 more'],
    ['', 'reload: the app has changed', '  a', '  b', '  c'],
  ]);
});
