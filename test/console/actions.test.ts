import { describe, expect, it } from 'vitest';
import { diffLines, nearby } from '../../tools/src/diff-lines.js';
import {
  consoleUnderTest,
  dead,
  get,
  HOUR,
  hiddenField,
  inRetry,
  iso,
  MINUTE,
  post,
  waiting,
} from './console-under-test.js';

type Console = ReturnType<typeof consoleUnderTest>;

/** Confirms an action on the page before it, as a browser does. */
async function act({ app }: Console, id: string, name: string, fields: Record<string, string> = {}) {
  const path = `/record/act?id=${encodeURIComponent(id)}&do=${name}`;
  return post(app, path, fields);
}
const itemOf = ({ store }: Console, id: string) => store.items().find((item) => item.id === id);

describe('an action', () => {
  it('makes a waiting record due now', async () => {
    const console = consoleUnderTest();
    console.store.put(inRetry('r'));
    const { status, location } = await act(console, 'r', 'run-now');
    expect(status).toBe(303);
    expect(itemOf(console, 'r')).toMatchObject({ status: 'ERROR', dueAt: iso() });
    const { text } = await get(console.app, location);
    expect(text).toMatch(/class="flash ok" role="status">.*?1 record made due: r/);
  });

  it('makes a dead record wait again', async () => {
    const console = consoleUnderTest();
    console.store.put(dead('d'));
    await act(console, 'd', 'redrive');
    expect(itemOf(console, 'd')).toMatchObject({ status: 'NEW', lane: 'orders', attempts: 2 });
  });

  it('puts off, moves, changes the policy, and discards', async () => {
    const console = consoleUnderTest();
    for (const id of ['a', 'b', 'c', 'd']) console.store.put(inRetry(id));
    await act(console, 'a', 'snooze', { delay: '2h' });
    await act(console, 'b', 'move', { to: 'slow' });
    await act(console, 'c', 'change-policy', { policy: 'constant', set: 'interval=60 maxAttempts=9' });
    await act(console, 'd', 'discard', { reason: 'cancelled by phone' });
    expect(itemOf(console, 'a')).toMatchObject({ dueAt: iso(2 * HOUR) });
    expect(itemOf(console, 'b')).toMatchObject({ queue: 'slow' });
    expect(itemOf(console, 'c')).toMatchObject({ retry: { type: 'constant', interval: 60, maxAttempts: 9 } });
    expect(itemOf(console, 'd')).toMatchObject({
      status: 'DEAD',
      deadReason: 'discarded: cancelled by phone, by ops',
    });
  });

  it('is logged with the operator and the result', async () => {
    const console = consoleUnderTest();
    console.store.put(dead('d'));
    await act(console, 'd', 'redrive');
    expect(console.log).toMatchObject([{ as: 'ops', text: 'redrive: d', result: '1 record redriven: d' }]);
  });

  it.each([
    ['snooze', { delay: 'soon' }],
    ['snooze', { delay: '-2h' }],
    ['move', { to: 'no queue' }],
    ['change-policy', { policy: 'fibonaci' }],
    ['change-policy', { policy: 'queue', set: 'unit=3' }],
  ])('with an invalid field changes nothing, and says what is wrong: %s %o', async (name, fields) => {
    const console = consoleUnderTest();
    console.store.put(inRetry('r'));
    const before = itemOf(console, 'r');
    const { status, text } = await act(console, 'r', name, fields);
    expect(status).toBe(422);
    expect(text).toContain('role="alert"');
    expect(itemOf(console, 'r')).toEqual(before);
    expect(console.log).toEqual([]);
  });

  it('changes nothing by its confirmation page', async () => {
    const console = consoleUnderTest();
    console.store.put(inRetry('r'));
    const before = console.store.items();
    for (const name of ['run-now', 'snooze', 'edit', 'move', 'change-policy', 'discard']) {
      expect((await get(console.app, `/record/act?id=r&do=${name}`)).status).toBe(200);
    }
    expect(console.store.items()).toEqual(before);
  });

  it('is refused if the record was changed after the operator has looked at it', async () => {
    const console = consoleUnderTest();
    console.store.put(inRetry('r'));
    const path = '/record/act?id=r&do=discard';
    const seen = hiddenField((await get(console.app, path)).text, 'seen');
    console.store.put(inRetry('r', { rev: 'of-a-run', attempts: 3 }));
    const { status, text } = await post(console.app, path, { seen });
    expect(status).toBe(409);
    expect(text).toContain('has been changed since you opened this page');
    expect(hiddenField(text, 'seen')).not.toBe(seen);
    expect(itemOf(console, 'r')).toMatchObject({ status: 'ERROR' });
  });

  it('asks a long attempt to end, says so, and needs no second look when its process renews its hold', async () => {
    const console = consoleUnderTest();
    const held = (ms: number, attributes = {}) => {
      const until = iso(ms);
      return waiting('long', { dueAt: until, notBefore: { until }, rev: `r-${ms}`, ...attributes });
    };
    console.store.put(held(60_000));
    const path = '/record/act?id=long&do=discard';
    const seen = hiddenField((await get(console.app, path)).text, 'seen');
    console.store.put(held(70_000));
    const { status, location } = await post(console.app, path, { seen, reason: 'withdrawn' });
    expect(status).toBe(303);
    expect(itemOf(console, 'long')).toMatchObject({
      status: 'NEW',
      rev: 'r-70000',
      notBefore: { until: iso(70_000), cancel: 'withdrawn, by ops' },
    });
    const { text } = await get(console.app, location);
    expect(text).not.toContain('flash ok');
    expect(text).toMatch(/0 records discarded.*told to end within 30 seconds/s);
    expect(text).toMatch(/Its attempt is told to end.*withdrawn, by ops/s);
    console.store.put(held(75_000, { payload: 'another' }));
    expect((await post(console.app, path, { seen })).status).toBe(409);
  });

  const NEVER_WRITTEN = { rev: undefined, payload: { tags: new Set(['a', 'b']), n: 12345678901234567890n } };

  it.each([
    ['by its producer, who knows no rev', NEVER_WRITTEN, { ...NEVER_WRITTEN, payload: 2 }],
    [
      'by its producer in a number of many digits',
      NEVER_WRITTEN,
      { ...NEVER_WRITTEN, payload: { n: 12345678901234567891n } },
    ],
    ['by hand, which leaves its rev', {}, { payload: 'corrected' }],
    ['by a run', {}, { rev: 'of-a-run' }],
  ])('is refused if the record was changed %s', async (_, before, after) => {
    const console = consoleUnderTest();
    console.store.put(inRetry('r', before));
    const path = '/record/act?id=r&do=discard';
    const seen = hiddenField((await get(console.app, path)).text, 'seen');
    console.store.put(inRetry('r', after));
    expect((await post(console.app, path, { seen })).status).toBe(409);
    expect(itemOf(console, 'r')).toMatchObject({ status: 'ERROR' });
    expect((await post(console.app, path)).status).toBe(303);
    expect(itemOf(console, 'r')).toMatchObject({ status: 'DEAD' });
  });

  it.each([
    ['an action', 'run-now', {}],
    ['an edit', 'edit', { payload: '"of the operator"' }],
  ])(
    'is refused if the record is changed between the check of the page and the write: %s',
    async (_, name, fields) => {
      const console = consoleUnderTest();
      console.store.put(inRetry('r'));
      const { records } = console.store;
      const getItems = records.getItems.bind(records);
      let reads = 0;
      // The page reads it once, the form once, and then the operator does.
      records.getItems = async (ids) => {
        if (++reads === 3) console.store.put(inRetry('r', { rev: 'of-a-run', payload: 'of its producer' }));
        return getItems(ids);
      };
      const { status, text } = await act(console, 'r', name, fields);
      expect(status).toBe(409);
      expect(text).toContain('has been changed since you opened this page');
      expect(itemOf(console, 'r')).toEqual(inRetry('r', { rev: 'of-a-run', payload: 'of its producer' }));
      expect(console.log).toEqual([]);
    },
  );

  it('acts on a record that was never written by the library', async () => {
    const console = consoleUnderTest();
    console.store.put(inRetry('r', NEVER_WRITTEN));
    expect((await act(console, 'r', 'discard')).status).toBe(303);
    expect(itemOf(console, 'r')).toMatchObject({ status: 'DEAD' });
  });

  it('does not tell by its page what is in a payload that is hidden', async () => {
    const pages = [consoleUnderTest(), consoleUnderTest()].map(async ({ app, store }) => {
      store.put(inRetry('r'));
      return hiddenField((await get(app, '/record/act?id=r&do=discard')).text, 'seen');
    });
    const [one, other] = await Promise.all(pages);
    expect(one).not.toBe(other);
  });

  it('does not apply to a record of another status', async () => {
    const console = consoleUnderTest();
    console.store.put(waiting('s', { status: 'SUCCESS', lane: undefined, dueAt: undefined }));
    const { status, text } = await get(console.app, '/record/act?id=s&do=redrive');
    expect(status).toBe(404);
    expect(text).toContain('does not apply to the record as it is now');
  });
});

describe('a queue', () => {
  it('is paused and resumed, and the overview says so', async () => {
    const { app, store, log } = consoleUnderTest();
    expect((await get(app, '/queue?name=orders')).text).toContain('Pause <bdi>orders</bdi>?');
    const { location } = await post(app, '/queue/pause?name=orders', {}, {}, '/queue?name=orders');
    expect((await store.queues.read('orders')).paused).toBe(true);
    const { text } = await get(app, location);
    expect(text).toContain('orders is paused now.');
    expect(text).toContain('orders has been paused for 0 s');
    await post(app, '/queue/resume?name=orders', {}, {}, '/queue?name=orders');
    expect((await store.queues.read('orders')).paused).toBe(false);
    expect(log.map((entry) => entry.text)).toEqual(['pause orders', 'resume orders']);
  });

  it('is paused with a reason, and until a time; a wrong one is refused', async () => {
    const { app, store } = consoleUnderTest();
    const pause = (form: Record<string, string>) =>
      post(app, '/queue/pause?name=orders', form, {}, '/queue?name=orders');
    const refused = await pause({ until: 'noon', reason: 'stocktaking' });
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(
      /value="stocktaking".*value="noon".*aria-invalid.*Expected a time that lies ahead/s,
    );
    expect((await store.queues.read('orders')).paused).toBe(false);
    await pause({ reason: ' stocktaking ', until: '2h' });
    const note = { pauseReason: 'stocktaking', pausedBy: 'ops', pausedUntil: iso(120 * MINUTE) };
    expect(await store.queues.read('orders')).toMatchObject(note);
    const said = 'by ops until 16:47 UTC, &quot;stocktaking&quot;';
    expect((await get(app, '/queue?name=orders')).text).toContain(said);
    expect((await get(app, '/')).text).toContain(said);
  });

  it('is not paused without the token, read-only, or under a name that is none', async () => {
    const { app, store } = consoleUnderTest();
    const readOnly = consoleUnderTest({ access: { write: false, reason: 'Look only.' } });
    const from = '/queue?name=orders';
    expect((await post(app, '/queue/pause?name=orders', { csrf: 'x' })).status).toBe(403);
    expect((await post(readOnly.app, '/queue/pause?name=orders', {}, {}, from)).status).toBe(403);
    expect((await post(app, '/queue/pause?name=a%20b', {}, {}, from)).status).toBe(422);
    expect((await store.queues.readAll()).size).toBe(0);
  });
});

describe('an edit', () => {
  it('shows first which lines change, and is then written', async () => {
    const console = consoleUnderTest();
    console.store.put(dead('d', { payload: { zip: '1010', n: 12345678901234567890n } }));
    const fields = { payload: '{"zip":"1020","n":12345678901234567890}', redrive: 'on' };
    const before = itemOf(console, 'd');
    const { status, text } = await post(console.app, '/record/preview?id=d&do=edit', fields);
    expect(status).toBe(200);
    expect(text).toMatch(/class="removed">- <bdi> {2}&quot;zip&quot;: &quot;1010&quot;/);
    expect(text).toMatch(/class="added">\+ <bdi> {2}&quot;zip&quot;: &quot;1020&quot;/);
    expect(itemOf(console, 'd')).toEqual(before);
    await post(console.app, '/record/act?id=d&do=edit', { ...fields, seen: hiddenField(text, 'seen') });
    expect(itemOf(console, 'd')).toMatchObject({
      status: 'NEW',
      payload: { zip: '1020', n: 12345678901234567890n },
    });
  });

  it('of what is no JSON is refused, and keeps what was typed', async () => {
    const console = consoleUnderTest();
    console.store.put(dead('d'));
    const { status, text } = await post(console.app, '/record/preview?id=d&do=edit', {
      rev: 'r',
      payload: '{zip}',
    });
    expect(status).toBe(422);
    expect(text).toContain('expected JSON');
    expect(text).toContain('{zip}</textarea>');
  });
});

describe('a form', () => {
  const path = '/record/act?id=r&do=run-now';

  it.each(['', 'wrong', 'x'.repeat(10_000)])(
    'without the token of the console is refused: "%.10s"',
    async (csrf) => {
      const console = consoleUnderTest();
      console.store.put(inRetry('r'));
      expect((await post(console.app, path, { csrf })).status).toBe(403);
      expect((await post(console.app, '/record/preview?id=r&do=edit', { csrf })).status).toBe(403);
      expect(itemOf(console, 'r')).toMatchObject({ rev: 'r' });
    },
  );

  it('of another console is refused', async () => {
    const [console, other] = [consoleUnderTest(), consoleUnderTest()];
    for (const one of [console, other]) one.store.put(inRetry('r'));
    const csrf = hiddenField((await get(other.app, path)).text, 'csrf');
    expect((await post(console.app, path, { csrf })).status).toBe(403);
  });

  it('that another site has sent is refused', async () => {
    const console = consoleUnderTest();
    console.store.put(inRetry('r'));
    for (const site of ['cross-site', 'same-site']) {
      expect((await post(console.app, path, {}, { 'sec-fetch-site': site })).status).toBe(403);
    }
    expect((await post(console.app, path, {}, { 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  });

  it('of more than 2 MB is refused', async () => {
    const console = consoleUnderTest();
    console.store.put(inRetry('r'));
    const { status } = await post(console.app, path, { payload: 'x'.repeat(2_100_000) });
    expect(status).toBe(413);
    expect(itemOf(console, 'r')).toMatchObject({ rev: 'r' });
  });
});

describe('a read-only console', () => {
  const readOnly = { access: { write: false, reason: 'Started without --write.' } as const };

  it('shows actions disabled, with the reason', async () => {
    const { app, store } = consoleUnderTest(readOnly);
    store.put(inRetry('r'));
    const { text } = await get(app, '/record?id=r');
    expect(text).toMatch(
      /<button type="button" class="btn[^"]*" disabled="" aria-describedby="read-only">.*?Retry now/,
    );
    expect(text).toContain('Started without --write.');
    expect(text).not.toContain('do=run-now');
  });

  it('refuses every form, with the right token too', async () => {
    const console = consoleUnderTest(readOnly);
    console.store.put(inRetry('r'));
    for (const path of ['/record/act?id=r&do=run-now', '/record/preview?id=r&do=edit']) {
      const { status, text } = await post(console.app, path);
      expect(status).toBe(403);
      expect(text).toContain('Started without --write.');
    }
    expect(itemOf(console, 'r')).toMatchObject({ rev: 'r' });
    expect(console.log).toEqual([]);
  });
});

describe('the lines of a change', () => {
  const signs = (before: string, after: string) =>
    diffLines(before, after).map(
      ({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`,
    );

  it('keep the longest sequence of both', () => {
    expect(signs('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
    expect(signs('a', 'a')).toEqual([' a']);
    expect(signs('', 'a')).toEqual(['-', '+a']);
  });

  it('are shown with three lines around them', () => {
    const before = Array.from({ length: 30 }, (_, i) => `line ${i}`);
    const after = before.with(15, 'another');
    const shown = nearby(diffLines(before.join('\n'), after.join('\n')));
    expect(shown).toHaveLength(3 + 2 + 3 + 2);
    expect(shown.filter((line) => line === undefined)).toHaveLength(2);
  });

  it('of long texts take no long time', () => {
    const started = performance.now();
    const lines = (sign: string) => Array.from({ length: 20_000 }, (_, i) => `${sign}${i}`).join('\n');
    diffLines(lines('a'), lines('b'));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
