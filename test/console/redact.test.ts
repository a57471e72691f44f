import { describe, expect, it } from 'vitest';
import type { RedactPayload } from '../../src/operate/index.js';
import { consoleUnderTest, dead, get, hiddenField, post, waiting } from './console-under-test.js';

const SECRET = 'ada@example.org';
const payload = { order: 7, mail: SECRET };
const queues = () => [{ name: 'orders' }];
const redact: RedactPayload = (given) => ({ ...(given as object), mail: '[hidden]' });
const shop = (hook: RedactPayload = redact) => {
  const console = consoleUnderTest({ redact: hook, queues });
  console.store.put(dead('d', { payload }));
  return console;
};
const itemOf = ({ store }: ReturnType<typeof shop>, id: string) => store.items().find((one) => one.id === id);
const idsIn = (text: string) =>
  [...text.matchAll(/class="id" href="\/record\?id=([^"]+)"/g)].map(([, id]) => id);
const where = (text: string) => `/records?${new URLSearchParams({ where: text })}`;

describe('a redacted payload', () => {
  it('is shown in its redacted form, and marked as such', async () => {
    const { app } = shop();
    const { text } = await get(app, '/record?id=d');
    expect(text).toContain('&quot;mail&quot;: &quot;[hidden]&quot;');
    expect(text).toContain('redacted, 29 B');
    expect(text).not.toContain(SECRET);
  });

  it('has no result beside it, which the redaction does not know', async () => {
    const console = shop();
    const done = {
      status: 'SUCCESS',
      attempts: 1,
      lane: undefined,
      dueAt: undefined,
      result: `{"to":"${SECRET}"}`,
    };
    console.store.put({ ...waiting('s'), ...done });
    const { text } = await get(console.app, '/record?id=s');
    expect(text).toContain('The result is hidden, as a redaction of payloads is set.');
    expect(text).not.toContain(SECRET);
  });

  it('is downloaded in its redacted form, under a name that says so', async () => {
    const { text, headers } = await get(shop().app, '/record/payload?id=d');
    expect(JSON.parse(text)).toEqual({ order: 7, mail: '[hidden]' });
    expect(headers.get('content-disposition')).toContain('payload.redacted.json');
  });

  it('is not edited, nor compared with another one', async () => {
    const console = shop();
    const before = itemOf(console, 'd');
    const { text } = await get(console.app, '/record?id=d');
    expect(text).toMatch(/<button type="button"[^>]* disabled[^>]*>Edit payload…/);
    expect(text).toContain('Parts of the payload are hidden, so it cannot be edited here.');
    const path = '/record/act?id=d&do=edit';
    const from = '/record/act?id=d&do=discard';
    const answers = [
      await get(console.app, path),
      await post(console.app, '/record/preview?id=d&do=edit', { payload: '{}' }, {}, from),
      // The answer to a right guess would be "already as wanted".
      await post(console.app, path, { payload: JSON.stringify(payload) }, {}, from),
      await post(console.app, path, { seen: 'another', payload: '{}' }, {}, from),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('Parts of the payload are hidden');
      expect(answer.text).not.toContain(SECRET);
    }
    expect(itemOf(console, 'd')).toEqual(before);
  });

  it('cannot be guessed by the filter, nor by an action on what a filter finds', async () => {
    const { app } = shop();
    expect((await get(app, where('order=7'))).text).toContain('Payload, as shown');
    expect(idsIn((await get(app, where('order=7'))).text)).toEqual(['d']);
    expect(idsIn((await get(app, where('mail=[hidden]'))).text)).toEqual(['d']);
    expect(idsIn((await get(app, where(`mail=${SECRET}`))).text)).toEqual([]);
    const bulk = (text: string) =>
      `/bulk?${new URLSearchParams({ do: 'redrive', status: 'DEAD', where: text })}`;
    for (const text of ['order=7', `mail=${SECRET}`]) {
      expect(await get(app, bulk(text))).toMatchObject({
        status: 403,
        text: expect.stringContaining('Parts of payloads are hidden here'),
      });
      expect((await get(app, where(text))).text).not.toContain('href="/bulk?');
    }
  });

  it('leaves all other actions as they are', async () => {
    const console = shop();
    const path = '/record/act?id=d&do=redrive';
    expect((await post(console.app, path)).status).toBe(303);
    expect(itemOf(console, 'd')).toMatchObject({ status: 'NEW', payload });
  });
});

describe('a payload that the module leaves as it is', () => {
  it('is shown whole, with all digits of its numbers, and can be edited', async () => {
    const console = consoleUnderTest({ redact: (given) => given, queues });
    const whole = { n: 12345678901234567890n, tags: new Set(['a']), bytes: new Uint8Array([1, 2]) };
    console.store.put(dead('d', { payload: whole }));
    const { text } = await get(console.app, '/record?id=d');
    expect(text).toContain('&quot;n&quot;: 12345678901234567890');
    expect(text).not.toContain('redacted');
    expect((await get(console.app, '/record/act?id=d&do=edit')).status).toBe(200);
  });

  it('is decided by id and queue', async () => {
    const { app, store } = shop((given, { id, queue }) =>
      id === 'open' && queue === 'orders' ? given : null,
    );
    store.put(waiting('open', { payload }));
    expect((await get(app, '/record?id=open')).text).toContain(SECRET);
    expect((await get(app, '/record?id=d')).text).not.toContain(SECRET);
  });

  it('needs no answer where there is no payload', async () => {
    const { app, store } = shop(() => {
      throw new Error('not asked');
    });
    store.put(waiting('none', { payload: undefined }));
    expect((await get(app, '/record?id=none')).text).not.toContain('redaction failed');
  });
});

const circular: Record<string, unknown> = { mail: SECRET };
circular.self = circular;
const HOSTILE: readonly (readonly [name: string, reason: string, hook: RedactPayload])[] = [
  [
    'throws the payload',
    'it threw an error',
    (given) => {
      throw given;
    },
  ],
  [
    'throws an error of its words',
    'it threw TypeError',
    () => {
      throw new TypeError(SECRET);
    },
  ],
  [
    'throws an error of that name',
    'it threw an error',
    () => {
      throw Object.assign(new Error(SECRET), { name: SECRET });
    },
  ],
  [
    'throws what throws when it is looked at',
    'it threw an error',
    () => {
      throw Object.defineProperty({}, 'name', {
        get() {
          throw new Error(SECRET);
        },
      });
    },
  ],
  ['returns nothing', 'it returned nothing', () => undefined],
  ['answers with a promise', 'it answered with a promise', async (given) => given],
  [
    'answers with a promise that fails',
    'it answered with a promise',
    async () => {
      throw new Error(SECRET);
    },
  ],
  [
    'answers with a promise somewhere in it that fails',
    'it answered with a promise',
    () => ({ list: [new Set([{ mail: Promise.reject(new Error(SECRET)), other: Promise.reject(1) }])] }),
  ],
  ['returns a function', 'it returned a function', () => () => SECRET],
  ['returns what has no end', 'it threw RangeError', () => circular],
  [
    'returns what JSON cannot hold',
    'it threw SyntaxError',
    () => ({
      toJSON: () => undefined,
      at: new (class {
        toJSON() {
          return undefined;
        }
      })(),
    }),
  ],
  [
    'returns what cannot be read',
    'it threw an error',
    () => ({
      get mail() {
        throw Object.assign(new Error(SECRET), { name: SECRET });
      },
    }),
  ],
];

describe.each(HOSTILE)('a module that %s', (_name, reason, hook) => {
  const reported = `The payload is hidden: its redaction failed (${reason}).`;

  it('hides the payload, on its page and in its raw form', async () => {
    const { app } = shop(hook);
    const { status, text } = await get(app, '/record?id=d');
    expect(status).toBe(200);
    expect(text).toContain(reported);
    expect(text).not.toContain(SECRET);
    const raw = await get(app, '/record/payload?id=d');
    expect(raw).toMatchObject({ status: 403, text: `${reported}\n` });
  });

  it('has its record neither edited nor found by its payload', async () => {
    const { app } = shop(hook);
    const edit = await get(app, '/record/act?id=d&do=edit');
    expect(edit.status).toBe(403);
    expect(edit.text).not.toContain(SECRET);
    expect(idsIn((await get(app, where(`mail=${SECRET}`))).text)).toEqual([]);
    expect(idsIn((await get(app, where('order=7'))).text)).toEqual([]);
    expect(idsIn((await get(app, '/records')).text)).toEqual(['d']);
  });
});

describe('a module that', () => {
  it('changes its argument changes no record, and what is changed counts as redacted only if it is returned', async () => {
    const console = shop((given) => {
      (given as { mail: string }).mail = '[hidden]';
      return given;
    });
    expect((await get(console.app, '/record?id=d')).text).toContain('[hidden]');
    expect((await get(console.app, '/record/act?id=d&do=edit')).status).toBe(403);
    expect(itemOf(console, 'd')).toMatchObject({ payload });
  });

  it('says one thing as JSON and holds another is searched by what is on the page', async () => {
    class Masked {
      constructor(readonly mail: string) {}
      toJSON() {
        return { mail: '[hidden]' };
      }
    }
    const { app } = shop((given) => new Masked((given as typeof payload).mail));
    expect((await get(app, '/record?id=d')).text).not.toContain(SECRET);
    expect(idsIn((await get(app, where(`mail=${SECRET}`))).text)).toEqual([]);
    expect(idsIn((await get(app, where('mail=[hidden]'))).text)).toEqual(['d']);
  });

  it('brings markup onto the page brings text', async () => {
    const { app } = shop(() => '<script>alert(1)</script>');
    expect((await get(app, '/record?id=d')).text).not.toContain('<script>alert');
  });
});

it('the log of an action on a filter says that it is by payload, and has not the value', async () => {
  const console = consoleUnderTest({ queues });
  console.store.put(dead('d', { payload }));
  const path = `/bulk?${new URLSearchParams({ do: 'redrive', status: 'DEAD', where: `mail=${SECRET}` })}`;
  const { text } = await get(console.app, path);
  expect(text).toContain(`with mail=${SECRET} in the payload`);
  await post(console.app, '/bulk', { plan: hiddenField(text, 'plan'), pace: '0' }, {}, path);
  for (let i = 0; i < 100 && console.log.length === 0; i++) await new Promise(setImmediate);
  expect(console.log).toMatchObject([
    { text: expect.stringMatching(/^Redrive: DEAD of orders, by payload \(job \w+\)$/) },
  ]);
});
