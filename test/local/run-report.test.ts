import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../src/worker/index.js';
import { RunLog } from '../../tools/src/local/status/run-log.js';
import { type FiringResult, reportRun } from '../../tools/src/local/status/run-report.js';

const summary: RunSummary = {
  queue: 'default',
  lane: 'default',
  attempted: 0,
  succeeded: 0,
  failed: 0,
  dead: 0,
  snoozed: 0,
  cancelled: 0,
  skipped: 0,
  unsettled: 0,
  leftOver: 0,
  lagSeconds: 0,
  ended: 'drained',
  durationMs: 40.4,
};
const firing = { at: '2026-01-01T00:00:00.000Z', rule: 'r', label: 'default', coalesced: 2, durationMs: 50 };
const report = (invocation: FiringResult['invocation']) => reportRun({ ...firing, invocation });
const result = (changes: Partial<RunSummary>) =>
  report({ type: 'result', value: { ...summary, ...changes } });

describe('the report of a run', () => {
  it('is short whatever a handler throws, and shows of URLs origin and path only', () => {
    const message = `asked https://shop:pw@h/in?token=t ${'x'.repeat(1_000_000)}`;
    const { text } = report({ type: 'error', name: 'HTTPError', message });
    expect(text).toMatch(/^failed: HTTPError: asked https:\/\/h\/in x+…$/);
    expect(text).toHaveLength(501);
  });

  it.each([
    [{}, true, 'nothing due'],
    [{ ended: 'leaseHeld' }, true, 'another run is at it'],
    [{ caughtUp: [3, 4] }, false, 'nothing due, made up for tier 3, 4'],
    [
      { attempted: 1, succeeded: 1, caughtUp: [6] },
      false,
      'attempted 1: 1 ok, 0 failed, 0 dead - drained, made up for tier 6',
    ],
    [
      { attempted: 12, succeeded: 9, failed: 2, dead: 1 },
      false,
      'attempted 12: 9 ok, 2 failed, 1 dead - drained',
    ],
    [
      { attempted: 5, succeeded: 5, leftOver: 95, ended: 'maxRecords' },
      false,
      'attempted 5: 5 ok, 0 failed, 0 dead, 95 left over - stopped at maxRecords',
    ],
    [
      { attempted: 7, succeeded: 0, snoozed: 2, pending: 4, cancelled: 1 },
      false,
      'attempted 7: 0 ok, 0 failed, 0 dead, 2 snoozed, 4 pending, 1 cancelled - drained',
    ],
    [{ leftOver: 20, ended: 'paused' }, true, 'paused'],
    [
      { attempted: 1, succeeded: 1, leftOver: 19, ended: 'paused' },
      false,
      'attempted 1: 1 ok, 0 failed, 0 dead, 19 left over - paused',
    ],
    [
      { skipped: 1, unsettled: 1 },
      false,
      'attempted 0: 0 ok, 0 failed, 0 dead, 1 skipped, 1 unsettled - drained',
    ],
  ] as const)('of %j', (changes, idle, text) => {
    expect(result(changes)).toMatchObject({ outcome: 'ok', idle, text });
  });

  it.each([
    [{ type: 'result', value: 'anything' }, 'ok', 'done'],
    [{ type: 'error', name: 'TypeError', message: 'no' }, 'error', 'failed: TypeError: no'],
    [
      { type: 'exited', message: 'Runtime exited with exit status 1' },
      'exited',
      'Runtime exited with exit status 1',
    ],
    [{ type: 'givenUp', message: 'no sandbox was free' }, 'givenUp', 'given up: no sandbox was free'],
  ] as const)('of the invocation %j', (invocation, outcome, text) => {
    expect(report(invocation)).toMatchObject({ outcome, idle: false, text });
  });
});

describe('the log of runs', () => {
  it('adds up what all runs did, and keeps only the last ones that did something', () => {
    const log = new RunLog();
    for (let i = 0; i < 100; i++) log.add(result({ attempted: 2, succeeded: 1, dead: 1 }));
    log.add(result({}));
    log.add(report({ type: 'exited', message: 'x' }));
    log.add(report({ type: 'givenUp', message: 'x' }));
    expect(log.totals).toMatchObject({
      runs: 103,
      attempted: 200,
      succeeded: 100,
      dead: 100,
      late: 206,
      broken: 1,
      givenUp: 1,
    });
    expect(log.ofRule('r')).toEqual({ fired: 103, late: 206, failed: 1, givenUp: 1, failedInARow: 1 });
    expect(log.runs).toHaveLength(50);
    expect(log.runs.every(({ idle }) => !idle)).toBe(true);
  });

  it('counts the last runs of a rule that failed, until one ends well', () => {
    const log = new RunLog();
    const failed = () => log.ofRule('r').failedInARow;
    for (let i = 0; i < 3; i++) log.add(report({ type: 'error', name: 'TypeError', message: 'no' }));
    expect(failed()).toBe(3);
    // No sandbox was free, so the function has not run.
    log.add(report({ type: 'givenUp', message: 'x' }));
    expect(failed()).toBe(3);
    log.add(result({}));
    expect(failed()).toBe(0);
  });
});
