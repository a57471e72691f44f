import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { failingText } from '../../src/record/index.js';
import { mutesInAws } from '../../tools/src/cli/mute/queue-mutes.js';
import { ruleName } from '../../tools/src/cli/mute/rule.js';
import { deployedAlarms } from '../cli/deployed-alarms.js';
import { startCloudWatch } from '../cli/fake-cloudwatch.js';
import { consoleUnderTest, get, inRetry, MINUTE, NOW, post, runtimeUnderTest } from './console-under-test.js';

const PAGE = '/queue-alarms?name=orders';
const BOTH = '/queue-alarms?name=orders&name=bulk';

describe('the mute of an incident', () => {
  let cloudWatch: Awaited<ReturnType<typeof startCloudWatch>>;
  beforeAll(async () => {
    cloudWatch = await startCloudWatch(deployedAlarms());
  });
  afterAll(() => cloudWatch.stop());
  beforeEach(() => {
    cloudWatch.rules.clear();
    cloudWatch.denied.clear();
    cloudWatch.requests.length = 0;
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH', cloudWatch.endpoint);
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
  });

  function muting(changes: Parameters<typeof consoleUnderTest>[0] = {}) {
    const forgotten = vi.fn();
    const { clock } = consoleUnderTest();
    const alarms = { on: [], refresh: async () => {}, forget: forgotten, close: () => {} };
    const mutes = mutesInAws({ table: 'Records', clock, local: false, endpoint: undefined });
    return { ...consoleUnderTest({ alarms, mutes, ...changes }), forgotten };
  }
  const rules = () => [...cloudWatch.rules.values()];

  it('is a page first, with two hours filled in, and changes nothing before it is confirmed', async () => {
    const { text } = await get(muting().app, PAGE);
    expect(text).toMatch(/Mute\s+the alarms of <bdi>orders<\/bdi>\s*\?/);
    expect(text).toContain('What is still on then notifies');
    expect(text).toMatch(/name="until" value="2h"/);
    expect(rules()).toEqual([]);
    expect(cloudWatch.requests).toHaveLength(1);
  });

  it('has a reason and an end, is logged, and is read again at once', async () => {
    const { app, log, forgotten } = muting();
    const form = { reason: ' the bank is down ', until: '90m' };
    const { location } = await post(app, '/queue-alarms/mute?name=orders', form, {}, PAGE);
    expect(rules()).toMatchObject([
      {
        Name: ruleName('Records', 'orders'),
        Description: 'by ops, "the bank is down"',
        Rule: { Schedule: { Expression: 'at(2026-11-23T14:47)', Duration: 'P0DT1H31M' } },
      },
    ]);
    expect(forgotten).toHaveBeenCalledTimes(1);
    const said = '6 alarms of orders muted until 16:18 UTC, by ops, "the bank is down"';
    expect((await get(app, location)).text).toContain(`${said.replaceAll('"', '&quot;')}.`);
    expect(log).toMatchObject([{ as: 'ops', text: 'mute the alarms of orders', result: said }]);
  });

  it('is of all queues that fail, one of which may be refused', async () => {
    const { app, log } = muting();
    expect((await get(app, BOTH)).text).toContain('<bdi>orders and bulk</bdi>');
    const path = '/queue-alarms/mute?name=quiet&name=orders&name=orders';
    const refused = await post(app, path, { until: '2h', reason: 'asked' }, {}, PAGE);
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(
      /6 alarms of orders muted until .*the queue quiet has no alarms of its own/s,
    );
    expect(refused.text).toContain('value="asked"');
    expect(log.map(({ text }) => text)).toEqual(['mute the alarms of orders']);
    expect((await get(app, BOTH)).text).toMatch(/Mute\s+the alarms.*orders<\/bdi>: muted/s);
    await post(app, '/queue-alarms/mute?name=bulk', { until: '2h' }, {}, PAGE);
    expect((await get(app, BOTH)).text).toMatch(
      /Unmute\s+the alarms.*orders<\/bdi>: muted.*bulk<\/bdi>: muted/s,
    );
    await post(app, '/queue-alarms/unmute?name=orders&name=bulk', {}, {}, BOTH);
    expect(rules()).toEqual([]);
  });

  it('has a wrong end beside its field, and says which right is missing', async () => {
    const { app, log } = muting();
    for (const until of ['noon', '', '16d']) {
      const { status, text } = await post(app, '/queue-alarms/mute?name=orders', { until }, {}, PAGE);
      expect(status).toBe(422);
      expect(text).toMatch(/name="until"[^>]*aria-invalid.*id="problem".*Expected a time/s);
    }
    cloudWatch.denied.add('GetAlarmMuteRule');
    const { text } = await get(app, PAGE);
    expect(text).toMatch(/It is not known what is muted\. CloudWatch: .*docs\/permissions\.md#mutes/);
    expect(text).toMatch(/name="until" value="2h"/);
    cloudWatch.denied.add('DescribeAlarmsForMetric');
    const refused = await post(app, '/queue-alarms/mute?name=orders', { until: '2h' }, {}, PAGE);
    expect(refused.text).toContain('docs/permissions.md#mutes');
    expect({ log, rules: rules() }).toEqual({ log: [], rules: [] });
  });

  it('needs the token, the right to act and a queue; no page of another site asks CloudWatch', async () => {
    const { app } = muting();
    const path = '/queue-alarms/mute?name=orders';
    expect((await post(app, path, { until: '2h', csrf: 'x' }, {}, PAGE)).status).toBe(403);
    const readOnly = muting({ access: { write: false, reason: 'Look only.' } });
    expect((await get(readOnly.app, PAGE)).text).toMatch(/disabled.*Look only\./s);
    expect((await post(readOnly.app, path, { until: '2h' }, {}, PAGE)).status).toBe(403);
    expect((await get(app, '/queue-alarms')).status).toBe(400);
    const linked = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    cloudWatch.requests.length = 0;
    expect((await get(app, PAGE, linked)).status).toBe(403);
    expect(cloudWatch.requests).toEqual([]);
    const many = Array.from({ length: 21 }, (_, i) => `name=q${i}`).join('&');
    expect((await get(app, `/queue-alarms?${many}`)).text).toBe(
      'Expected 1 to 20 names of queues, got 21.\n',
    );
    expect(rules()).toEqual([]);
  });

  it('is offered by its panel where alarms notify an operator, for all its queues that fail', async () => {
    const minutes = [2, 1, 0].map((ago) => ({
      ...{ at: Math.floor(NOW / MINUTE) * MINUTE - ago * MINUTE, succeeded: 0, failed: 9 },
    }));
    const inOutage = async (changes: Parameters<typeof consoleUnderTest>[0]) => {
      const { app, store } = muting({
        ...changes,
        queues: () => [{ name: 'orders' }],
        runtime: runtimeUnderTest({}, { minutesOf: () => minutes }),
      });
      store.put(inRetry('a'));
      return (await get(app, '/')).text;
    };
    const alarm = { id: 'a', name: 'a', level: 'page', queue: 'orders', since: NOW - MINUTE } as const;
    const on = (...muted: boolean[]) => ({
      on: muted.map((isMuted) => ({ ...alarm, ...(isMuted && { muted: { note: '' } }) })),
      ...{ refresh: async () => {}, close: () => {} },
    });
    const button = (text: string) => new RegExp(`href="/queue-alarms\\?name=orders">\\s*${text}…`);
    expect(await inOutage({})).toMatch(button('Mute'));
    expect(await inOutage({ alarms: on(true, false) })).toMatch(button('Mute'));
    expect(await inOutage({ alarms: on(true, true) })).toMatch(button('Unmute'));
    expect(await inOutage({ mutes: undefined })).not.toContain('/queue-alarms');
  });

  it('is of 20 queues at most', async () => {
    const queues = Array.from({ length: 21 }, (_, i) => `q${i}`);
    const { app, store } = muting({ queues: () => queues.map((name) => ({ name })) });
    const now = NOW / 1000;
    const note = {
      ...{ group: 'erp.example.com', error: 'HttpError 503', since: now - 1200, lastAt: now - 60 },
      ...{ countedAt: now, records: 9, evidence: 20, recentSuccesses: 0, recentFailures: 9 },
    };
    for (const queue of queues) {
      await store.queues.noteFailing(queue, failingText({ notes: [note], past: [] }), undefined);
      store.put(inRetry(`${queue}-a`, { queue, lane: queue }));
    }
    const [, href = ''] = /href="(\/queue-alarms[^"]*)"/.exec((await get(app, '/')).text) ?? [];
    expect(href.match(/name=/g)).toHaveLength(20);
    expect((await get(app, href.replaceAll('&amp;', '&'))).status).toBe(200);
  });
});
