import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hiddenSecrets } from '../../src/delivery/hidden-secrets.js';
import { deliverByHttp } from '../../src/delivery/index.js';
import { attempt, listen } from './support.js';

const everyByte = (secret: string, digits: (code: number) => string) =>
  Array.from(secret, (character) => `%${digits(character.charCodeAt(0))}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** All forms that are said to be hidden, of a secret of visible ASCII. */
const FORMS: readonly (readonly [string, (secret: string) => string])[] = [
  ['as it is', (secret) => secret],
  ['in upper case', (secret) => secret.toUpperCase()],
  ['in lower case', (secret) => secret.toLowerCase()],
  ['as JSON', (secret) => JSON.stringify(secret).slice(1, -1)],
  ['as JSON in JSON', (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
  ['as JSON with escaped slashes', (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
  [
    'as JSON in ASCII',
    (secret) => Array.from(secret, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ],
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded twice', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['percent-encoded in whole', (secret) => everyByte(secret, (code) => code.toString(16).toUpperCase())],
  ['percent-encoded in lower case', (secret) => everyByte(secret, (code) => code.toString(16))],
  ['in HTML', (secret) => secret.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)],
  [
    'in HTML by name',
    (secret) => secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ],
  ['in base64', base64],
  ['in base64 for URLs', (secret) => Buffer.from(secret).toString('base64url')],
  ['in base64, percent-encoded', (secret) => encodeURIComponent(base64(secret))],
];

const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const secretText = fc.string({ unit: visible, minLength: 4, maxLength: 120 });

describe('a secret that comes back', () => {
  it('is hidden in every form that is listed, whatever stands beside it, and in part where the text ends', () => {
    fc.assert(
      fc.property(secretText, fc.string(), fc.string(), fc.nat(), (secret, a, b, length) => {
        const hidden = hiddenSecrets([secret]);
        for (const [, formOf] of FORMS) {
          const form = formOf(secret);
          // What is shown in its place holds letters of its own.
          if ('[secret]'.includes(form.toLowerCase())) continue;
          const shown = hidden?.hide(`${a} ${form} ${b}`) ?? '';
          expect(shown.replaceAll('[secret]', '\n').includes(form)).toBe(false);
          expect(shown).toContain('[secret]');
        }
        for (const form of [secret, base64(secret).replace(/=+$/, '')]) {
          const cut = form.slice(0, 3 + (length % (form.length - 3)));
          expect(hidden?.hide(`got: ${cut}`, false).endsWith(cut)).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each(['\\\\!!', '\\\\\\\\\\\\', 'ab\\\\\\\\\\\\\\c', '!\\\\!'])(
    'is hidden where the text ends in a row of its backslashes: %s',
    (secret) => {
      for (let length = 3; length <= secret.length; length++) {
        const cut = secret.slice(0, length);
        expect(hiddenSecrets([secret])?.hide(`got: ${cut}`, false)).toBe(
          length < secret.length ? 'got: ' : 'got: [secret]',
        );
      }
    },
  );

  it('is hidden in the base64 of a longer text, wherever it stands in it', () => {
    fc.assert(
      fc.property(secretText, fc.string({ unit: visible }), fc.string({ unit: visible }), (secret, a, b) => {
        const hidden = hiddenSecrets([secret])?.hide(base64(`${a}${secret}${b}`)) ?? '';
        const left = hidden.split('[secret]').map((part) => Buffer.from(part, 'base64').toString('latin1'));
        expect(hidden).toContain('[secret]');
        expect(left.every((part) => !part.includes(secret))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('is hidden decoded, where it was sent in a code', () => {
    const hide = (secret: string, text: string) => hiddenSecrets([secret])?.hide(text);
    expect(hide('tok%2Fen%20one', 'got tok/en one')).toBe('got [secret]');
    expect(hide('a\\u0042cd', 'got aBcd')).toBe('got [secret]');
    expect(hide(base64('shop:p4ss'), 'no user shop with p4ss, got shop:p4ss')).toBe(
      'no user shop with [secret], got [secret]',
    );
  });

  it('is hidden in half where it is long, and left alone where it is shorter than four characters', () => {
    const long = ['a', 'b', 'c', 'd'].map((text) => createHash('sha512').update(text).digest('hex')).join('');
    expect(hiddenSecrets([long])?.hide(`got ${long}`)).toBe('got [secret]');
    expect(hiddenSecrets([long])?.hide(`got ${long.slice(100)}`)).not.toContain(long.slice(300));
    expect(hiddenSecrets(['abc'])).toBeUndefined();
  });

  it('takes steps in proportion to the text, whatever the secret repeats', () => {
    // A pattern that tries every way to divide the backslashes among the parts of the secret would not end.
    const hidden = hiddenSecrets([`${'\\'.repeat(40)}x${'\\'.repeat(40)}y`]);
    expect(hidden?.hide('\\'.repeat(5_000))).toHaveLength(5_000);
  });
});

describe('a delivery that is refused', () => {
  const secret = 'k3"/';
  it.each(FORMS)('keeps no part of a short secret that comes back %s', async (_, formOf) => {
    await using server = await listen((_request, response) => {
      response.writeHead(422).end(`no such key: ${formOf(secret)} (and so on)`);
    });
    const ending = await attempt(deliverByHttp({ url: server.url, headers: { 'x-api-key': () => secret } }));
    if (ending.ok) throw new Error('was taken');
    const { message, cause } = ending.error;
    for (const text of [message, (cause as Error).message]) {
      expect(text).toContain('no such key: [secret] (and so on)');
    }
  });

  it.each([
    [
      'a fixed header that holds credentials',
      { authorization: 'Bearer tok-1' },
      'Bearer tok-1',
      'Bearer [secret]',
    ],
    [
      'the password behind Basic',
      { authorization: () => `Basic ${base64('shop:p4ss')}` },
      'no p4ss',
      'no [secret]',
    ],
    ['a token of the URL', {}, 'no route /orders?token=secret-query', 'no route /orders?token=[secret]'],
    [
      'a fixed header that is named like a secret',
      { 'Private-Token': 'glpat-1' },
      'no glpat-1',
      'no [secret]',
    ],
    ['a fixed header of another kind, which is no secret', { 'x-tenant': 'shop' }, 'no shop', 'no shop'],
  ])('hides %s', async (_, headers, answer, expected) => {
    await using server = await listen((_request, response) => response.writeHead(422).end(answer));
    const ending = await attempt(deliverByHttp({ url: server.url, headers }));
    expect(ending.ok ? '' : ending.error.message).toBe(`HTTP 422: ${expected}`);
  });

  it('hides a token that is the whole query of the URL', async () => {
    await using server = await listen(({ url }, response) => response.writeHead(404).end(`no ${url}`));
    const ending = await attempt(
      deliverByHttp({ url: `${server.origin}/hook?f3a1b2c3d4e5f6a7b8&mode=test` }),
    );
    expect(ending).toMatchObject({ error: { message: 'HTTP 404: no /hook?[secret]&mode=test' } });
  });

  it('keeps no half of a secret where the answer breaks off', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(422, { 'content-length': '100' });
      response.write('no such key: secret-par', () => setImmediate(() => response.destroy()));
    });
    const headers = { 'x-api-key': () => 'secret-part' };
    const ending = await attempt(deliverByHttp({ url: server.url, headers }));
    expect(ending.ok ? '' : ending.error.message).not.toContain('secret-par');
  });

  it('keeps no half of a secret where no more of the answer is read', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(422).write('no such key: secret-par');
    });
    const headers = { 'x-api-key': () => 'secret-part' };
    const ending = await attempt(deliverByHttp({ url: server.url, headers, maxResponseBytes: 20 }));
    expect(ending).toMatchObject({ error: { message: 'HTTP 422: no such key:' } });
  });

  it('names no more of where it is sent on to than the host, without a secret in it', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(302, { location: 'https://user:pw@tok-1234.example.com/a?token=tok-1234' }).end();
    });
    const headers = { 'x-api-key': () => 'tok-1234' };
    const ending = await attempt(deliverByHttp({ url: server.url, headers }));
    expect(ending.ok ? '' : ending.error.message).toMatch(/to https:\/\/\[secret\]\.example\.com: redirects/);
  });
});
