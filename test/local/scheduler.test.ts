import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseSchedule } from '../../src/schedules/expression.js';
import { parseSchedulerExpression } from '../../src/schedules/scheduler-expression.js';
import { scaledClock } from '../../src/support/clock.js';
import { type Firing, Scheduler } from '../../tools/src/local/schedule/scheduler.js';
import type { RulePhase } from '../../tools/src/local/schedule/timekeeper.js';
import type { LocalRule } from '../../tools/src/local/template/local-app.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Lets time pass, timer by timer, with the promises that settle meanwhile. It never waits for the event loop, which
 * `advanceTimersByTimeAsync` does at each timer: what an earlier test file left at work there would have its turn as often.
 */
async function pass(milliseconds: number): Promise<void> {
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, milliseconds);
  while (!isOver) {
    vi.advanceTimersToNextTimer();
    await settled();
  }
  vi.advanceTimersByTime(0);
  await settled();
}

/** Waits for promises that follow from each other, ten deep. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

function rule(id: string, expression: string, enabled = true): LocalRule {
  return {
    id,
    label: id,
    expression,
    schedule: parseSchedule(expression),
    enabled,
    functionName: 'f',
    event: {},
  };
}

function schedule(id: string, expression: string): LocalRule {
  return { ...rule(id, expression), schedule: parseSchedulerExpression({ expression }) };
}

/** A scheduler whose runs last as long as the test says. */
function world(rules: LocalRule[], { speed = 1, phases = new Map<string, RulePhase>(), runMs = 0 } = {}) {
  const setting = { wallStart: START, start: START, speed };
  const clock = scaledClock(setting);
  const fired: (Firing & { startedAt: number })[] = [];
  let running = 0;
  let most = 0;
  const scheduler = new Scheduler({
    rules,
    time: { clock, phases, setting },
    fire: async (firing) => {
      fired.push({ ...firing, startedAt: clock.now() });
      running += 1;
      most = Math.max(most, running);
      if (runMs > 0) await new Promise((resolve) => setTimeout(resolve, runMs));
      running -= 1;
    },
  });
  return { scheduler, fired, phases, clock, mostAtOnce: () => most };
}

describe('a schedule', () => {
  it('of a rate fires at once, then at its interval, and not again at the next start', async () => {
    const { scheduler, fired, phases } = world([schedule('a', 'rate(1 hour)')]);
    scheduler.start();
    expect(fired.map(({ at }) => at - START)).toEqual([0]);
    await pass(60 * MINUTE);
    scheduler.stop();
    expect(fired.map(({ at }) => at - START)).toEqual([0, 60 * MINUTE]);
    const again = world([schedule('a', 'rate(1 hour)')], { phases });
    again.scheduler.start();
    await pass(59 * MINUTE);
    expect(again.fired).toHaveLength(0);
  });
});

describe('a rule', () => {
  it('fires at every turn of its schedule and not before', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(1 minute)')]);
    scheduler.start();
    await pass(MINUTE - 1);
    expect(fired).toHaveLength(0);
    await pass(1);
    expect(fired).toHaveLength(1);
    await pass(9 * MINUTE);
    expect(fired.map(({ at }) => at - START)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => n * MINUTE));
  });

  it('does not fire when it is disabled', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(1 minute)', false), rule('b', 'rate(2 minutes)')]);
    scheduler.start();
    await pass(4 * MINUTE);
    expect(fired.map(({ rule: { id } }) => id)).toEqual(['b', 'b']);
    expect(scheduler.nextOf('a')).toBeUndefined();
  });

  it('fires no more once the scheduler is stopped', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(1 minute)')]);
    scheduler.start();
    await pass(MINUTE);
    scheduler.stop();
    await pass(10 * MINUTE);
    expect(fired).toHaveLength(1);
  });

  it('overlaps with its own last run where that is still at work, as in the cloud', async () => {
    const { scheduler, mostAtOnce } = world([rule('a', 'rate(1 minute)')], { runMs: 2.5 * MINUTE });
    scheduler.start();
    await pass(10 * MINUTE);
    expect(mostAtOnce()).toBe(3);
  });

  it('follows a faster clock', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(1 minute)'), rule('b', 'rate(1 hour)')], {
      speed: 60,
    });
    scheduler.start();
    await pass(120_000);
    expect(fired.filter(({ rule: { id } }) => id === 'a')).toHaveLength(120);
    expect(fired.filter(({ rule: { id } }) => id === 'b')).toHaveLength(2);
  });

  it('that cannot start as fast as the clock goes has its firings made up for by one, and counted', async () => {
    const { scheduler, fired, mostAtOnce } = world([rule('a', 'rate(1 minute)')], {
      speed: 600,
      runMs: 1_000,
    });
    scheduler.start();
    await pass(10_500);
    scheduler.stop();
    expect(mostAtOnce()).toBe(1);
    expect(fired.length).toBeLessThanOrEqual(11);
    const coalesced = fired.reduce((sum, firing) => sum + firing.coalesced, 0);
    expect(coalesced + fired.length).toBeGreaterThanOrEqual(95);
    expect(coalesced + fired.length).toBeLessThanOrEqual(105);
  });

  it('whose time passed while nothing ran fires late, once, and keeps its phase', async () => {
    const phases = new Map([
      ['a', { createdAt: START - 1_000 * MINUTE - 20_000, lastFiredAt: START - 100 * MINUTE }],
    ]);
    const { scheduler, fired } = world([rule('a', 'rate(1 minute)')], { phases });
    scheduler.start();
    expect(fired).toHaveLength(1);
    expect(fired[0]?.coalesced).toBe(99);
    await pass(39_999);
    expect(fired).toHaveLength(1);
    await pass(1);
    expect(fired).toHaveLength(2);
  });

  it('whose time passed just before the start is no sign that the machine cannot keep up', () => {
    const phases = new Map([['a', { createdAt: START - 70_000, lastFiredAt: START - 70_000 }]]);
    const { scheduler, fired } = world([rule('a', 'rate(1 minute)')], { phases });
    scheduler.start();
    expect(fired).toHaveLength(1);
    expect(scheduler.isBehind()).toBe(false);
  });

  it('of a time of day counts what passed while nothing ran, too', async () => {
    const phases = new Map([['a', { createdAt: START - 30 * DAY, lastFiredAt: START - 10 * DAY }]]);
    const { scheduler, fired } = world([rule('a', 'cron(0 12 * * ? *)')], { phases });
    scheduler.start();
    expect(fired.map(({ coalesced }) => coalesced)).toEqual([9]);
    await pass(DAY);
    expect(fired.map(({ coalesced }) => coalesced)).toEqual([9, 0]);
  });

  it('of a time of day does not count for ever', () => {
    const phases = new Map([['a', { createdAt: 0, lastFiredAt: 0 }]]);
    const { scheduler, fired } = world([rule('a', 'cron(* * * * ? *)')], { phases });
    scheduler.start();
    expect(fired.map(({ coalesced }) => coalesced)).toEqual([1_000]);
  });

  it('keeps its creation and its last firing for the next start', async () => {
    const { scheduler, phases } = world([rule('a', 'rate(1 minute)')]);
    scheduler.start();
    expect(phases.get('a')).toEqual({ createdAt: START });
    await pass(2 * MINUTE);
    expect(phases.get('a')).toEqual({ createdAt: START, lastFiredAt: START + 2 * MINUTE });
  });
});

describe('a clock that is set', () => {
  const DAYS = 3 * DAY;

  it.each(['rate(1 minute)', 'cron(* * * * ? *)'])(
    'forth and back lets a rule of %s fire once for the jump, and then go on as before',
    async (expression) => {
      const { scheduler, fired } = world([rule('a', expression)]);
      scheduler.start();
      await pass(2 * MINUTE);
      fired.length = 0;
      vi.setSystemTime(Date.now() + DAYS);
      await pass(MINUTE);
      expect(fired).toHaveLength(1);
      expect(fired[0]?.coalesced).toBeGreaterThan(900);
      vi.setSystemTime(Date.now() - DAYS);
      fired.length = 0;
      await pass(10 * MINUTE);
      expect(fired.length).toBeGreaterThanOrEqual(9);
      expect(fired.length).toBeLessThanOrEqual(10);
      expect(fired.every(({ coalesced }) => coalesced === 0)).toBe(true);
    },
  );

  it('back by a moment repeats nothing that has just fired', async () => {
    const rules = [
      rule('a', 'rate(1 minute)'),
      rule('b', 'rate(1 hour)'),
      {
        ...rule('c', 'rate(1 minute)'),
        schedule: parseSchedulerExpression({ expression: 'at(2026-01-01T01:00:00)' }),
      },
    ];
    // It looks at the clock a second after they have fired.
    const phases = new Map([['d', { createdAt: START - 59_000 }]]);
    const { scheduler, fired } = world([...rules, rule('d', 'rate(1 minute)')], { phases });
    scheduler.start();
    await pass(60 * MINUTE + 500);
    const before = fired.map(({ rule: { id } }) => id).filter((id) => id !== 'd');
    vi.setSystemTime(Date.now() - 2_000);
    await pass(30_000);
    expect(fired.map(({ rule: { id } }) => id).filter((id) => id !== 'd')).toEqual(before);
    expect(before.filter((id) => id === 'a')).toHaveLength(60);
    expect(before.slice(-3).sort()).toEqual(['a', 'b', 'c']);
  });

  it('back by days lets each rule fire within two of its intervals', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(5 minutes)'), rule('b', 'cron(0 * * * ? *)')]);
    scheduler.start();
    await pass(61 * MINUTE);
    vi.setSystemTime(Date.now() - DAYS);
    fired.length = 0;
    await pass(121 * MINUTE);
    expect(fired.filter(({ rule: { id } }) => id === 'a').length).toBeGreaterThanOrEqual(23);
    expect(fired.filter(({ rule: { id } }) => id === 'b').length).toBeGreaterThanOrEqual(1);
  });
});

describe('rules that are replaced', () => {
  const labels = (fired: readonly Firing[]) => fired.map(({ rule: { label } }) => label);

  it('keep their phase, and fire with what they are now', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(5 minutes)')]);
    scheduler.start();
    await pass(3 * MINUTE);
    scheduler.replace([{ ...rule('a', 'rate(5 minutes)'), label: 'new' }]);
    expect(scheduler.nextOf('a')).toBe(START + 5 * MINUTE);
    await pass(2 * MINUTE);
    expect(labels(fired)).toEqual(['new']);
  });

  it('fire at their new interval from now on, counted from their creation', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(1 hour)')]);
    scheduler.start();
    await pass(7 * MINUTE);
    scheduler.replace([rule('a', 'rate(5 minutes)')]);
    expect(scheduler.nextOf('a')).toBe(START + 10 * MINUTE);
    await pass(8 * MINUTE);
    expect(fired.map(({ at }) => (at - START) / MINUTE)).toEqual([10, 15]);
  });

  it('lose no firing that is due while the clock is paused', async () => {
    const setting = { wallStart: START, start: START, speed: 1, paused: false };
    const fired: Firing[] = [];
    const scheduler = new Scheduler({
      rules: [rule('a', 'rate(1 minute)')],
      time: { clock: { ...scaledClock(setting), now: () => Date.now() }, phases: new Map(), setting },
      fire: async (firing) => void fired.push(firing),
    });
    scheduler.start();
    scheduler.wait();
    await pass(MINUTE + 1);
    scheduler.replace([rule('a', 'rate(1 minute)')]);
    expect(fired).toEqual([]);
    scheduler.goOn();
    expect(fired).toHaveLength(1);
    scheduler.stop();
  });

  it('come and go', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(1 minute)')]);
    scheduler.start();
    await pass(90_000);
    scheduler.replace([rule('b', 'rate(1 minute)')]);
    expect(scheduler.nextOf('a')).toBeUndefined();
    expect(scheduler.nextOf('b')).toBe(START + 90_000 + MINUTE);
    await pass(MINUTE);
    expect(labels(fired)).toEqual(['a', 'b']);
  });

  it('do not make up for the time in which they were disabled', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(1 minute)')]);
    scheduler.start();
    await pass(MINUTE);
    scheduler.replace([rule('a', 'rate(1 minute)', false)]);
    await pass(10 * MINUTE);
    scheduler.replace([rule('a', 'rate(1 minute)')]);
    expect(fired).toHaveLength(1);
    await pass(MINUTE);
    expect(fired.map(({ coalesced }) => coalesced)).toEqual([0, 0]);
  });

  it('that are gone are not made up for when their last run ends', async () => {
    const { scheduler, fired } = world([rule('a', 'rate(1 minute)')], { speed: 600, runMs: 5_000 });
    scheduler.start();
    await pass(1_000);
    scheduler.replace([]);
    await pass(10_000);
    expect(fired).toHaveLength(1);
  });

  it('do not fire before the scheduler is started', () => {
    const { scheduler, fired } = world([]);
    scheduler.replace([schedule('a', 'rate(1 minute)')]);
    expect(fired).toEqual([]);
  });
});
