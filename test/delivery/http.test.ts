import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { deliverByHttp } from '../../src/delivery/index.js';
import { VERSION } from '../../src/support/version.js';
import { attempt, listen } from './support.js';

const always = (status: number, headers: Record<string, string> = {}, body = '') =>
  listen((_request, response) => response.writeHead(status, headers).end(body));

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('what is sent', () => {
  it('is one POST of the payload as JSON, with id, attempt and version in the headers', async () => {
    await using server = await always(204);
    const payload = { order: 7, lines: ['a', 'ü'] };
    const deliver = deliverByHttp({ url: server.url });
    expect(await attempt(deliver, { id: 'order-7', payload }, { attempt: 3 })).toEqual({ ok: true });
    expect(server.received).toHaveLength(1);
    const [request] = server.received;
    expect(request?.method).toBe('POST');
    expect(request?.url).toBe('/orders/secret-path?token=secret-query');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'order-7',
      'user-agent': `dynamo-backlog/${VERSION}`,
      'backlog-attempt': '3',
      'accept-encoding': 'identity',
    });
    expect(request?.body.toString()).toBe(JSON.stringify(payload));
  });

  it('has the trace of the attempt in a header, if there is one', async () => {
    await using server = await always(200);
    const deliver = deliverByHttp({ url: server.url });
    await attempt(deliver, { payload: 1 }, { traceparent: TRACEPARENT });
    await attempt(deliver, { payload: 1 });
    expect(server.received.map(({ headers }) => headers.traceparent)).toEqual([TRACEPARENT, undefined]);
  });

  it.each(['traceparent', 'Traceparent'])('has the header %s as it is configured', async (name) => {
    await using server = await always(200);
    const deliver = deliverByHttp({ url: server.url, headers: { [name]: 'my-own' } });
    await attempt(deliver, { payload: 1 }, { traceparent: TRACEPARENT });
    expect(server.received[0]?.headers.traceparent).toBe('my-own');
  });

  it('is null for a record without a payload', async () => {
    await using server = await always(200);
    await attempt(deliverByHttp({ url: server.url }));
    expect(server.received[0]?.body.toString()).toBe('null');
  });

  it('is the same bytes for 32 KB of text from all over Unicode', async () => {
    await using server = await always(200);
    const text = 'Größe 数量 🛒 "quoted" \\ \u2028 \u0000 '.repeat(800);
    await attempt(deliverByHttp({ url: server.url }), { payload: { text } });
    const body = server.received[0]?.body ?? Buffer.alloc(0);
    expect(body.byteLength).toBeGreaterThan(32_000);
    expect(body.equals(Buffer.from(JSON.stringify({ text })))).toBe(true);
  });

  it('writes sets as arrays and binary values as base64', async () => {
    await using server = await always(200);
    const payload = {
      tags: new Set(['a', 'b']),
      blob: new Uint8Array([1, 2, 255]),
      buffer: Buffer.from('hi'),
    };
    await attempt(deliverByHttp({ url: server.url }), { payload });
    expect(server.received[0]?.body.toString()).toBe('{"tags":["a","b"],"blob":"AQL/","buffer":"aGk="}');
  });

  it('keeps all digits of the numbers that JavaScript cannot hold', async () => {
    await using server = await always(200);
    const payload = {
      big: 12345678901234567890n,
      exact: NumberValue.from('0.1234567890123456789'),
      list: [1.5, -0, 1e21],
    };
    await attempt(deliverByHttp({ url: server.url }), { payload });
    expect(server.received[0]?.body.toString()).toBe(
      '{"big":12345678901234567890,"exact":0.1234567890123456789,"list":[1.5,0,1e+21]}',
    );
  });

  it.each([
    'text',
    7,
    false,
    null,
    [],
    {},
    [[null, { a: [1, { b: null }] }]],
    { '': 1, 'a "b"': '\n', __proto__x: [true], value: '7' },
  ])('%j is the same bytes as JSON.stringify makes', async (payload) => {
    await using server = await always(200);
    await attempt(deliverByHttp({ url: server.url }), { payload });
    expect(server.received[0]?.body.toString()).toBe(JSON.stringify(payload));
  });

  it('an id of any characters arrives percent-encoded, and can be read back', async () => {
    await using server = await always(200);
    const id = 'Bestellung 100% größer/数量\n🛒';
    await attempt(deliverByHttp({ url: server.url }), { id });
    const key = String(server.received[0]?.headers['idempotency-key']);
    expect(key).toMatch(/^[!-~]+$/);
    expect(decodeURIComponent(key)).toBe(id);
  });
});

describe('what the answer means', () => {
  it.each([200, 201, 202, 204, 299])('%i is success', async (status) => {
    await using server = await always(status);
    expect(await attempt(deliverByHttp({ url: server.url }))).toEqual({ ok: true });
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 507, 599])('%i is a failure', async (status) => {
    await using server = await always(status, {}, 'try later');
    const ending = await attempt(deliverByHttp({ url: server.url }));
    expect(ending).toMatchObject({
      error: { name: 'HttpError', status, message: `HTTP ${status} from ${server.origin}: try later` },
    });
  });

  it.each([400, 401, 403, 404, 409, 410, 413, 422, 451, 499])('%i is dead at once', async (status) => {
    await using server = await always(status, { 'retry-after': '5' }, '{"error":"no such article"}');
    const ending = await attempt(deliverByHttp({ url: server.url }));
    expect(ending).toMatchObject({
      error: {
        name: 'Dead',
        message: `HTTP ${status}: {"error":"no such article"}`,
        cause: {
          name: 'HttpError',
          message: `HTTP ${status} from ${server.origin}: {"error":"no such article"}`,
        },
      },
    });
  });

  it('keeps at most 200 bytes of the answer, whole characters, on one line', async () => {
    await using server = await always(400, {}, `a\r\n\tb\u0007\u202e ${'ü'.repeat(500)}`);
    const ending = await attempt(deliverByHttp({ url: server.url }));
    const message = ending.ok ? '' : ending.error.message;
    expect(message).toMatch(/^HTTP 400: a b ü+$/);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(200 + 'HTTP 400: '.length);
    expect(Buffer.byteLength(message)).toBeGreaterThan(190);
  });

  it('leaves out a character that would be cut in two', async () => {
    await using server = await always(400, {}, `a${'ü'.repeat(500)}`);
    const ending = await attempt(deliverByHttp({ url: server.url }));
    expect(ending).toMatchObject({ error: { message: `HTTP 400: a${'ü'.repeat(99)}` } });
  });

  it('keeps nothing but the status of an answer without a text', async () => {
    await using server = await always(404);
    expect(await attempt(deliverByHttp({ url: server.url }))).toMatchObject({
      error: { message: 'HTTP 404' },
    });
  });

  it.each([301, 302, 303, 307, 308])('%i is dead, and its target is never asked', async (status) => {
    await using target = await always(200);
    await using server = await always(status, { location: target.url });
    const ending = await attempt(deliverByHttp({ url: server.url }));
    const message = `HTTP ${status} from ${server.origin} to ${target.origin}: redirects are not followed`;
    expect(ending).toMatchObject({ error: { name: 'Dead', message } });
    expect(target.received).toHaveLength(0);
    expect(server.received).toHaveLength(1);
  });

  it('a redirect to nowhere is dead all the same', async () => {
    await using server = await always(302, { location: 'http://' });
    const message = `HTTP 302 from ${server.origin}: redirects are not followed`;
    expect(await attempt(deliverByHttp({ url: server.url }))).toMatchObject({ error: { message } });
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 20, 9, 30);
  const ending = async (status: number, value: string) => {
    await using server = await always(status, { 'retry-after': value });
    return await attempt(deliverByHttp({ url: server.url, now: () => now }));
  };

  it.each([
    ['120', 120],
    ['0', 0],
    ['Fri, 20 Nov 2026 09:32:00 GMT', 120],
    ['Friday, 20-Nov-26 09:32:00 GMT', 120],
    ['Fri Nov 20 09:32:00 2026', 120],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['99999999999999999999', 365 * 86_400],
    ['Fri, 20 Nov 2099 09:30:00 GMT', 365 * 86_400],
  ])('"%s" asks to wait %i seconds', async (value, seconds) => {
    for (const status of [429, 503, 408]) {
      expect(await ending(status, value)).toMatchObject({ error: { name: 'RetryAfter', seconds } });
    }
  });

  it.each(['-5', '1.5', '5 s', 'soon', '2026-11-20T09:32:00Z', ''])('"%s" is ignored', async (value) => {
    expect(await ending(503, value)).toMatchObject({ error: { name: 'HttpError', status: 503 } });
  });

  it('keeps the answer in the message', async () => {
    expect(await ending(429, '7')).toMatchObject({
      error: { message: expect.stringMatching(/^HTTP 429 from/) },
    });
  });
});

describe('invalid options', () => {
  it.each([
    [{ url: 'http://erp.example.com/' }, 'deliverByHttp.url: expected an https URL (http only to 127.0.0.1'],
    [{ url: 'https://erp.example.com/', timeout: 5 }, 'deliverByHttp: unknown option "timeout"'],
    [{ url: 'https://erp.example.com/', requestTimeout: 0 }, 'deliverByHttp.requestTimeout: '],
    [{}, 'deliverByHttp.url: expected string, got nothing'],
  ])('%j is refused', (options, message) => {
    expect(() => deliverByHttp(options as never)).toThrow(message);
  });
});
