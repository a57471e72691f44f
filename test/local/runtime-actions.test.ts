import { describe, expect, it, vi } from 'vitest';
import type { RuleStatus, RunReport } from '../../src/overview/runtime.js';
import { RuntimeActions } from '../../tools/src/local/status/runtime-actions.js';
import type { RuntimeStatus } from '../../tools/src/local/status/status.js';

const rule = (id: string, queues: string[], enabled = true) =>
  ({ id, label: `${id}, every minute`, queues, enabled }) as unknown as RuleStatus;

function world(rules = [rule('orders', ['orders']), rule('bulk', ['bulk']), rule('sweep', [])]) {
  const state = { speed: 60, paused: false, up: true };
  const reports = new Map<string, Partial<RunReport>>();
  const ran: string[] = [];
  const ends: (() => void)[] = [];
  const changes: object[] = [];
  const clock = {
    change: vi.fn(async (change: { speed?: number; paused?: boolean }) => {
      changes.push(change);
      Object.assign(state, change);
    }),
    advance: vi.fn(async () => ({
      at: Date.parse('2026-01-01T00:05:00.000Z'),
      rules: ['orders'],
      ended: new Promise<void>((resolve) => ends.push(resolve)),
    })),
  };
  const actions = new RuntimeActions({
    status: () => ({ ...state, rules }) as unknown as RuntimeStatus,
    log: { lastOf: (id) => reports.get(id) as RunReport | undefined },
    runRule: (id) => {
      ran.push(id);
      return new Promise((resolve) => ends.push(resolve));
    },
    clock,
    erp: {
      get state() {
        return { up: state.up, taken: 0, making: 0, rejected: 0, unavailable: 0 };
      },
      set: (up) => Object.assign(state, { up }),
    },
  });
  const said: string[] = [];
  const summary = (attempted: number, succeeded: number, ended = 'drained', queue = 'orders') => ({
    outcome: 'ok' as const,
    summary: { queue, attempted, succeeded, failed: attempted - succeeded, dead: 0, ended } as never,
  });
  return {
    actions,
    state,
    reports,
    ran,
    ends,
    changes,
    clock,
    said,
    say: (text: string) => said.push(text),
    summary,
  };
}

describe('run now', () => {
  it('fires the rules that attempt records, and says what came of it', async () => {
    const { actions, ran, ends, reports, said, say, summary } = world();
    const done = actions.runNow(say);
    expect(ran).toEqual(['orders', 'bulk']);
    expect(said).toEqual(['running 2 rules …']);
    void actions.runNow(say);
    expect(said.at(-1)).toBe('the runs of the last r are still at work');
    expect(ran).toHaveLength(2);
    reports.set('orders', summary(3, 2));
    reports.set('bulk', summary(0, 0, 'paused', 'bulk'));
    for (const end of ends) end();
    await done;
    expect(said.at(-1)).toBe('ran 2 rules: attempted 3: 2 ok, 1 failed, 0 dead; bulk: paused');
  });

  it('says that nothing was due, that a run ended badly, and works again', async () => {
    const { actions, ends, reports, said, say, summary } = world([rule('orders', ['orders'])]);
    for (const [report, text] of [
      [summary(0, 0), 'ran 1 rule: nothing was due'],
      [{ outcome: 'timedOut' as const }, 'ran 1 rule: 1 ended badly'],
      [summary(0, 0, 'leaseHeld'), 'ran 1 rule: orders: another run is at it'],
    ] as const) {
      reports.set('orders', report);
      const done = actions.runNow(say);
      ends.pop()?.();
      await done;
      expect(said.at(-1)).toBe(text);
    }
  });

  it('says so where all rules are disabled', async () => {
    const { actions, said, say, ran } = world([rule('orders', ['orders'], false)]);
    await actions.runNow(say);
    expect(said).toEqual(['no rule that attempts records is enabled']);
    expect(ran).toEqual([]);
  });
});

describe('the clock', () => {
  it('goes to the next tick', async () => {
    const { actions, ends, reports, said, say, summary } = world();
    const done = actions.nextTick(say);
    await vi.waitFor(() => expect(said).toEqual(['next tick, 00:05:00: fired orders, every minute …']));
    reports.set('orders', summary(1, 1));
    ends[0]?.();
    await done;
    expect(said.at(-1)).toBe(
      'next tick, 00:05:00: fired orders, every minute: attempted 1: 1 ok, 0 failed, 0 dead',
    );
  });

  it('is paused and goes on', async () => {
    const { actions, changes, said, say } = world();
    await actions.pause(say);
    await actions.pause(say);
    expect(changes).toEqual([{ paused: true }, { paused: false }]);
    expect(said).toEqual(['clock paused: no rule fires until p lets it go on', 'the clock goes on']);
  });

  it('goes faster and slower, from one usual speed to the next, and no further', async () => {
    const { actions, state, said, say } = world();
    const speeds: number[] = [];
    for (const direction of [
      'faster',
      'faster',
      'faster',
      'slower',
      'slower',
      'slower',
      'slower',
      'slower',
    ] as const) {
      await actions.changeSpeed(direction, say);
      speeds.push(state.speed);
    }
    expect(speeds).toEqual([360, 1_440, 1_440, 360, 60, 10, 1, 1]);
    expect(said[2]).toBe('the clock goes no faster by this key: 1440 × real time');
    expect(said[6]).toBe('the clock goes as fast as real time');
    state.speed = 100;
    await actions.changeSpeed('slower', say);
    expect(state.speed).toBe(60);
  });

  it('says what keeps it from a change', async () => {
    const { actions, clock, said, say } = world();
    clock.change.mockRejectedValue(new Error('the runtime is stopping'));
    await actions.pause(say);
    expect(said).toEqual(['the runtime is stopping']);
  });
});

describe('the outage', () => {
  it('begins and ends', () => {
    const { actions, state, said, say } = world();
    actions.outage(say);
    expect(state.up).toBe(false);
    actions.outage(say);
    expect(state.up).toBe(true);
    expect(said).toEqual(['the ERP is down, until o brings it up', 'the ERP is up, and stays up']);
  });
});
