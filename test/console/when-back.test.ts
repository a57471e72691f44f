import { describe, expect, it } from 'vitest';
import { failingText } from '../../src/record/index.js';
import { consoleUnderTest, get, inRetry, iso, MINUTE, NOW, post } from './console-under-test.js';

const HOST = 'erp.example.com';
const note = (group: string, error = 'HttpError 503') => ({
  ...{ group, since: NOW / 1000 - 20 * 60, lastAt: NOW / 1000 - 60, countedAt: NOW / 1000 },
  ...{ records: 9, evidence: 20, recentSuccesses: 0, recentFailures: 9, error },
});
const down = {
  lastError: {
    name: 'HttpError',
    message: `HTTP 503 from https://${HOST}: down`,
    at: iso(-MINUTE),
    attempt: 2,
  },
};

async function failing(notes: readonly ReturnType<typeof note>[], changes = {}) {
  const made = consoleUnderTest(changes);
  await made.store.queues.noteFailing('orders', failingText({ notes, past: [] }), undefined);
  for (const id of ['a', 'b']) made.store.put(inRetry(id, down));
  const { text } = await get(made.app, '/');
  const [, href] = /href="([^"]+)">\s*Retry when it is back…/.exec(text) ?? [];
  return { ...made, href: href?.replaceAll('&amp;', '&') };
}

describe('the retry that waits until a destination is back', () => {
  it('is a link of its incident, with the wait chosen, and becomes an armed job', async () => {
    const { app, href, runner } = await failing([note(HOST)]);
    expect(href).toBe(`/bulk?do=run-now&status=ERROR&errorName=HttpError+503+${HOST}&whenBack=on`);
    const { status, text } = await get(app, String(href));
    expect(status).toBe(200);
    expect(text).toMatch(/Retry 2 records when <bdi>erp\.example\.com<\/bdi> is back\?/);
    expect(text).not.toContain('Retry 2 records now');
    expect((await get(app, `${href}`.replace('&whenBack=on', ''))).text).toContain('Retry 2 records now?');
    expect(text).toMatch(/<input[^>]*name="whenBack"[^>]*checked/);
    const [, plan = ''] = /name="plan" value="([^"]+)"/.exec(text) ?? [];
    await post(app, '/bulk', { plan, whenBack: 'on', pace: '20' }, {}, href);
    const { jobs } = await runner.jobs.list();
    expect(jobs).toMatchObject([{ action: 'runNow', state: 'armed', armedFor: HOST }]);
    await runner.stopAll();
  });

  it('is not offered once it is back', async () => {
    const console = consoleUnderTest();
    const outage = {
      group: HOST,
      since: NOW / 1000 - 2400,
      endedAt: NOW / 1000 - 420,
      error: 'HttpError 503',
    };
    const text = failingText({ notes: [], past: [outage], endedAt: outage.endedAt });
    await console.store.queues.noteFailing('orders', text, undefined);
    console.store.put(inRetry('a', down));
    const page = (await get(console.app, '/')).text;
    expect(page).toContain(`Incident: destination ${HOST}`);
    expect(page).not.toContain('Retry when it is back');
  });

  it('is offered for each destination, and neither for a whole queue or an unknown cause, nor where nothing may be changed', async () => {
    expect((await failing([note(HOST), note('other.example.com')])).href).toBeDefined();
    expect((await failing(['a', 'b', 'c'].map((name) => note(`${name}.example.com`)))).href).toBeUndefined();
    expect((await failing([note('')])).href).toBeUndefined();
    expect((await failing([note(HOST, '')])).href).toBeUndefined();
    const access = { write: false, reason: 'read-only' } as const;
    expect((await failing([note(HOST)], { access })).href).toBeUndefined();
  });
});
