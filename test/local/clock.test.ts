import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockOf } from '../../functions/clock.js';
import { type ClockSetting, scaledClock, systemClock } from '../../src/support/clock.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const fast: ClockSetting = { wallStart: START, start: START, speed: 60 };

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** A clock whose setting the test changes. */
function changing(setting: ClockSetting) {
  const present = { setting };
  return { present, clock: scaledClock(() => present.setting) };
}

describe('a faster clock', () => {
  it('is frozen while it is paused, and keeps the speed at which it goes on', () => {
    const clock = scaledClock({ ...fast, paused: true });
    vi.setSystemTime(START + 3_600_000);
    expect(clock.now()).toBe(START);
    expect(clock.wall()).toBe(START + 3_600_000);
    expect(clock).toMatchObject({ speed: 60, paused: true });
  });

  it('follows a change of its setting', () => {
    const { clock, present } = changing(fast);
    vi.setSystemTime(START + 1_000);
    expect(clock.now()).toBe(START + 60_000);
    present.setting = { wallStart: START + 1_000, start: START + 60_000, speed: 10 };
    vi.setSystemTime(START + 2_000);
    expect(clock.now()).toBe(START + 70_000);
    expect(clock.speed).toBe(10);
  });

  it('that is ahead of its new setting is frozen until that has caught up', () => {
    const { clock, present } = changing(fast);
    vi.setSystemTime(START + 1_000);
    expect(clock.now()).toBe(START + 60_000);
    // The clock learns of the change late: it was made half a second ago.
    present.setting = { wallStart: START + 500, start: START + 30_000, speed: 1 };
    expect(clock.now()).toBe(START + 60_000);
    vi.setSystemTime(START + 30_500);
    expect(clock.now()).toBe(START + 60_000);
    vi.setSystemTime(START + 40_500);
    expect(clock.now()).toBe(START + 70_000);
  });

  it('goes back with the clock of the machine, as before a change', () => {
    const { clock, present } = changing(fast);
    clock.now();
    present.setting = { wallStart: START, start: START + 5_000, speed: 1 };
    expect(clock.now()).toBe(START + 5_000);
    vi.setSystemTime(START - 60_000);
    expect(clock.now()).toBe(START - 55_000);
  });
});

describe('the clock of a function', () => {
  it('follows the variable that the runtime sets again', () => {
    vi.stubEnv('BACKLOG_CLOCK', JSON.stringify(fast));
    const clock = clockOf({ clock: fast });
    vi.setSystemTime(START + 1_000);
    expect(clock.now()).toBe(START + 60_000);
    const paused = { wallStart: START + 1_000, start: START + 90_000, speed: 60, paused: true };
    vi.stubEnv('BACKLOG_CLOCK', JSON.stringify(paused));
    vi.setSystemTime(START + 5_000);
    expect(clock.now()).toBe(START + 90_000);
    expect(clock.wall()).toBe(START + 5_000);
  });

  it('is the real one in the cloud', () => {
    expect(clockOf({ clock: undefined })).toBe(systemClock);
  });
});
