import { describe, expect, it } from 'vitest';
import { cut, painter, width } from '../../src/tools/cli/paint.js';
import { plainCounts, plainRun, summary } from '../../src/tools/cli/plain.js';
import { Screen } from '../../src/tools/cli/screen.js';
import { renderView } from '../../src/tools/cli/view.js';
import type { RunReport } from '../../src/tools/local/status/run-report.js';
import type { RuntimeStatus } from '../../src/tools/local/status/status.js';

const run = (minute: number, text: string): RunReport => ({
  at: `2026-01-01T00:0${minute}:00.000Z`,
  rule: 'poll',
  label: 'default, every minute',
  outcome: 'ok',
  text,
  idle: false,
  coalesced: 0,
  durationMs: 5,
});

const status: RuntimeStatus = {
  startedAt: '2026-01-01T00:00:00.000Z',
  now: '2026-01-01T00:05:30.000Z',
  speed: 60,
  paused: false,
  endpoint: 'http://127.0.0.1:8000',
  statusPage: 'http://127.0.0.1:8080/',
  app: "this package's own CDK app",
  logs: '/tmp/logs',
  tables: ['BacklogRecords'],
  deliverTo: 'http://127.0.0.1:1/',
  queues: [
    {
      name: 'default',
      retryMode: 'perRecord',
      policy: 'fibonacci',
      table: 'BacklogRecords',
      NEW: 1,
      ERROR: 2,
      SUCCESS: 30,
      DEAD: 4,
      nextRunAt: '2026-01-01T00:06:00.000Z',
    },
    { name: 'misspelt', table: 'BacklogRecords', NEW: 7, ERROR: 0, SUCCESS: 0, DEAD: 0 },
  ],
  rules: [
    {
      id: 'poll',
      label: 'default, every minute',
      expression: 'rate(1 minute)',
      queues: ['default'],
      enabled: true,
      fired: 5,
      late: 0,
      failed: 0,
      givenUp: 0,
    },
  ],
  runs: [run(1, 'attempted 3: 3 ok'), run(2, 'attempted 2: 1 ok\u001b[2J')],
  notices: [],
  totals: {
    runs: 5,
    attempted: 5,
    succeeded: 4,
    failed: 1,
    dead: 0,
    snoozed: 0,
    cancelled: 0,
    unsettled: 0,
    broken: 1,
    late: 2,
    givenUp: 0,
  },
  sample: { inserted: 37, erp: { up: false, changesInSeconds: 9, taken: 30, rejected: 4, unavailable: 5 } },
};
const plain = painter(false);

describe('a clock that is paused', () => {
  it('is said in the terminal, and in plain lines', () => {
    const paused = { ...status, paused: true };
    const lines = renderView(paused, { columns: 120, rows: 40 }, painter(false));
    expect(lines[0]).toMatch(/since the start {3}paused$/);
    expect(lines.find((line) => line.startsWith('Speed'))).toContain('paused: no rule fires');
    expect(plainCounts(paused)).toMatch(/ \| paused$/);
    expect(renderView(status, { columns: 120, rows: 40 }, painter(false)).join()).not.toContain('paused');
  });
});

describe('the live view', () => {
  const lines = renderView(status, { columns: 120, rows: 40 }, plain);
  const text = lines.join('\n');

  it('says where everything is, what the sample does and how the ERP is', () => {
    expect(text).toMatch(/DynamoDB +http:\/\/127\.0\.0\.1:8000 +table BacklogRecords/);
    expect(text).toMatch(/Speed +60: 1 second here is 1 min of the backlog/);
    expect(text).toMatch(/Sample +a small shop/);
    expect(text).toMatch(/ERP +DOWN, answers 503 for another 9 s; took 30, rejected 4 permanently/);
  });

  it('counts per queue and status, and says when the next run is', () => {
    expect(text).toMatch(/QUEUE +RETRIES +NEW +ERROR +SUCCESS +DEAD +NEXT RUN/);
    expect(text).toMatch(/default +fibonacci +1 +2 +30 +4 +in 30 s/);
    expect(text).toMatch(/misspelt +no such queue +7 +0 +0 +0 +-/);
  });

  it('shows the last runs, the newest first', () => {
    expect(text.indexOf('attempted 2')).toBeLessThan(text.indexOf('attempted 3'));
    expect(text.indexOf('attempted 2')).toBeGreaterThan(0);
  });

  it('lets no text from outside play tricks on the terminal', () => {
    expect(text).not.toContain('\u001b');
  });

  it.each([
    [80, 24],
    [40, 10],
    [200, 60],
  ])('fits into %i columns and %i rows, coloured or not', (columns, rows) => {
    for (const colors of [false, true]) {
      const fitted = renderView(status, { columns, rows }, painter(colors));
      expect(fitted.length).toBeLessThan(rows);
      for (const line of fitted) expect(width(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('keeps its height while runs come in: nothing jumps', () => {
    const heights = [0, 1, 2].map(
      (count) =>
        renderView({ ...status, runs: status.runs.slice(0, count) }, { columns: 120, rows: 40 }, plain)
          .length,
    );
    expect(new Set(heights).size).toBe(1);
  });

  it('says why nothing is delivered when the rules of all queues are disabled', () => {
    const { deliverTo: _to, sample: _sample, ...rest } = status;
    const rules = status.rules.flatMap((rule) => [
      { ...rule, enabled: false },
      { ...rule, id: 'sweep', queues: [] },
    ]);
    const disabled = { ...rest, rules };
    expect(renderView(disabled, { columns: 120, rows: 40 }, plain).join('\n')).toMatch(
      /Delivers +nothing: no --deliver-to and no sample: the app's rules are disabled/,
    );
  });
});

describe('a cut line', () => {
  it('counts columns without the styles, and keeps the end of a style', () => {
    const red = painter(true)('red', 'abcdefgh');
    expect(width(red)).toBe(8);
    expect(cut(red, 4)).toBe('\u001b[31mabc…\u001b[39m');
    expect(cut('abcd', 4)).toBe('abcd');
  });
});

describe('the screen', () => {
  it('draws over its own last picture, and gives the cursor back', () => {
    const written: string[] = [];
    const screen = new Screen({
      columns: 80,
      rows: 24,
      write: (text) => written.push(text),
      on: () => {},
      off: () => {},
    });
    screen.draw(['one', 'two']);
    screen.draw(['three']);
    screen.close();
    expect(written[0]).toBe('\u001b[?25l');
    expect(written[2]).toContain('\u001b[2A\rthree\u001b[K\n\u001b[J');
    expect(written.at(-1)).toBe('\u001b[?25h');
  });
});

describe('without a terminal', () => {
  it('a run is one line, with what it stands for', () => {
    expect(plainRun({ ...run(1, 'attempted 3: 3 ok'), coalesced: 4 })).toBe(
      '2026-01-01 00:01:00  default, every minute: attempted 3: 3 ok (stands for 4 more)',
    );
  });

  it('the counts are one line, and the summary says what went wrong', () => {
    expect(plainCounts(status)).toBe(
      '2026-01-01 00:05:30  default: 1 NEW, 2 ERROR, 30 SUCCESS, 4 DEAD | misspelt: 7 NEW, 0 ERROR, 0 SUCCESS, 0 DEAD | ERP down',
    );
    expect(summary(status)[0]).toBe(
      '5 runs (1 ended badly, 2 late and made up for); attempted 5: 4 ok, 1 failed, 0 dead',
    );
  });
});

describe('what came of a save', () => {
  const size = { columns: 140, rows: 40 };
  const reload = { at: '2026-01-01T09:30:05.000Z', ok: true, text: 'orders.ts is live in Orders', lines: [] };

  it('is one line', () => {
    const lines = renderView({ ...status, reload }, size, painter(false));
    expect(lines).toContain('09:30:05 UTC  orders.ts is live in Orders');
    expect(renderView(status, size, painter(false)).join('\n')).not.toContain('UTC  orders');
  });

  it('names what has changed of the app, as far as there is room', () => {
    const changed = { ...reload, text: 'the app has changed', lines: ['queue a: added', 'x'.repeat(200)] };
    const line = renderView({ ...status, reload: changed }, size, painter(false)).find((one) =>
      one.includes('queue a: added; xxx'),
    );
    expect(width(line ?? '')).toBe(140);
  });
});
