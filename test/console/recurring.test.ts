import { describe, expect, it } from 'vitest';
import type { ConsoleDeps } from '../../tools/src/console/deps.js';
import { scheduleWords } from '../../tools/src/recurring/recurring-words.js';
import {
  consoleUnderTest,
  DAY,
  get,
  HOUR,
  hiddenField,
  iso,
  MINUTE,
  post,
  waiting,
} from './console-under-test.js';
import { fillRecurring, NIGHTLY, occurrence, schedule } from './stored-schedules.js';

const READ_ONLY = { write: false, reason: 'read-only' } as const;
const QUEUES = () => [{ name: 'orders' }, { name: 'recurring' }];

function filled(changes: Partial<ConsoleDeps> = {}) {
  const console = consoleUnderTest({ queues: QUEUES, ...changes });
  fillRecurring(console.store);
  return console;
}

type Console = ReturnType<typeof filled>;
const plain = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const page = async ({ app }: Pick<Console, 'app'>, path: string) => (await get(app, path)).text;
const rowsOf = (text: string) => [...text.matchAll(/<tr data-key="([^"]*)">/g)].map(([, name]) => name);
const of = ({ store }: Console, id: string) => store.items().find((item) => item.id === id);
const act = (name: string, action: string) => `/recurring/act?${new URLSearchParams({ name, do: action })}`;
const show = (name: string) => `/recurring/show?${new URLSearchParams({ name })}`;

describe('the page of the recurring records', () => {
  it('has a row for each, those in trouble first, with schedule, problem and pause', async () => {
    const text = await page(filled(), '/recurring');
    expect(rowsOf(text)).toEqual([
      'old-import',
      'prices',
      'heartbeat',
      'nightly-report',
      'invoices/tenant-7',
    ]);
    const words = plain(text);
    expect(words).toMatch(/Recurring records: 1 is dead, 1 fails\./);
    expect(words).toMatch(/Dead old-import payload: minutes: expected 0 to 59/);
    expect(words).toMatch(
      /Failing prices no right to write into the table cron\(0\/5 8-18 \? \* MON-FRI \*\) catalog/,
    );
    expect(words).toMatch(
      /nightly-report every day at 03:00 cron\(0 3 \* \* \? \*\) Europe\/Berlin orders in 11 h/,
    );
    expect(words).toMatch(/tenant-7 Paused for 1 h, until 2026-11-24 14:47 UTC: stocktaking, by anna/);
    expect(words).toMatch(/CDK app Pause… nightly-report Run now…/);
    expect(words).not.toContain('No function looks at');
    expect(words).not.toMatch(/(?:Pause|Run now)… old-import/);
  });

  it('is linked where the queue exists, or has been seen', async () => {
    expect(await page(filled(), '/')).toContain('href="/recurring"');
    const without = consoleUnderTest({ queues: () => [{ name: 'orders' }] });
    expect(await page(without, '/')).not.toContain('href="/recurring"');
    const served = consoleUnderTest();
    await served.store.queues.setPaused('recurring', true);
    expect(await page(served, '/')).toContain('href="/recurring"');
    const put = consoleUnderTest();
    put.store.put(schedule('heartbeat', { schedule: 'rate(1 day)' }));
    expect(await page(put, '/')).not.toContain('href="/recurring"');
    await page(put, '/recurring');
    expect(await page(put, '/')).toContain('href="/recurring"');
  });

  it('says that there is none, that no function looks at them, and that their queue is paused', async () => {
    const empty = consoleUnderTest();
    const words = plain(await page(empty, '/recurring'));
    expect(words).toMatch(/There is no recurring record\./);
    expect(words).toMatch(/No function looks at recurring records yet: set the prop recurring/);
    const paused = filled();
    await paused.store.queues.setPaused('recurring', true);
    expect(plain(await page(paused, '/recurring'))).toMatch(/The queue recurring is paused: no occurrence/);
  });

  it('shows a hundred of ten thousand, and finds a part of a name', async () => {
    const console = consoleUnderTest({ queues: QUEUES });
    for (let i = 0; i < 10_000; i++) {
      const at = iso(HOUR + i * MINUTE);
      console.store.put(schedule(`tenant-${i}`, { schedule: 'rate(1 day)' }, { dueAt: at, availableAt: at }));
    }
    const text = await page(console, '/recurring');
    expect(rowsOf(text)).toHaveLength(100);
    expect(plain(text)).toMatch(/the first 100 of ≥ \d[\d,]*/);
    expect(text).toContain('href="/records?queue=recurring&amp;status=ERROR"');
    const found = await page(console, '/recurring?text=TENANT-98');
    expect(rowsOf(found)).toHaveLength(100);
    expect(plain(found)).toMatch(/111 with this in their names, the first 100 of 111/);
    expect(rowsOf(await page(console, '/recurring?text=tenant-9876'))).toEqual(['tenant-9876']);
    expect(plain(await page(console, '/recurring?text=nothing'))).toMatch(/No name has this in it/);
  });

  it('escapes what others wrote', async () => {
    const console = consoleUnderTest({ queues: QUEUES });
    const evil = '<img src=x onerror=alert(1)>';
    const paused = { since: iso(-HOUR), reason: evil, by: evil };
    console.store.put(schedule('a', { schedule: evil, timeZone: evil }));
    console.store.put(
      schedule('b', { schedule: 'rate(1 day)', task: evil, key: evil, payload: { evil }, paused }),
    );
    console.store.put({ ...schedule('c', 7), id: `recurring:${evil}` });
    for (const path of [
      '/recurring',
      `/recurring?text=${encodeURIComponent(evil)}`,
      show('a'),
      show('b'),
      show(evil),
    ]) {
      expect(await page(console, path)).not.toContain('<img');
    }
  });
});

describe('the page of one', () => {
  it('has its definition, its next occurrences, and the records of the last ones', async () => {
    const text = await page(filled(), show('nightly-report'));
    const words = plain(text);
    expect(words).toMatch(
      /Next occurrence in 11 h 12 min Tue 24 Nov 2026 02:00:00 UTC Tue,? 24 Nov,? 03:00 in Europe\/Berlin/,
    );
    expect([...text.matchAll(/<li data-key="\d+">/g)]).toHaveLength(5);
    expect(words).toMatch(/Last occurrences .* Success Record .* Dead Record .* no record: passed over/);
    expect(text).toContain('href="/record?id=nightly-report%402026-11-23T02%3A00Z"');
    expect(words).toMatch(
      /Task report .*Missed occurrences the newest is made up for .*Spread over 10 min From CDK app/,
    );
    expect(words).toMatch(/Payload 18 B .*report.*sales/);
  });

  it('shows one that cannot be read, or has no occurrence to come', async () => {
    const console = filled();
    expect(plain(await page(console, show('old-import')))).toMatch(
      /Dead .*expected 0 to 59.*None, as long as/,
    );
    expect(await page(console, show('old-import'))).not.toContain('/recurring/backfill');
    const missing = await get(console.app, show('nightly-reprot'));
    expect(missing.status).toBe(404);
    expect(plain(missing.text)).toMatch(
      /no recurring record nightly-reprot \. Did you mean nightly-report \?/,
    );
    expect((await get(console.app, '/recurring/show')).status).toBe(404);
  });

  it('hides the payload as it hides that of its records', async () => {
    const console = filled({ redact: (_, { queue }) => ({ hiddenOf: queue }) });
    for (const path of [show('nightly-report'), '/record?id=recurring:nightly-report']) {
      const text = await page(console, path);
      expect(text).not.toContain('sales');
      expect(text).toContain('hiddenOf');
      expect(text).toContain('orders');
    }
  });

  it('is linked from its record, and from the records of its occurrences', async () => {
    const console = filled();
    const link = 'href="/recurring/show?name=nightly-report"';
    expect(await page(console, '/record?id=recurring:nightly-report')).toContain(link);
    const text = await page(console, '/record?id=nightly-report@2026-11-23T02:00Z');
    expect(text).toContain(link);
    expect(plain(text)).toMatch(/An occurrence of nightly-report , for 12 h 47 min ago/);
    console.store.put(waiting('plain'));
    expect(await page(console, '/record?id=plain')).not.toContain('/recurring/show');
  });
});

describe('actions on one', () => {
  it('pauses it with a reason until a time, and resumes it', async () => {
    const console = filled();
    const path = act('nightly-report', 'pause');
    expect(plain(await page(console, path))).toMatch(
      /Pause nightly-report \? .*deployments leave the pause as it is/,
    );
    const sent = await post(console.app, path, { reason: 'the ERP is down', until: '2h' });
    expect(sent.status).toBe(303);
    expect(plain(await page(console, sent.location))).toMatch(
      /nightly-report is paused until 2026-11-23 16:47 UTC\./,
    );
    expect(of(console, 'recurring:nightly-report')).toMatchObject({
      payload: {
        ...NIGHTLY,
        paused: { since: iso(), until: iso(2 * HOUR), reason: 'the ERP is down', by: 'ops' },
      },
    });
    const resumed = await post(console.app, act('nightly-report', 'resume'));
    expect(plain(await page(console, resumed.location))).toMatch(/nightly-report is not paused now\./);
    expect(console.log).toMatchObject([
      { as: 'ops', text: 'pause nightly-report' },
      { as: 'ops', text: 'resume nightly-report', result: 'nightly-report is not paused now.' },
    ]);
  });

  it('says what is wrong with a form, and keeps what was filled in', async () => {
    const console = filled();
    const fields = { reason: 'why not', until: 'yesterday' };
    const { status, text } = await post(console.app, act('heartbeat', 'pause'), fields);
    expect(status).toBe(422);
    expect(plain(text)).toMatch(/Expected a time that lies ahead/);
    expect(text).toContain('value="why not"');
    expect(text).toMatch(/<input name="until"[^>]* aria-invalid="true" aria-describedby="problem"/);
    expect(text.match(/role="alert"/g)).toHaveLength(1);
  });

  it('does nothing where the record is dead, or not paused, by the time the form is sent', async () => {
    const console = filled();
    const { text } = await get(console.app, act('heartbeat', 'run'));
    const fields = { csrf: hiddenField(text, 'csrf'), seen: '' };
    const over = { status: 'DEAD', lane: 'recurring/dead', deadReason: 'given up', dueAt: iso(-HOUR) };
    console.store.put(schedule('given-up', { schedule: 'rate(1 day)' }, over));
    const before = console.store.items();
    for (const [name, action] of [
      ['given-up', 'run'],
      ['given-up', 'pause'],
      ['heartbeat', 'resume'],
    ] as const) {
      const { status, location } = await post(console.app, act(name, action), fields);
      expect([status, location.startsWith(show(name))]).toEqual([303, true]);
      expect(plain(await page(console, location))).toMatch(/Nothing was done: .* does not apply now\./);
    }
    expect(console.store.items()).toEqual(before);
    expect(console.log).toEqual([]);
  });

  it('inserts a record now, and leads to it', async () => {
    const console = filled();
    const { location } = await post(console.app, act('nightly-report', 'run'));
    const text = plain(await page(console, location));
    expect(text).toMatch(/Inserted nightly-report@2026-11-23T14:47:18\.000Z\./);
    expect(text).toMatch(/An occurrence of nightly-report/);
  });

  it('counts a back-fill before it inserts it', async () => {
    const console = filled();
    const time = { name: 'heartbeat', from: iso(-DAY), to: iso() };
    const path = `/recurring/backfill?${new URLSearchParams(time)}`;
    console.store.put(occurrence('heartbeat', '2026-11-23T14:32:00.000Z', { queue: 'default' }));
    const before = console.store.items().length;
    const words = plain(await page(console, path));
    expect(words).toMatch(/Back-fill heartbeat with 95 records\?/);
    expect(words).toMatch(/95 records would be inserted .* 1 record of that time is there already\./);
    expect(words).toMatch(/and 85 more/);
    expect(console.store.items()).toHaveLength(before);
    const sent = await post(console.app, path, { from: time.from, to: time.to });
    expect(plain(await page(console, sent.location))).toMatch(/95 records inserted\./);
    expect(console.store.items()).toHaveLength(before + 95);
    expect(plain(await page(console, path))).toMatch(
      /No record is missing .* 96 records of that time are there already/,
    );
    expect(console.log).toMatchObject([{ text: expect.stringMatching(/^back-fill heartbeat from .* to /) }]);
  });

  it.each([
    ['yesterday', iso(), /backfill\.from: expected a Date or an ISO-8601 time/],
    [iso(-DAY), iso(DAY), /backfill\.to: expected a time that has passed/],
    [iso(-400 * DAY), iso(), /at most 10000 occurrences/],
  ])('refuses a back-fill from %s', async (from, to, message) => {
    const console = consoleUnderTest({ queues: QUEUES });
    console.store.put(schedule('often', { schedule: 'rate(1 minute)', startAt: iso(-500 * DAY) }));
    const { status, text } = await get(
      console.app,
      `/recurring/backfill?${new URLSearchParams({ name: 'often', from, to })}`,
    );
    expect(status).toBe(422);
    expect(plain(text)).toMatch(message);
  });

  it('needs the right to write, the token of the form, and a page of the console', async () => {
    const forged = { csrf: 'x', seen: '' };
    const console = filled({ access: READ_ONLY });
    const text = await page(console, show('nightly-report'));
    expect(text).not.toContain('/recurring/act');
    expect(text).toMatch(/<button type="button" class="btn" disabled/);
    expect(await page(console, '/recurring')).not.toContain('/recurring/act');
    const backfill = `/recurring/backfill?name=heartbeat&from=${iso(-DAY)}&to=${iso()}`;
    for (const path of [act('heartbeat', 'run'), act('heartbeat', 'pause'), backfill]) {
      expect((await post(console.app, path, forged)).status).toBe(403);
      expect((await post(filled().app, path, forged)).status).toBe(403);
    }
    expect((await get(console.app, backfill)).status).toBe(403);
    expect((await get(filled().app, '/recurring?text=a', { 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    );
    expect((await get(filled().app, backfill, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('leads back to the page where an action does not apply', async () => {
    const answer = await get(filled().app, act('old-import', 'run'));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, show('old-import')]);
    expect((await get(filled().app, act('unknown', 'run'))).status).toBe(404);
  });
});

describe('a schedule in words', () => {
  it.each([
    ['rate(5 minutes)', 'every 5 minutes'],
    ['rate(1 hour)', 'every hour'],
    ['cron(0 3 * * ? *)', 'every day at 03:00'],
    ['cron(15 * * * ? *)', 'every hour at minute 15'],
    ['cron(30 8 ? * MON-FRI *)', 'Monday to Friday at 08:30'],
    ['cron(0 6 ? * sun *)', 'Sundays at 06:00'],
    ['cron(0 6 1 * ? *)', 'on day 1 of each month at 06:00'],
    ['cron(0 6 L * ? *)', 'on the last day of the month at 06:00'],
    ['cron(0/5 8 * * ? *)', undefined],
    ['cron(0 6 1 1 ? *)', undefined],
    ['cron(0 6 ? * 2#1 *)', undefined],
    ['cron(0 6 * * ? 2027)', undefined],
    ['nonsense', undefined],
  ])('%s: %s', (expression, words) => {
    expect(scheduleWords({ schedule: expression })).toBe(words);
  });
});
