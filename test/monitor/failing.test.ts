import { expect, it } from 'vitest';
import { failingNow } from '../../src/monitor/failing.js';

it('nothing is said of failures where it is not known which region is active', () => {
  const now = Date.parse('2026-11-20T09:30:00.000Z');
  const failing = `[0,[["","E: m",${now / 1000 - 600},600,600,9,9,0,9]]]`;
  const state = { failing, paused: false };
  expect(failingNow(state, undefined, { now, isPassive: false })?.seconds).toBe(600);
  expect(failingNow(state, undefined, { now, isPassive: true })?.seconds).toBe(0);
  expect(failingNow(state, undefined, { now, isPassive: undefined })).toBeUndefined();
});
