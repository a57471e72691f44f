import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseSchedule } from '../../src/schedules/expression.js';
import { type ClockSetting, scaledClock } from '../../src/support/clock.js';
import { Alarm } from '../../tools/src/local/schedule/alarm.js';
import { ClockControl } from '../../tools/src/local/schedule/clock-control.js';
import { Scheduler } from '../../tools/src/local/schedule/scheduler.js';
import { LOOK_EVERY_MS, SpeedLimit } from '../../tools/src/local/schedule/speed-limit.js';
import { Timekeeper } from '../../tools/src/local/schedule/timekeeper.js';
import type { LocalRule } from '../../tools/src/local/template/local-app.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const rule = (id: string, expression: string, enabled = true): LocalRule => ({
  id,
  label: id,
  expression,
  schedule: parseSchedule(expression),
  enabled,
  functionName: 'f',
  event: {},
});

const FIVE = rule('five', 'rate(5 minutes)');
/** A rule that fires at 2, 12, 22 ... minutes past. */
const CRON = rule('cron', 'cron(2/10 * * * ? *)');

interface World {
  readonly speed?: number;
  /** Real milliseconds that a run takes. */
  readonly runMs?: number | (() => number);
  /** Real milliseconds until a function follows its clock. */
  readonly tellMs?: number;
}

async function world(rules: readonly LocalRule[], { speed = 1, runMs = 0, tellMs = 0 }: World = {}) {
  const time = await Timekeeper.start({ speed });
  const reported = { setting: time.setting };
  /** The clock as a function that is at work sees it. */
  const functionClock = scaledClock(() => reported.setting);
  const fired: { id: string; minute: number; seenByFunction: number; coalesced: number }[] = [];
  const scheduler = new Scheduler({
    rules,
    time,
    fire: async ({ rule: { id }, coalesced }) => {
      const minute = (time.clock.now() - START) / MINUTE;
      fired.push({ id, minute, seenByFunction: (functionClock.now() - START) / MINUTE, coalesced });
      const ms = typeof runMs === 'number' ? runMs : runMs();
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    },
  });
  const alarm = new Alarm(time);
  const control = new ClockControl({
    time,
    scheduler,
    tellFunctions: async (setting: ClockSetting) => {
      if (tellMs > 0) await new Promise((resolve) => setTimeout(resolve, tellMs));
      reported.setting = setting;
    },
    onChange: async () => alarm.look(),
  });
  scheduler.start();
  const slowed: number[] = [];
  const limit = new SpeedLimit({
    ...{ time, scheduler, control },
    onSlowed: () => slowed.push(time.setting.speed),
  });
  const looking = setInterval(() => void limit.look(), LOOK_EVERY_MS);
  onTestFinished(() => clearInterval(looking));
  const list = () => fired.map(({ id, minute }) => `${id} ${minute}`);
  return { time, fired, list, scheduler, control, functionClock, alarm, slowed };
}

describe('a clock that is paused', () => {
  it('fires no rule, and goes on from where it stood', async () => {
    const { control, list, time } = await world([FIVE, CRON]);
    await vi.advanceTimersByTimeAsync(MINUTE);
    await control.change({ paused: true });
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    expect(list()).toEqual([]);
    expect(time.clock.now()).toBe(START + MINUTE);
    await control.change({ paused: false });
    await vi.advanceTimersByTimeAsync(4 * MINUTE);
    expect(list()).toEqual(['cron 2', 'five 5']);
  });

  it('does not make up for a firing while the last run ends, but afterwards', async () => {
    const each = rule('each', 'rate(1 minute)');
    const { control, fired } = await world([each], { speed: 600, runMs: 250 });
    await vi.advanceTimersByTimeAsync(320);
    expect(fired).toHaveLength(1);
    await control.change({ paused: true });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(fired).toHaveLength(1);
    await control.change({ paused: false });
    expect(fired).toHaveLength(2);
    expect(fired.reduce((sum, { coalesced }) => sum + 1 + coalesced, 0)).toBe(3);
  });

  it('is paused with another speed, too', async () => {
    const { control, list, time } = await world([FIVE]);
    await control.change({ paused: true });
    await control.change({ speed: 60 });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(time.setting).toMatchObject({ paused: true, speed: 60 });
    expect(list()).toEqual([]);
    await control.change({ paused: false });
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    expect(list()).toEqual(['five 5']);
  });
});

describe('a clock whose speed changes', () => {
  it.each([
    [1, 60, 10 * SECOND],
    [60, 1, 10 * MINUTE],
    [10, 1_440, SECOND],
  ])('from %d to %d fires each rule once at its time', async (before, after, waitMs) => {
    const { control, list, time } = await world([FIVE, CRON], { speed: before });
    await vi.advanceTimersByTimeAsync(SECOND);
    await control.change({ speed: after });
    await vi.advanceTimersByTimeAsync(waitMs);
    const minutes = Math.floor((time.clock.now() - START) / MINUTE);
    const wanted = Array.from({ length: minutes }, (_, i) => i + 1).flatMap((minute) => [
      ...(minute % 5 === 0 ? [`five ${minute}`] : []),
      ...(minute % 10 === 2 ? [`cron ${minute}`] : []),
    ]);
    expect(wanted.length).toBeGreaterThanOrEqual(3);
    expect(list().map((one) => one.replace(/\.\d+$/, ''))).toEqual(wanted);
  });

  it('lets an alarm ring at its time', async () => {
    const { control, alarm } = await world([]);
    let hasRung = false;
    void alarm.reached(START + 10 * MINUTE).then(() => {
      hasRung = true;
    });
    await control.change({ paused: true });
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    await control.change({ paused: false, speed: 60 });
    await vi.advanceTimersByTimeAsync(9 * SECOND);
    expect(hasRung).toBe(false);
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(hasRung).toBe(true);
  });
});

describe('a clock that is too fast for the machine', () => {
  const each = rule('each', 'rate(1 minute)');

  it.each([
    ['overlap', 60, 4_500],
    ['wait for each other', 600, 1_500],
  ])(
    'gets slower until the runs keep up that %s, and goes as fast as it was asked to afterwards',
    async (_, speed, slow) => {
      let ms = slow;
      const { time, control, slowed } = await world([each], { speed, runMs: () => ms });
      await vi.advanceTimersByTimeAsync(60 * SECOND);
      const least = time.setting.speed;
      expect(least).toBeLessThan(speed);
      // No slower than runs need that end before the next one begins.
      expect(least * slow).toBeGreaterThan(30 * SECOND);
      expect(control.askedSpeed).toBe(speed);
      expect(slowed[0]).toBe(speed / 2);
      ms = 10;
      await vi.advanceTimersByTimeAsync(120 * SECOND);
      expect(time.setting.speed).toBe(speed);
    },
  );

  it('stays as fast as it was asked to be for a long run, a fast clock and a machine that slept', async () => {
    let ms = 0;
    const { time, slowed } = await world([each], { speed: 60, runMs: () => ms });
    ms = 10 * SECOND;
    await vi.advanceTimersByTimeAsync(1_001);
    ms = 300;
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    vi.setSystemTime(Date.now() + 60 * MINUTE);
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    expect(slowed).toEqual([]);
    expect(time.setting.speed).toBe(60);
    const fast = await world([each], { speed: 6_000, runMs: 300 });
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    expect(fast.time.setting.speed).toBe(6_000);
  });

  it('never gets slower than real time, and takes a speed that is asked for meanwhile', async () => {
    const { time, control } = await world([each], { speed: 10, runMs: 10 * MINUTE });
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(time.setting.speed).toBe(1);
    await control.change({ paused: true });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(time.setting).toMatchObject({ speed: 1, paused: true });
    await control.change({ speed: 4, paused: false });
    expect(time.setting.speed).toBe(4);
    expect(control.askedSpeed).toBe(4);
    await control.limit(60);
    expect(time.setting.speed).toBe(4);
  });

  it('stays as it is while it is paused', async () => {
    const { time, control } = await world([each], { speed: 60, runMs: 10 * MINUTE });
    await vi.advanceTimersByTimeAsync(3_200);
    await control.change({ paused: true });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(time.setting.speed).toBe(60);
    await control.change({ paused: false });
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    expect(time.setting.speed).toBeLessThan(60);
  });

  it('sees rules that fire late because the machine is busy', async () => {
    const { time } = await world([each], { speed: 60 });
    for (let i = 0; i < 4; i++) {
      await vi.advanceTimersByTimeAsync(SECOND);
      // Nothing comes for three seconds.
      vi.setSystemTime(Date.now() + 3 * SECOND);
    }
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(time.setting.speed).toBe(30);
  });
});

describe('going to the next tick', () => {
  it('fires what has come due meanwhile in the order of its times', async () => {
    const { control, fired } = await world([FIVE, CRON]);
    // As after a sleep of the machine: no timer has come.
    vi.setSystemTime(START + 6 * MINUTE);
    expect(await control.advance()).toMatchObject({ rules: ['cron', 'five'] });
    expect(fired.map(({ id }) => id)).toEqual(['cron', 'five']);
  });

  it.each([false, true])('fires one rule after the other at its time (paused: %s)', async (paused) => {
    const { control, list, time } = await world([FIVE, CRON, rule('off', 'rate(1 minute)', false)]);
    await control.change({ paused });
    for (let i = 0; i < 6; i++) await control.advance();
    const wanted = ['cron 2', 'five 5', 'five 10', 'cron 12', 'five 15', 'five 20'];
    expect(list()).toEqual(wanted);
    expect(time.setting.paused).toBe(paused);
    expect(time.clock.now()).toBe(START + 20 * MINUTE);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(list()).toEqual(wanted);
  });

  it('fires all rules that are due at the same time, once, and says which', async () => {
    const { control, list } = await world([FIVE, rule('noon', 'cron(5 0 * * ? *)')]);
    expect(await control.advance()).toMatchObject({ at: START + 5 * MINUTE, rules: ['five', 'noon'] });
    expect(list()).toEqual(['five 5', 'noon 5']);
  });

  it('fires beside a run that is still at work, and resolves when its own runs have ended', async () => {
    const { control, list } = await world([rule('each', 'rate(1 minute)')], { speed: 600, runMs: 5_000 });
    await control.change({ paused: true });
    await control.advance();
    const second = await control.advance();
    expect(list()).toEqual(['each 1', 'each 2']);
    const ended = vi.fn();
    void second?.ended.then(ended);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalled();
  });

  it('several times at once goes to one tick after the other', async () => {
    const { control, list } = await world([FIVE]);
    await Promise.all([control.advance(), control.change({ speed: 60 }), control.advance()]);
    expect(list()).toEqual(['five 5', 'five 10']);
  });

  it('does nothing if no rule is to fire', async () => {
    const { control, time } = await world([]);
    expect(await control.advance()).toBeUndefined();
    expect(time.clock.now()).toBe(START);
  });
});

describe('functions that are at work', () => {
  it('are never ahead of the clock, and no clock goes back, though they follow late', async () => {
    const { control, time, functionClock, fired } = await world([rule('each', 'rate(1 minute)')], {
      speed: 60,
      tellMs: 700,
    });
    let last = { own: 0, functions: 0 };
    const look = () => {
      const now = { own: time.clock.now(), functions: functionClock.now() };
      expect(now.functions).toBeLessThanOrEqual(now.own);
      expect(now.own).toBeGreaterThanOrEqual(last.own);
      expect(now.functions).toBeGreaterThanOrEqual(last.functions);
      last = now;
    };
    const changes = [
      () => control.change({ paused: true }),
      () => control.advance(),
      () => control.change({ paused: false, speed: 1_440 }),
      () => control.change({ speed: 1 }),
      () => control.advance(),
    ];
    for (const change of changes) {
      const changed = change();
      for (let i = 0; i < 20; i++) {
        await vi.advanceTimersByTimeAsync(100);
        look();
      }
      await changed;
    }
    expect(fired.length).toBeGreaterThan(3);
    // A run that began on a clock that is late would miss what its rule fired for.
    for (const { minute, seenByFunction } of fired) expect(seenByFunction).toBe(minute);
  });
});
