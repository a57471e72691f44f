import { describe, expect, it } from 'vitest';
import type { RuleStatus, RunReport } from '../../src/overview/runtime.js';
import { runTroubles } from '../../tools/src/local/status/run-troubles.js';

const AT = '2026-01-01T00:00:00.000Z';
const RULE: RuleStatus = {
  ...{ id: 'r', label: 'orders, every minute', expression: 'rate(1 minute)', queues: ['orders'] },
  ...{ enabled: true, fired: 9, late: 0, failed: 3, givenUp: 0 },
};
const report = (text: string): RunReport => ({
  ...{ at: AT, rule: 'r', label: RULE.label, outcome: 'error', idle: false, coalesced: 0, durationMs: 1 },
  text,
});
const failing = (failedInARow: number, text: string) =>
  runTroubles([{ ...RULE, failedInARow }], [], () => report(text));

describe('runs of a local runtime', () => {
  it.each([
    [
      1,
      'failed: TypeError: no such function',
      'orders, every minute: its last run failed: TypeError: no such function.',
    ],
    [3, 'timed out after 60 s.', 'orders, every minute: its last 3 runs failed: timed out after 60 s.'],
    [2, '', 'orders, every minute: its last 2 runs failed.'],
  ])('that failed %i times in succession are named', (failed, said, text) => {
    expect(failing(failed, said)).toEqual([{ text, isRepeated: failed > 1, queues: ['orders'] }]);
  });

  it('that failed with a long message are named in one sentence', () => {
    expect(failing(1, 'x'.repeat(5_000))[0]?.text).toHaveLength(201);
  });

  it('that end well are not named', () => {
    expect(failing(0, 'drained')).toEqual([]);
    expect(runTroubles([RULE], [], () => undefined)).toEqual([]);
  });

  it('do not end if they are beyond what their function may take, and their wait for a sandbox', () => {
    const run = { at: AT, rule: 'r', label: RULE.label };
    const running = [
      { ...run, runningMs: 61_000, timeoutMs: 60_000 },
      { ...run, runningMs: 126_000, timeoutMs: 60_000 },
      // Under a debugger.
      { ...run, runningMs: 3_600_000 },
    ];
    expect(runTroubles([RULE], running, () => undefined)).toEqual([
      {
        text: 'orders, every minute: its run has been at work for 2 min 6 s, and its function may take 1 min.',
        ...{ isRepeated: false, queues: ['orders'] },
      },
    ]);
  });
});
