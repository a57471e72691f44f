import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunReport } from '../../src/overview/runtime.js';
import { AlarmWatch } from '../../tools/src/local/alarms/alarm-watch.js';
import { RunLog } from '../../tools/src/local/status/run-log.js';
import { RuntimeStatusView } from '../../tools/src/local/status/runtime-status.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = (second: number) => new Date(START + second * 1_000).toISOString();

function world(debuggers?: readonly object[]) {
  const log = new RunLog();
  let now = START;
  const time = {
    startedAt: START,
    clock: { now: () => now, wall: Date.now },
    setting: { wallStart: 0, start: START, speed: 1 },
  };
  const view = new RuntimeStatusView({
    app: {
      rules: [{ id: 'r', functionName: 'Orders', label: 'orders', event: { queue: 'orders' } }],
      functions: [{ name: 'Orders', timeoutSeconds: 900 }],
      functionUrls: [],
    },
    debuggers,
    appName: 'app',
    queues: [{ name: 'orders', table: 'Records' }],
    tables: ['Records'],
    ports: [],
    time,
    scheduler: { nextOf: () => undefined },
    alarms: new AlarmWatch({ alarms: [], now: () => now }),
    log,
  } as never);
  return {
    log,
    view,
    status: () => view.status(),
    pass: (ms: number) => {
      now += ms;
      vi.advanceTimersByTime(ms);
    },
    count: (SUCCESS: number) => view.setCounts(new Map([['Records', new Map([['orders', { SUCCESS }]])]])),
    ended: (second: number): RunReport => ({
      at: at(second),
      rule: 'r',
      label: 'orders',
      outcome: 'ok',
      text: `started at ${second}`,
      idle: false,
      coalesced: 0,
      durationMs: 10,
    }),
  };
}

it('the status says how far the backlog is ahead of real time', () => {
  const { status, pass } = world();
  vi.setSystemTime(START);
  expect(status().aheadMs).toBe(0);
  pass(60_000);
  vi.setSystemTime(START + 1_000);
  expect(status().aheadMs).toBe(59_000);
});

describe('a run that has ended', () => {
  it('is shown together with the counts that have its effect, and is at work until then', () => {
    const { log, view, status, count, ended } = world();
    view.countBegins();
    log.add(ended(1));
    // This count began before the run ended: it may or may not have read what the run wrote.
    count(0);
    expect(status()).toMatchObject({ runs: [], running: [{ at: at(1) }], countsBehind: false });
    view.countBegins();
    expect(status().runs).toEqual([]);
    count(3);
    expect(status()).toMatchObject({ runs: [{ at: at(1) }], running: [], countsBehind: false });
    expect(status().queues[0]?.SUCCESS).toBe(3);
  });

  it('is shown after a second at most: then it is said that the counts are behind, and of when they are', () => {
    const { log, view, status, pass, count, ended } = world();
    view.countBegins();
    count(0);
    pass(5_000);
    log.add(ended(1));
    pass(1_001);
    expect(status()).toMatchObject({
      runs: [{ at: at(1) }],
      running: [],
      countsBehind: true,
      countedAt: at(0),
    });
    view.countBegins();
    count(1);
    expect(status()).toMatchObject({ countsBehind: false, countedAt: at(6.001) });
  });

  it('is sorted by its start, and not by its end', () => {
    const { log, view, status, count, ended } = world();
    for (const second of [5, 2, 9]) log.add(ended(second));
    view.countBegins();
    count(0);
    expect(status().runs.map(({ text }) => text)).toEqual(['started at 2', 'started at 5', 'started at 9']);
  });
});

describe('a run that is at work', () => {
  it('is shown from its start to its end, with its real length', () => {
    const { log, status, pass } = world();
    const end = log.start({ at: at(0), rule: 'r', label: 'orders' });
    pass(90_000);
    log.start({ at: at(90), rule: 's', label: 'prices' });
    pass(500);
    expect(status().running).toMatchObject([
      { label: 'orders', runningMs: 90_500 },
      { label: 'prices', runningMs: 500 },
    ]);
    end();
    expect(status().running).toMatchObject([{ label: 'prices' }]);
  });

  it('is a trouble beyond the time that its function may take, and so is a rule whose last run failed', () => {
    const { log, status, pass, ended } = world();
    log.add({ ...ended(1), outcome: 'error', text: 'failed: TypeError: no' });
    log.start({ at: at(0), rule: 'r', label: 'orders' });
    pass(1_000_000);
    expect(status().troubles?.map(({ text }) => text)).toEqual([
      'orders: its last run failed: TypeError: no.',
      'orders: its run has been at work for 16 min 40 s, and its function may take 15 min.',
    ]);
  });

  it('has the time that its function may take, except under a debugger', () => {
    const timeouts = ({ log, status }: ReturnType<typeof world>) => {
      for (const rule of ['r', 'gone']) log.start({ at: at(0), rule, label: rule });
      return status().running.map(({ timeoutMs }) => timeoutMs);
    };
    expect(timeouts(world())).toEqual([900_000, undefined]);
    expect(timeouts(world([{ functionName: 'Orders', port: 9229 }]))).toEqual([undefined, undefined]);
    expect(timeouts(world([{ functionName: 'Other', port: 9229 }]))).toEqual([900_000, undefined]);
  });
});

it('the status says which queues are named by records, and by no rule of the app', () => {
  const { status, view } = world();
  view.setCounts(new Map([['Records', new Map([['oders', { NEW: 2 }]])]]));
  expect(status().queues).toMatchObject([{ name: 'orders' }, { name: 'oders', NEW: 2, unserved: true }]);
  expect(status().queues[0]).not.toHaveProperty('unserved');
});
