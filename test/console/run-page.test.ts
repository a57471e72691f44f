import { expect, it } from 'vitest';
import { InvocationLog } from '../../tools/src/local/sandbox/invocation-log.js';
import { RunLog } from '../../tools/src/local/status/run-log.js';
import { detailsOf, reportRun } from '../../tools/src/local/status/run-report.js';
import { consoleUnderTest, get, iso, runtimeUnderTest } from './console-under-test.js';

const HOSTILE = '<script>alert(1)</script>';

/** A console whose runtime has seen one run, which wrote these lines. */
function withRun(lines: readonly string[], error?: { name: string; message: string; stack?: string }) {
  const log = new InvocationLog();
  for (const line of lines) log.add(line, 'stdout');
  const ended = error
    ? ({ type: 'error', ...error } as const)
    : ({ type: 'result', value: { queue: 'orders', attempted: 1, succeeded: 1, ended: 'drained' } } as const);
  const invocation = { ...ended, log };
  const report = reportRun({
    at: iso(),
    rule: 'orders-rule',
    label: 'orders, every minute',
    coalesced: 0,
    durationMs: 12.4,
    invocation,
  });
  const runs = new RunLog();
  runs.add(report, detailsOf(invocation));
  const runtime = runtimeUnderTest(
    { runs: runs.runs },
    { findRun: (rule, at) => runs.find(rule, at), lastRunOf: (rule) => runs.lastOf(rule) },
  );
  const { app } = consoleUnderTest({ runtime });
  return { app, runs, path: `/runtime/run?rule=orders-rule&at=${encodeURIComponent(iso())}` };
}

it('the overview leads to a run, whose page has what it wrote', async () => {
  const line = {
    level: 'WARN',
    message: 'attempt failed',
    id: 'order-7',
    error: 'HttpError',
    timestamp: 'x',
  };
  const { app, path } = withRun([JSON.stringify(line), 'from console.log', '{"_aws":{},"Failed":1}']);
  expect((await get(app, '/')).text).toContain(path.replace('&', '&amp;'));
  const { status, text } = await get(app, path);
  expect(status).toBe(200);
  expect(text).toContain('A run of <bdi>orders, every minute</bdi>');
  expect(text).toContain('WARN');
  expect(text).toContain('<bdi>attempt failed</bdi>');
  expect(text).toContain('<bdi>id=order-7 error=HttpError</bdi>');
  expect(text).toContain('from console.log');
  expect(text).toContain('<bdi>Failed=1</bdi>');
});

it('has the stack of what ended it, and of an attempt', async () => {
  const threw = JSON.stringify({
    level: 'WARN',
    message: 'attempt threw',
    id: 'a',
    stack: `at send (file:///tmp/x/cdk.out/asset.${'91048910'.repeat(8)}/index.mjs:18:29)`,
  });
  const error = {
    name: 'TypeError',
    message: 'no config',
    stack: 'TypeError: no config\n    at load (orders.ts:3:9)',
  };
  const { app, path } = withRun([threw], error);
  const { text } = await get(app, path);
  expect(text).toContain('orders, every minute</bdi> failed');
  expect(text).toContain('at load (orders.ts:3:9)');
  expect(text).toContain('at send (asset.91048910/index.mjs:18:29)');
});

it('escapes what functions write, and cuts it', async () => {
  const hostile = [
    HOSTILE,
    JSON.stringify({ level: HOSTILE, message: HOSTILE, field: HOSTILE, stack: HOSTILE }),
  ];
  const { app, path } = withRun([...hostile, 'x'.repeat(1_000_000)], {
    name: HOSTILE,
    message: HOSTILE,
    stack: HOSTILE,
  });
  const { text } = await get(app, path);
  expect(text).not.toContain(HOSTILE);
  expect(text.length).toBeLessThan(40_000);
});

it('keeps a bounded number of lines, and says that there are more', async () => {
  const { app, path } = withRun(Array.from({ length: 250 }, (_, i) => `line ${i}`));
  const { text } = await get(app, path);
  expect(text).toContain('line 199');
  expect(text).not.toContain('line 200');
  expect(text).toContain('50 more lines are in the function&#39;s file');
});

it('says so where the run is not kept any more, and keeps no more than 50', async () => {
  const { app, runs, path } = withRun(['first']);
  expect((await get(app, '/runtime/run?rule=other&at=x')).status).toBe(404);
  for (let i = 0; i < 50; i++) {
    const invocation = { type: 'result', value: 'done', log: new InvocationLog() } as const;
    const report = reportRun({
      at: iso(i + 1),
      rule: 'orders-rule',
      label: 'l',
      coalesced: 0,
      durationMs: 1,
      invocation,
    });
    runs.add(report, detailsOf(invocation));
  }
  const { status, text } = await get(app, path);
  expect(status).toBe(404);
  expect(text).toContain('not kept any more');
});

it('no log is in the status that other programs read', () => {
  const { runs } = withRun(['secret line']);
  expect(JSON.stringify([runs.runs, runs.activity()])).not.toContain('secret line');
});
