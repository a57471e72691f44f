import { describe, expect, it } from 'vitest';
import { reportedAge } from '../../src/monitor/index.js';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const MINUTE = 60_000;
const iso = (ms: number) => new Date(NOW + ms).toISOString();

/** The lateness that is reported of a queue whose oldest record is so late, in seconds. */
function reported(age: number, state: Parameters<typeof reportedAge>[2], before?: number): number {
  const last = new Map(before === undefined ? [] : [['q', before]]);
  const answer = reportedAge('q', age, state, { now: NOW, last });
  expect(last.get('q')).toBe(age);
  return answer;
}

describe('the lateness of a queue that is paused', () => {
  it.each([
    ['is 0 until the announced end', iso(1), 0],
    ['is reported from the end on', iso(0), 900],
    ['is reported where no end was announced', undefined, 900],
    ['is reported where the end is no time', 'noon', 900],
  ])('%s', (_, pausedUntil, expected) => {
    expect(reported(900, { paused: true, pausedUntil })).toBe(expected);
  });
});

describe('the lateness of a queue that goes on after a pause', () => {
  const goesOn = (ms: number) => ({ paused: false, resumedAt: iso(ms) });

  it('is 0 for three minutes, and after that while it falls', () => {
    expect(reported(7_200, goesOn(-3 * MINUTE + 1), 7_000)).toBe(0);
    expect(reported(7_200, goesOn(-3 * MINUTE), 7_200)).toBe(7_200);
    expect(reported(7_100, goesOn(-5 * MINUTE), 7_200)).toBe(0);
    expect(reported(7_300, goesOn(-5 * MINUTE), 7_200)).toBe(7_300);
  });

  it('is 0 at the first reading of a process, which knows no earlier one', () => {
    expect(reported(7_200, goesOn(-5 * MINUTE))).toBe(0);
  });

  it('is reported of records that came due after the pause', () => {
    expect(reported(300, goesOn(-5 * MINUTE), 600)).toBe(0);
    expect(reported(299, goesOn(-5 * MINUTE), 600)).toBe(299);
  });

  it('is reported where the end of the pause lies ahead: a damaged one would hide it until then', () => {
    expect(reported(900, goesOn(MINUTE))).toBe(0);
    for (const ms of [3 * MINUTE, 365 * 24 * 60 * MINUTE]) expect(reported(900, goesOn(ms))).toBe(900);
    for (const resumedAt of ['', 'soon', undefined]) {
      expect(reported(900, { paused: false, resumedAt })).toBe(900);
    }
  });
});
