import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import type { RuleStatus, RunReport } from '../../src/overview/runtime.js';
import type { RuntimeStatus } from '../../tools/src/local/status/status.js';
import { consoleUnderTest, get, HOUR, iso, MINUTE, runtimeUnderTest } from './console-under-test.js';

const rules = (count: number, changes: (i: number) => Partial<RuleStatus> = () => ({})): RuleStatus[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ id: `r${i}`, label: `q${i}, every minute`, expression: 'rate(1 minute)', queues: [`q${i}`] },
    ...{ enabled: true, nextAt: iso(MINUTE), fired: 1, late: 0, failed: 0, givenUp: 0 },
    ...changes(i),
  }));
const late = (i: number) => (i === 7 ? { nextAt: iso(-HOUR) } : {});

async function page(
  status: Partial<RuntimeStatus>,
  lastRunOf: (rule: string) => RunReport | undefined = () => undefined,
) {
  const { app } = consoleUnderTest({ runtime: runtimeUnderTest(status, { lastRunOf }) });
  const { text } = await get(app, '/');
  const { document } = parseHTML(text);
  const labels = (selector: string) =>
    [...document.querySelectorAll(`${selector} > table tbody tr`)].map((row) =>
      (row.firstElementChild?.textContent ?? '').replace(', every minute', ''),
    );
  const panel = [...document.querySelectorAll('.panel')].find(
    (one) => one.querySelector('h2')?.textContent === 'Rules',
  );
  panel?.setAttribute('id', 'rules');
  return {
    text: (selector: string) =>
      (document.querySelector(selector)?.textContent ?? '').replace(/\s+/g, ' ').trim(),
    fold: document.querySelector('details[data-key="rules"]'),
    shown: labels('#rules'),
    folded: labels('#rules > details'),
  };
}

describe('the rules of a local runtime', () => {
  it('are all shown where there are few, those that are late first', async () => {
    const { fold, shown } = await page({ rules: rules(6, (i) => (i === 4 ? { nextAt: iso(-HOUR) } : {})) });
    expect(fold).toBeNull();
    expect(shown).toEqual(['q4', 'q0', 'q1', 'q2', 'q3', 'q5']);
  });

  it('are folded to a line where there are many and none is late', async () => {
    const { fold, shown, folded, text } = await page({
      rules: rules(50, (i) => (i < 2 ? { enabled: false } : {})),
    });
    expect(fold?.hasAttribute('open')).toBe(false);
    expect(shown).toEqual([]);
    expect(folded).toHaveLength(50);
    expect(text('#rules summary')).toMatch(/^48 rules on time 2 disabled; next in 1 min 14:48:18$/);
    expect(text('#rules header')).toBe('Rules50 rules');
  });

  it('are in the open if they are late or fail, and the others stay folded', async () => {
    const failed: RunReport = {
      ...{ at: iso(-MINUTE), rule: 'r3', label: 'q3', outcome: 'error', text: 'failed: TypeError: no' },
      ...{ idle: false, coalesced: 0, durationMs: 1 },
    };
    const { shown, folded, text } = await page(
      { rules: rules(50, (i) => ({ ...late(i), ...(i === 3 ? { failedInARow: 4 } : {}) })) },
      (rule) => (rule === 'r3' ? failed : undefined),
    );
    expect(shown).toEqual(['q3', 'q7']);
    expect(folded).toHaveLength(48);
    expect(text('#rules header')).toBe('Rules50 rules, 1 missed, 1 fails');
    expect(text('#rules > table')).toContain('failed: TypeError: no the last 4 failed');
  });

  it.each([
    ['paused', { paused: true }, ['q7']],
    ['slower than it was asked to be', { speed: 15, askedSpeed: 60 }, []],
  ])('are not said to be on time while the clock is %s', async (_, clock, missed) => {
    const { text, shown } = await page({ rules: rules(50, late), ...clock });
    expect(text('#rules summary')).not.toContain('on time');
    expect(text('#rules summary')).toContain('not known to be late');
    expect(shown).toEqual(missed);
  });

  it('say for how long their runs have been at work, and of how long', async () => {
    const run = { at: iso(-5 * MINUTE), rule: 'r0', label: 'q0, every minute' };
    const { text } = await page({
      running: [
        { ...run, runningMs: 250_000, timeoutMs: 900_000 },
        { ...run, runningMs: 70_000, timeoutMs: 60_000 },
        { ...run, runningMs: 3_000 },
        { ...run, runningMs: 300 },
      ],
    });
    const runs = text('.runs');
    expect(runs).toContain('at work for 4 min 10 s of 15 min');
    expect(runs).toContain('at work for 1 min 10 s, its function may take 1 min');
    expect(runs).toMatch(/at work for 3 s(?! of)/);
    expect(runs.match(/at work/g)).toHaveLength(3);
  });

  it('have the warnings of their functions once each, the latest first, with a count and the last time', async () => {
    const warning = { functionName: 'Orders', level: 'WARN' as const };
    const { text } = await page({
      notices: [
        { ...warning, text: 'a message was left', at: iso(-HOUR), count: 1 },
        { ...warning, text: 'the table is slow', at: iso(-MINUTE), count: 1_200 },
      ],
    });
    expect(text('.notices ul')).toBe(
      'Orders: the table is slow, 1,200 times, the last at 14:46:18Orders: a message was left',
    );
  });
});
