import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../src/overview/runtime.js';
import type { RunSummary } from '../../src/worker/summary.js';
import { RunLog } from '../../tools/src/local/status/run-log.js';
import { consoleUnderTest, get, iso, MINUTE, NOW, post, runtimeUnderTest } from './console-under-test.js';

const erp = { up: true, taken: 0, making: 0, rejected: 0, unavailable: 0 };
const rule = {
  id: 'poll',
  label: 'orders, every minute',
  expression: 'rate(1 minute)',
  queues: ['orders'],
  enabled: true,
  fired: 0,
  late: 0,
  failed: 0,
  givenUp: 0,
};

function withRuntime(changes: Parameters<typeof consoleUnderTest>[0] = {}) {
  const done: unknown[] = [];
  const runtime = runtimeUnderTest(
    { rules: [rule], sample: { inserted: 0, erp } },
    {
      setErp: (up) => void done.push({ up }),
      runRule: async (id) => void done.push({ run: id }),
      putRecord: async (record) => {
        done.push({ put: record });
        return { id: record.id ?? 'made', inserted: record.id !== 'there' };
      },
    },
  );
  return { ...consoleUnderTest({ runtime, queues: () => [{ name: 'orders' }], ...changes }), done };
}

const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

describe('the console of a local runtime', () => {
  it('takes the sample ERP down, and up', async () => {
    const { app, done, log } = withRuntime();
    for (const state of ['down', 'up']) {
      expect((await post(app, `/runtime/erp/${state}`, {}, {}, '/')).status).toBe(303);
    }
    expect(done).toEqual([{ up: false }, { up: true }]);
    expect(log.map(({ text }) => text)).toEqual(['take the sample ERP down', 'take the sample ERP up']);
  });

  it('runs a rule now', async () => {
    const { app, done } = withRuntime();
    expect((await post(app, '/runtime/run?rule=poll', {}, {}, '/')).status).toBe(303);
    expect((await post(app, '/runtime/run?rule=another', {}, {}, '/')).status).toBe(404);
    expect(done).toEqual([{ run: 'poll' }]);
  });

  it('puts a record, and leads to it', async () => {
    const { app, done } = withRuntime();
    const fields = { id: 'order-7', queue: 'orders', payload: '{"n":12345678901234567890}' };
    const { status, location } = await post(app, '/runtime/put', fields);
    expect({ status, location }).toEqual({
      status: 303,
      location: expect.stringMatching(/^\/record\?id=order-7&note=/),
    });
    expect(done).toEqual([
      { put: { id: 'order-7', queue: 'orders', payload: { n: 12345678901234567890n } } },
    ]);
  });

  it.each([
    [{ queue: 'orders', payload: '{' }, 'expected JSON'],
    [{ queue: 'orders', payload: '1', id: 'there' }, 'is there already'],
  ])('says why a record was not put: %o', async (fields, reason) => {
    const { app } = withRuntime();
    const { status, text } = await post(app, '/runtime/put', fields);
    expect(status).toBe(422);
    expect(text).toContain(reason);
  });

  it('has the same as a command for the AWS CLI', async () => {
    const { app } = withRuntime();
    const { text } = await get(app, '/runtime/put');
    expect(text).toContain('aws dynamodb put-item --endpoint-url http://127.0.0.1:8000 --table-name Records');
  });

  it('says why a rule cannot be run', async () => {
    const rules = [
      {
        id: 'r',
        label: 'r',
        queues: [],
        expression: 'x',
        enabled: true,
        fired: 0,
        late: 0,
        failed: 0,
        givenUp: 0,
      },
    ];
    const runtime = runtimeUnderTest({ rules });
    const access = { write: false, reason: 'The console was started without --write.' } as const;
    const { text } = await get(consoleUnderTest({ runtime, access }).app, '/');
    expect(text).toMatch(
      /<button class="btn s" type="submit" disabled="" aria-describedby="read-only">Run now/,
    );
    expect(text).toContain('id="read-only">The console was started without --write.</p>');
    expect((await get(consoleUnderTest({ runtime }).app, '/')).text).not.toContain('read-only');
  });

  it('does none of it read-only, nor without the token', async () => {
    const paths = ['/runtime/erp/down', '/runtime/run?rule=poll', '/runtime/put'];
    const readOnly = withRuntime({ access: { write: false, reason: 'Look only.' } });
    const writable = withRuntime();
    for (const path of paths) {
      expect((await post(readOnly.app, path, { payload: '1', queue: 'q' }, {}, '/')).status).toBe(403);
      expect((await post(writable.app, path, { payload: '1', queue: 'q', csrf: 'x' })).status).toBe(403);
    }
    expect([...readOnly.done, ...writable.done]).toEqual([]);
  });

  it('is the only one that has these pages', async () => {
    const { app } = consoleUnderTest();
    expect((await get(app, '/runtime/put')).status).toBe(404);
    expect((await get(app, '/')).text).not.toContain('/runtime/put');
  });
});

describe('the attempts per minute of the runtime', () => {
  const run = (at: string, summary: Partial<RunSummary>): RunReport => ({
    at,
    rule: 'poll',
    label: 'poll',
    outcome: 'ok',
    text: '',
    idle: false,
    coalesced: 0,
    durationMs: 5,
    summary: { queue: 'orders', succeeded: 0, failed: 0, dead: 0, attempted: 1, ...summary } as RunSummary,
  });
  const minute = Math.floor(NOW / MINUTE) * MINUTE;

  it('are sums per queue and minute; a death counts as a failure', () => {
    const log = new RunLog();
    log.add(run(iso(), { succeeded: 3, failed: 1 }));
    log.add(run(iso(1_000), { succeeded: 2, dead: 1 }));
    log.add(run(iso(-MINUTE), { succeeded: 1 }));
    log.add(run(iso(), { queue: 'bulk', succeeded: 7 }));
    const before = { at: minute - MINUTE, succeeded: 1, failed: 0, succeededSince: 1 };
    expect(log.minutesOf('orders')).toEqual([
      before,
      { at: minute, succeeded: 5, failed: 2, succeededSince: 0 },
    ]);
    log.add(run(iso(2_000), { succeeded: 4 }));
    expect(log.minutesOf('orders')).toEqual([
      before,
      { at: minute, succeeded: 9, failed: 2, succeededSince: 4 },
    ]);
    expect(log.minutesOf('another')).toEqual([]);
  });

  it('of a run that served several queues belong to each of them', () => {
    const log = new RunLog();
    const parts = [run(iso(), { succeeded: 1 }), run(iso(), { queue: 'bulk', failed: 2 })];
    const queues = parts.map(({ summary }) => summary as RunSummary);
    log.add(run(iso(), { queue: 'orders,bulk', succeeded: 1, failed: 2, queues }));
    expect(log.minutesOf('bulk')).toMatchObject([{ at: minute, succeeded: 0, failed: 2 }]);
    expect(log.minutesOf('orders,bulk')).toEqual([]);
  });

  it('are kept for two hours', () => {
    const log = new RunLog();
    for (let i = 0; i < 300; i++) log.add(run(iso(i * MINUTE), { succeeded: 1 }));
    expect(log.minutesOf('orders')).toHaveLength(120);
    expect(log.lastOf('poll')?.at).toBe(iso(299 * MINUTE));
  });
});

describe('the runs of the overview', () => {
  const at = iso(-90_000);
  const pageOf = async (status: Parameters<typeof runtimeUnderTest>[0]) =>
    (await get(consoleUnderTest({ runtime: runtimeUnderTest(status) }).app, '/')).text;

  it('have those that are at work for more than a moment first', async () => {
    const running = [
      { at, rule: 'bulk', label: 'bulk, every hour', runningMs: 90_000 },
      { at: iso(-100), rule: 'short', label: 'a short one', runningMs: 100 },
    ];
    const text = await pageOf({ running });
    expect(text).toMatch(/bulk, every hour.{0,60}at work/s);
    expect(text).not.toContain('a short one');
    expect(text).not.toContain('None since the start.');
  });

  it('say that nothing is delivered where all rules are disabled, and not where a handler does it', async () => {
    expect(await pageOf({ rules: [rule] })).not.toContain('delivers nowhere');
    const disabled = { ...rule, enabled: false };
    expect(await pageOf({ rules: [disabled] })).toContain('delivers nowhere');
    expect(await pageOf({ rules: [disabled], deliverTo: 'http://127.0.0.1:1/' })).not.toContain(
      'delivers to',
    );
  });

  it('have what handlers threw, once each, with its places and a link to the record', async () => {
    const stack = [
      'at charge (src/orders.ts:12:5)',
      ...Array.from({ length: 9 }, (_, i) => `at f${i} (src/a.ts)`),
    ];
    const error = { at, where: 'orders', text: 'TypeError: <b>', record: 'order/1', stack, count: 3 };
    const text = await pageOf({ errors: [error] });
    expect(text).toContain('TypeError: &lt;b&gt;');
    expect(text).toMatch(/3 times, last with.*href="[^"]*order%2F1"/s);
    expect(text).toContain('at charge (src/orders.ts:12:5)\nat f0');
    expect(text).not.toContain('at f5');
  });

  it('shows which alarms would have gone off, and those that are not evaluated', async () => {
    const alarms = {
      since: iso(-90 * MINUTE),
      watched: 21,
      unknown: ['IntakeAge'],
      episodes: [
        { name: 'Dead-orders', description: 'given up', from: iso(-60 * MINUTE), until: iso(-40 * MINUTE) },
        { name: 'Failures-<orders>', description: '[page] it is down', from: iso(-12 * MINUTE) },
      ],
    };
    const { app } = consoleUnderTest({ runtime: runtimeUnderTest({ rules: [rule], alarms }) });
    const text = textOf((await get(app, '/')).text);
    expect(text).toContain('21 alarms evaluated each minute');
    expect(text).toMatch(/Failures-&lt;orders&gt; On since \S+, 12 min \[page\] it is down/);
    expect(text).toMatch(/Dead-orders \S+ to \S+, 20 min given up/);
    expect(text).toContain(
      '1 alarm not evaluated here Only AWS has the metrics, or the kind is not known here: IntakeAge',
    );
    expect(text.indexOf('Failures-')).toBeLessThan(text.indexOf('Dead-orders'));
  });

  it('says since when no alarm has gone off', async () => {
    const alarms = { since: iso(-90 * MINUTE), watched: 1, unknown: [], episodes: [] };
    const { app } = consoleUnderTest({ runtime: runtimeUnderTest({ rules: [rule], alarms }) });
    expect(textOf((await get(app, '/')).text)).toMatch(/None has gone off since \d\d:\d\d/);
  });
});
