import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { errorEntry } from '../../src/record/history.js';
import { outcomeOfThrow } from '../../src/record/index.js';
import { withoutUrlSecrets } from '../../src/support/url-text.js';
import { show } from '../../src/support/validation.js';
import { redactionOf } from '../../src/worker/index.js';

describe('a text with URLs', () => {
  it.each([
    ['https://shop:pw@erp.example.com/a/b?token=x#y', 'https://erp.example.com/a/b'],
    ['request to http://h:8080/p?token=a%20b failed', 'request to http://h:8080/p failed'],
    ['("https://h/p?t=1", \'HTTPS://u@h?q\')', '("https://h/p", \'HTTPS://h\')'],
    ['https://a@b:c@host/x', 'https://host/x'],
    ['what? no url#at all', 'what? no url#at all'],
    ['postgres://app:PW@db.example.com:5432/orders?sslmode=require', 'postgres://db.example.com:5432/orders'],
    ['mongodb+srv://app:PW@c0.mongodb.net/?password=PW', 'mongodb+srv://c0.mongodb.net/'],
    ['mongodb://app:PW@h1:27017,h2:27017/db', 'mongodb://h1:27017,h2:27017/db'],
    ['mongodb://h1:27017,h2:27017/db', 'mongodb://h1:27017,h2:27017/db'],
    ['redis://:PW@cache:6379/0 or rediss://cache', 'redis://cache:6379/0 or rediss://cache'],
    ['amqps://u:p/w@mq/vhost, amqps://u:p?w@mq', 'amqps://mq/vhost, amqps://'],
    ['wss://live.example.com/feed?token=x closed', 'wss://live.example.com/feed closed'],
    ['dial //u:PW@host/path', 'dial //host/path'],
    ['jdbc:postgresql://h/db?user=u&password=PW', 'jdbc:postgresql://h/db'],
    ['jdbc:sqlserver://h:1433;user=sa;password=P@W', 'jdbc:sqlserver://'],
    ['jdbc:sqlserver://h:1433;user=sa;password=PW', 'jdbc:sqlserver://h:1433'],
    ['jdbc:oracle:thin:scott/tiger@db:1521:x', 'jdbc:oracle:thin:db:1521:x'],
    ['{"a":"postgres://u:p@h/d","mail":"a@b.c"}', '{"a":"postgres://h/d","mail":"a@b.c"}'],
    ['postgres://u:12/34@h,redis://u:p//w@h', expect.not.stringMatching(/12|34|p\/|w@/)],
    ['a@b.example, at 12:30, foo:bar@baz, a // b: c@d', 'a@b.example, at 12:30, foo:bar@baz, a // b: c@d'],
    ['https://u:12345/PW@host/p and https://u:123456/PW@h/p', 'https:// and https://h/p'],
    ['https://u:12345"@h, https://u:1\'2"PW@h, postgres://u:12"PW@h', 'https://h, https://h, postgres://h'],
    ['https://an.user:70000/PW@h/p', 'https://h/p'],
    ['https://u:99999@h/p, http://h:99999/p', 'https://h/p, http://h:99999/p'],
    ['http://h:8080/path, http://h:8080/p?mail=a@b.c', 'http://h:8080/path, http://h:8080/p'],
    ['http://erp.example.com:8080/of/a@b.c', 'http://erp.example.com:8080/of/a@b.c'],
    [
      'http://localhost:3000/a@b http://127.0.0.1:80/a@b',
      'http://localhost:3000/a@b http://127.0.0.1:80/a@b',
    ],
    ['{"a":"http://h:8080","mail":"a@b.c"}', '{"a":"http://h:8080","mail":"a@b.c"}'],
    [
      '"{\\"a\\":\\"http://h:8080\\",\\"m\\":\\"a@b\\"}"',
      '"{\\"a\\":\\"http://h:8080\\",\\"m\\":\\"a@b\\"}"',
    ],
    ['<a href="http://h:8080">a@b.c</a>', '<a href="http://h:8080">a@b.c</a>'],
    ['https://unpkg.com/react@18/index.js:3:4', 'https://unpkg.com/react@18/index.js:3:4'],
    ['http://[::1]:8080/@me and http://h:8080/@me', 'http://[::1]:8080/@me and http://h:8080/@me'],
    ['at file:///app/node_modules/@a/b/c.js:1:2', 'at file:///app/node_modules/@a/b/c.js:1:2'],
    [
      'webpack://app/./src/x.ts:12:7 and s3://bucket/a;b',
      'webpack://app/./src/x.ts:12:7 and s3://bucket/a;b',
    ],
  ])('%s is shown as %s', (text, shown) => {
    expect(withoutUrlSecrets(text)).toEqual(shown);
  });

  it('loses a URL that is cut in two, as its password could be taken for a host', () => {
    const text = 'see https://shop:password@example.com/';
    for (let length = 0; length < text.length; length++) {
      expect(withoutUrlSecrets(text, length)).not.toContain('shop');
    }
  });

  const word = (alphabet: string, minLength: number) =>
    fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength: 12 });
  const LETTERS = 'abcXYZ';
  const password = fc
    .tuple(word(`${LETTERS}129!$%^&*()_+-={}[]|:;,.?/#@~"'<>\\`, 4), word('KQ', 3))
    .map(([odd, plain]) => `x${odd}${plain}`);
  const scheme = fc.constantFrom(
    'postgres',
    'mongodb+srv',
    'redis',
    'amqps',
    'wss',
    'https',
    'x-y.z',
    'jdbc:mysql',
  );
  const url = fc.record({
    scheme,
    user: word(LETTERS, 0),
    password,
    host: fc.constantFrom('db.example.com', 'localhost:5432', '[::1]:80', 'h'),
    path: fc.constantFrom('', '/', '/a/b', '/a?x=1', '?q', '#f'),
  });

  it('of any scheme never shows a password, whatever is in it, also in a text that is cut', () => {
    const check = fc.property(
      fc.array(url, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(' ', ', ', '\n    at ', ' "', '; '),
      fc.double({ min: 0, max: 2, noNaN: true }),
      (urls, between, part) => {
        const text = urls
          .map((u) => `${u.scheme}://${u.user}:${u.password}@${u.host}${u.path}`)
          .join(between);
        const shown = withoutUrlSecrets(text, Math.ceil(text.length * part));
        for (const { password: secret } of urls) expect(shown).not.toContain(secret);
      },
    );
    fc.assert(check, { numRuns: 3_000 });
  });

  it('of any scheme shows no password that begins like a port, and goes on behind a slash or a quote', () => {
    const parts = fc.tuple(
      scheme,
      word(LETTERS, 1),
      word('0123456789', 1),
      fc.constantFrom('/', '"', "'", '<', '\\', '""', '/x/'),
      word('KQ', 3),
      fc.constantFrom('db.example.com', 'localhost:5432', 'h'),
    );
    const check = fc.property(fc.array(parts, { minLength: 1, maxLength: 3 }), (urls) => {
      const text = urls.map(
        ([s, user, digits, odd, rest, host]) => `${s}://${user}:${digits}${odd}${rest}@${host}/p`,
      );
      const shown = withoutUrlSecrets(text.join(' '));
      for (const [, user, digits, , rest] of urls) {
        expect(shown).not.toContain(rest);
        expect(shown).not.toContain(`${user}:${digits}`);
      }
    });
    fc.assert(check, { numRuns: 3_000 });
  });

  it('without a URL is shown as it is', () => {
    const plain = fc.string({ unit: fc.constantFrom(...'ab:@/. ?#;=12') });
    fc.assert(
      fc.property(plain, (text) => {
        fc.pre(!text.includes('//'));
        expect(withoutUrlSecrets(text)).toBe(text);
      }),
    );
  });

  it('keeps no secret of it in what a record keeps of an error', () => {
    const message = 'connect ECONNREFUSED postgres://app:hunter2@db/orders';
    const outcome = outcomeOfThrow(Object.assign(new Error(message), { name: 'amqp://u:hunter2@mq' }));
    if (outcome.type !== 'failure') throw new Error('not a failure');
    expect(JSON.stringify(errorEntry(outcome.error, '2026-01-01T00:00:00.000Z', 1))).not.toContain('hunter2');
  });

  it('is shown so in every error about an option', () => {
    expect(show({ url: 'https://shop:pw@h/p?token=x' })).toBe('{"url":"https://h/p"}');
  });
});

describe('a huge error', () => {
  it('is cut before any pattern looks through it', () => {
    const huge = 'x: https://h/?token=secret\n'.repeat(400_000);
    const error = Object.assign(new Error(huge), { name: huge });
    let longest = 0;
    const spies = ([Symbol.replace, Symbol.search, Symbol.match, Symbol.split] as const).map((name) => {
      const { prototype } = RegExp as unknown as {
        prototype: Record<symbol, (text: string, ...rest: unknown[]) => unknown>;
      };
      const run = prototype[name];
      return vi.spyOn(prototype, name).mockImplementation(function (this: unknown, text, ...rest) {
        longest = Math.max(longest, text.length);
        return run?.call(this, text, ...rest);
      });
    });
    const outcome = outcomeOfThrow(error);
    if (outcome.type !== 'failure') throw new Error('not a failure');
    const entry = errorEntry(outcome.error, '2026-01-01T00:00:00.000Z', 1);
    const kept = redactionOf({ stacks: true, redact: (text) => text })?.(outcome).outcome;
    for (const spy of spies) spy.mockRestore();
    expect(entry.message).toMatch(/^x: https:\/\/h\/\nx/);
    expect(Buffer.byteLength(entry.message)).toBeLessThanOrEqual(400);
    if (kept?.type !== 'failure') throw new Error('not a failure');
    expect(kept.error.stack).toContain('url-secrets.test.ts');
    expect(kept.error.stack?.length).toBeLessThanOrEqual(16_384);
    expect(outcome.error.message.length).toBeLessThanOrEqual(16_384);
    expect(outcome.error.name.length).toBeLessThanOrEqual(16_384);
    expect(longest).toBeLessThanOrEqual(16_384);
  });
});
