import { describe, expect, it } from 'vitest';
import { cut, painter, width } from '../../tools/src/cli/paint.js';
import { plainAlarm, plainCounts, plainNotice, plainRun, summary } from '../../tools/src/cli/plain.js';
import { Screen } from '../../tools/src/cli/screen.js';
import { renderView } from '../../tools/src/cli/view.js';
import { run, status } from './runtime-status.js';

const plain = painter(false);

describe('a clock that is paused', () => {
  it('is said in the terminal, and in plain lines', () => {
    const paused = { ...status, paused: true };
    const lines = renderView(paused, { columns: 120, rows: 40 }, painter(false));
    expect(lines[0]).toMatch(/since the start {3}paused$/);
    expect(lines.find((line) => line.startsWith('Time'))).toContain(
      'paused: no rule fires until the console',
    );
    expect(plainCounts(paused)).toMatch(/ \| paused$/);
    expect(renderView(status, { columns: 120, rows: 40 }, painter(false)).join()).not.toContain('paused');
  });
});

describe('the live view', () => {
  const lines = renderView(status, { columns: 120, rows: 40 }, plain);
  const text = lines.join('\n');

  it('says where everything is, what the sample does and how the ERP is', () => {
    expect(text).toMatch(/DynamoDB +http:\/\/127\.0\.0\.1:8000 +table BacklogRecords/);
    expect(text).toMatch(/Time +all times are backlog time, 60 × real time: 1 real second is 1 min$/m);
    expect(text).toMatch(/Sample +a small shop/);
    expect(text).toMatch(
      /ERP +DOWN \(503\) for another 9 min; took 30, rejected 4 permanently, 2 not ready yet/,
    );
  });

  it('says that the clock is slower than it was asked to go', () => {
    const slowed = { ...status, speed: 15, askedSpeed: 60 };
    expect(renderView(slowed, { columns: 120, rows: 40 }, plain).join('\n')).toMatch(
      /^Time +60× asked, 15× now: this machine cannot keep up$/m,
    );
  });

  it('says by how much the clocks of other programs are off, while they are', () => {
    const lineBelowTime = (changes: Partial<typeof status>) => {
      const shown = renderView(
        { ...status, sample: undefined, ...changes },
        { columns: 80, rows: 40 },
        plain,
      );
      return shown[shown.findIndex((line) => line.startsWith('Time')) + 1]?.trim();
    };
    const behind = 'your programs stamp real time: their delays are off by 2 h 5 min';
    expect(lineBelowTime({ speed: 60, aheadMs: 7_500_000 })).toBe(behind);
    // After a jump to the next tick, too.
    expect(lineBelowTime({ speed: 1, aheadMs: 7_500_000 })).toBe(behind);
    expect(lineBelowTime({ speed: 1, aheadMs: -7_500_000 })).toBe(behind);
    expect(lineBelowTime({ speed: 1, aheadMs: 3 })).not.toContain('real time');
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

  it('shows a run that is at work for a while, above those that have ended, and short ones not at all', () => {
    const long = { at: '2026-01-01T00:00:30.000Z', rule: 'bulk', label: 'bulk, every 5 minutes' };
    const running = [
      { ...long, runningMs: 5_000 },
      { ...long, at: '2026-01-01T00:05:20.000Z', label: 'short', runningMs: 200 },
    ];
    const shown = renderView({ ...status, running }, { columns: 120, rows: 40 }, plain);
    const title = shown.findIndex((line) => line.startsWith('RUNS'));
    expect(shown[title + 1]).toMatch(/^2026-01-01 00:00:30 +bulk, every 5 minutes +running for 5 min$/);
    expect(shown[title + 2]).toContain('attempted 2');
    expect(shown.join('\n')).not.toContain('short');
    // Many of them leave room for the others: those that are at work for the longest are shown.
    const many = Array.from({ length: 20 }, (_, i) => ({
      ...long,
      label: `run ${i}`,
      runningMs: 90_000 - i,
    }));
    const overloaded = renderView({ ...status, running: many }, { columns: 80, rows: 25 }, plain);
    const below = overloaded.slice(overloaded.findIndex((line) => line.startsWith('RUNS')) + 1);
    expect(below.slice(0, 3).map((line) => line.slice(10).trim())).toEqual([
      expect.stringMatching(/^run 1 +running for 5 min$/),
      expect.stringMatching(/^run 0 +running for 5 min$/),
      'and 18 more at work',
    ]);
    expect(below[3]).toContain('attempted 2');
    // It stays visible, however many others end meanwhile.
    const runs = Array.from({ length: 50 }, (_, i) => run(i % 10, 'attempted 1'));
    expect(renderView({ ...status, running, runs }, { columns: 80, rows: 24 }, plain).join()).toContain(
      'running for 5 min',
    );
  });

  it('has no length of a run: that is real time, and all else is backlog time', () => {
    expect(text).not.toMatch(/\d ms/);
    const real = renderView({ ...status, speed: 1 }, { columns: 80, rows: 30 }, plain, { hasKeys: true });
    expect(real.join('\n')).toMatch(/^Time +real time \(\+ or --speed N lets it pass faster\)$/m);
    expect(real.join('\n')).toContain('for another 9 s;');
    const erp = { up: false, taken: 0, making: 0, rejected: 0, unavailable: 0 };
    const byHand = { ...status, sample: { inserted: 1, erp } };
    expect(renderView(byHand, { columns: 80, rows: 30 }, plain, { hasKeys: true }).join('\n')).toContain(
      'DOWN (503) until o brings it up; took',
    );
  });

  it('says of when the counts are where they are behind the runs, without moving anything', () => {
    const size = { columns: 80, rows: 30 };
    const behind = renderView({ ...status, countsBehind: true }, size, plain);
    const usual = renderView(status, size, plain);
    const changed = behind.filter((line, i) => line !== usual[i]);
    expect(changed).toEqual(['counts as of 00:05:29: later runs are not in them yet']);
  });

  it('shows the alarms that are on above all other trouble', () => {
    const on = (name: string, from: string) => ({ name, description: '', from });
    const episodes = [
      { ...on('Over', '2026-01-01T00:00:00.000Z'), until: '2026-01-01T00:01:00.000Z' },
      on('Failures-default', '2026-01-01T00:03:00.000Z'),
      on('Any', '2026-01-01T00:03:00.000Z'),
    ];
    const alarms = { since: status.startedAt, watched: 9, unknown: [], episodes };
    const shown = renderView({ ...status, alarms }, { columns: 80, rows: 31 }, plain);
    expect(shown).toContainEqual(
      expect.stringMatching(/^ALARM Failures-default on for 2 min.*, and 1 other alarm$/),
    );
    const over = { ...alarms, episodes: episodes.slice(0, 1) };
    expect(renderView({ ...status, alarms: over }, { columns: 80, rows: 31 }, plain).join()).not.toContain(
      'ALARM',
    );
  });

  it('shows the newest error of a handler, with its record and its first places', () => {
    const stack = [1, 2, 3, 4].map((line) => `at f${line} (src/orders.ts:${line}:1)`);
    const error = { at: status.now, where: 'default', text: 'TypeError: no\u001b[2J', stack, count: 3 };
    const errors = [
      { ...error, text: 'older' },
      { ...error, record: 'order-1' },
    ];
    const shown = renderView({ ...status, errors }, { columns: 80, rows: 31 }, plain);
    const first = shown.findIndex((line) => line.startsWith('ERROR'));
    expect(shown.slice(first, first + 5)).toEqual([
      'ERROR in default: TypeError: no [2J',
      '  3 times, last with order-1, beside 1 other error',
      '    at f1 (src/orders.ts:1:1)',
      '    at f2 (src/orders.ts:2:1)',
      '    at f3 (src/orders.ts:3:1)',
    ]);
    expect(shown.join()).not.toContain('f4');
    expect(renderView({ ...status, errors }, { columns: 60, rows: 12 }, plain).join('\n')).toContain(
      'ERROR in default',
    );
  });

  it('shows as many queues as have room, and keeps room for the runs and the keys', () => {
    const queues = Array.from(
      { length: 200 },
      (_, i) => ({ ...status.queues[0], name: `queue-${i}` }) as never,
    );
    const shown = renderView({ ...status, queues }, { columns: 80, rows: 24 }, plain, { hasKeys: true });
    expect(shown).toHaveLength(23);
    expect(shown.join('\n')).toMatch(/^queue-0 .*\n(?:queue-.*\n)+… and 19\d more, in the console$/m);
    expect(shown.join('\n')).toMatch(/^RUNS.*\n.*attempted 2/m);
    expect(shown.join('\n')).toContain('q quit');
  });

  it('says which port is held by what', () => {
    const ports = [{ port: 8080, instead: 8081, by: 'another dynamo-backlog (process 1, /app)' }];
    const moved = { ...status, ports, statusPage: 'http://127.0.0.1:8081/' };
    expect(renderView(moved, { columns: 120, rows: 40 }, plain).join('\n')).toMatch(
      /Console +http:\/\/127\.0\.0\.1:8081\/ +port 8080 is held by another dynamo-backlog \(process 1, \/app\)$/m,
    );
  });

  it('has the URLs of functions', () => {
    const functionUrls = ['Approve', 'Pay'].map((functionName) => ({
      functionName,
      url: `http://127.0.0.1:8090/${functionName}/`,
    }));
    const shown = renderView({ ...status, functionUrls }, { columns: 80, rows: 24 }, plain);
    expect(shown.join('\n')).toContain(
      'Function URL http://127.0.0.1:8090/Approve/\n             http://127.0.0.1:8090/Pay/\n',
    );
  });

  it('has all keys in one line of 60 columns, and no outage without an ERP', () => {
    const keys = (sample: typeof status.sample) =>
      renderView({ ...status, sample }, { columns: 60, rows: 24 }, plain, { hasKeys: true }).find((line) =>
        line.startsWith('r '),
      );
    expect(keys(status.sample)).toBe('r run  t tick  o outage  p pause  + - speed  h help  q quit');
    expect(keys({ inserted: 1 })).not.toContain('outage');
  });

  it('lets no text from outside play tricks on the terminal', () => {
    expect(text).not.toContain('\u001b');
  });

  it.each([
    [80, 24],
    [40, 10],
    [60, 12],
    [200, 60],
  ])('fits into %i columns and %i rows, coloured or not', (columns, rows) => {
    for (const colors of [false, true]) {
      const fitted = renderView(status, { columns, rows }, painter(colors));
      expect(fitted).toHaveLength(Math.min(rows - 1, 40));
      for (const line of fitted) expect(width(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('a low terminal shows where to attach a debugger, what a handler throws, and what came of a save', () => {
    const debuggers = ['Orders', 'Mails', 'Invoices'].map((functionName, i) => ({
      functionName,
      port: 9229 + i,
    }));
    const error = {
      at: status.now,
      where: 'orders',
      text: 'TypeError',
      count: 3,
      stack: ['at a (b.ts:1:2)'],
    };
    const lines = ['queue a: added', 'queue b: added', 'queue c: added'];
    const shown = (ok: boolean) =>
      renderView(
        {
          ...status,
          sample: undefined,
          debuggers,
          errors: [error],
          reload: { at: new Date().toISOString(), ok, text: 'saved', lines },
        },
        { columns: 80, rows: 24 },
        plain,
        { hasKeys: true },
      );
    const good = shown(true);
    expect(good).toHaveLength(23);
    expect(good.filter((line) => /^(Console|Debugger| +127)/.test(line))).toEqual([
      'Console      http://127.0.0.1:8080/',
      'Debugger     127.0.0.1:9229  Orders',
      '             127.0.0.1:9230  Mails',
      '             127.0.0.1:9231  Invoices',
    ]);
    expect(good).toContain('ERROR in orders: TypeError');
    expect(good).toContain('reload: saved');
    expect(good).toContain('  3 lines of it are in /status.json');
    expect(shown(false).map((line) => line.replace('not reloaded', 'reload'))).toEqual(good);
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
    expect(written[2]).toContain('\u001b[2A\rthree\u001b[K\r\n\u001b[J');
    expect(written.at(-1)).toBe('\u001b[?25h');
  });
});

describe('without a terminal', () => {
  it('an error of a handler has the first place in its own code', () => {
    const stack = [
      'at node:internal/process:1:1',
      'at charge (file:///tmp/cdk.out/asset.0123456789ab/index.mjs:2:3)',
      'at b (c.mjs:1:1)',
    ];
    const notice = {
      functionName: 'Orders',
      level: 'ERROR',
      text: 'TypeError\u001b[2J',
      record: 'a',
      stack,
    } as const;
    expect(plainNotice(notice)).toBe(
      'ERROR Orders: TypeError [2J\n  at charge (asset.01234567/index.mjs:2:3)',
    );
    expect(plainNotice({ functionName: 'Orders', level: 'WARN', text: 'slow' })).toBe('WARN Orders: slow');
  });

  it('an alarm is one line when it goes on, and one when it is over', () => {
    const from = '2026-01-01T00:01:00.000Z';
    const alarm = { name: 'Failures-orders', description: '[page] it\u001b[2J is down', from };
    expect(plainAlarm(alarm)).toBe('2026-01-01 00:01:00  ALARM Failures-orders: [page] it [2J is down');
    expect(plainAlarm({ ...alarm, until: '2026-01-01T00:23:00.000Z' })).toBe(
      '2026-01-01 00:23:00  OK Failures-orders, after 22 min',
    );
  });

  it('a run is one line, with what it stands for', () => {
    expect(plainRun({ ...run(1, 'attempted 3: 3 ok'), coalesced: 4 })).toBe(
      '2026-01-01 00:01:00  default, every minute: attempted 3: 3 ok (5 ms) (stands for 4 more)',
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
  const size = { columns: 80, rows: 40 };
  const reload = { at: new Date().toISOString(), ok: true, text: 'orders.ts is live in Orders', lines: [] };

  it('is shown below the runs, and takes no line from the head and the queues', () => {
    const lines = renderView({ ...status, reload }, size, painter(false));
    const without = renderView(status, size, painter(false));
    expect(lines).toContain('reload: orders.ts is live in Orders');
    expect(lines).toHaveLength(without.length);
    const first = without.findIndex((line) => line.startsWith('RUNS'));
    expect(lines.slice(0, first)).toEqual(without.slice(0, first));
  });

  it('is no longer than the terminal, nor higher', () => {
    const changed = { ...reload, ok: false, text: 'x'.repeat(200), lines: ['y'.repeat(200)] };
    for (const rows of [12, 16, 20, 40]) {
      const lines = renderView({ ...status, reload: changed }, { columns: 80, rows }, painter(false));
      expect(lines.length).toBeLessThan(rows);
      expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(80);
    }
  });
});
