import { describe, expect, it } from 'vitest';
import { type Answers, deliverByHttp, type HttpDeliveryOptions } from '../../src/delivery/index.js';
import { attempt, listen } from './support.js';

const answering = (status: number, body = '', headers: Record<string, string> = {}) =>
  listen((_request, response) => response.writeHead(status, headers).end(body));

const ENDINGS = {
  success: { ok: true },
  dead: { error: { name: 'Dead' } },
  retry: { error: { name: 'HttpError' } },
  notReady: { error: { name: 'Snooze', seconds: undefined } },
};

describe('the method', () => {
  it.each(['POST', 'PUT', 'PATCH'] as const)('%s is used', async (method) => {
    await using server = await answering(200);
    await attempt(deliverByHttp({ url: server.url, method }), { payload: 7 });
    expect(server.received[0]).toMatchObject({ method });
    expect(String(server.received[0]?.body)).toBe('7');
  });
});

describe('headers', () => {
  it('of your own are sent beside those of the delivery', async () => {
    await using server = await answering(200);
    const headers = { 'X-Tenant': 'blue', 'x-note': 'two  words', accept: 'application/json' };
    await attempt(deliverByHttp({ url: server.url, headers }), { id: 'a' });
    expect(server.received[0]?.headers).toMatchObject({
      'x-tenant': 'blue',
      'x-note': 'two  words',
      accept: 'application/json',
      'idempotency-key': 'a',
      'content-type': 'application/json',
    });
  });

  it('of a function are asked for at each attempt', async () => {
    await using server = await answering(200);
    let token = 1;
    const authorization = async () => `Bearer token-${token++}`;
    const deliver = deliverByHttp({ url: server.url, headers: { authorization, 'x-fixed': 'yes' } });
    await attempt(deliver);
    await attempt(deliver);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it.each([['a\r\nx-injected: yes'], ['a\nb'], ['a\u0000b'], ['ü'], [''], [' a'], ['a '], [undefined], [7]])(
    '%j from a function is refused before anything is sent, and not shown',
    async (value) => {
      await using server = await answering(200);
      const deliver = deliverByHttp({ url: server.url, headers: { authorization: () => value as string } });
      const message = /^deliverByHttp\.headers\.authorization: expected one line of visible ASCII characters/;
      expect(await attempt(deliver)).toMatchObject({
        error: { name: 'Snooze', seconds: 60, cause: { message: expect.stringMatching(message) } },
      });
      await expect(deliver.prepare()).rejects.toThrow(message);
      expect(server.received).toHaveLength(0);
    },
  );

  it('a function that fails puts the attempt off, which is not counted, and fails the preparation', async () => {
    await using server = await answering(200);
    const authorization = () => Promise.reject(new Error('no access'));
    const deliver = deliverByHttp({ url: server.url, headers: { authorization } });
    expect(await attempt(deliver)).toMatchObject({
      error: { name: 'Snooze', message: 'a secret of the delivery cannot be had: no access' },
    });
    await expect(deliver.prepare()).rejects.toThrow('no access');
    expect(server.received).toHaveLength(0);
  });

  it.each([null, undefined, 'down'])(
    'a function that throws %j, no error, puts the attempt off as well',
    async (thrown) => {
      await using server = await answering(200);
      const deliver = deliverByHttp({
        url: server.url,
        headers: { authorization: () => Promise.reject(thrown) },
      });
      const message = `a secret of the delivery cannot be had: ${typeof thrown} was thrown`;
      expect(await attempt(deliver)).toMatchObject({ error: { name: 'Snooze', message } });
    },
  );

  it('there is nothing to prepare without a secret', async () => {
    const deliver = deliverByHttp({ url: 'https://erp.example.com/', headers: { 'x-tenant': 'blue' } });
    await expect(deliver.prepare()).resolves.toBeUndefined();
  });
});

describe('answers', () => {
  it.each([
    [
      { success: [404, 409, 410] },
      { 200: 'success', 404: 'success', 410: 'success', 422: 'dead', 500: 'retry' },
    ],
    [{ retry: [404] }, { 404: 'retry', 403: 'dead', 204: 'success' }],
    [{ dead: [501, 204] }, { 501: 'dead', 500: 'retry', 204: 'dead', 200: 'success' }],
    [
      { retry: ['4xx'], dead: [410] },
      { 400: 'retry', 410: 'dead', 429: 'retry' },
    ],
    [
      { dead: ['2xx'], success: [202] },
      { 202: 'success', 200: 'dead' },
    ],
    [{ dead: ['4xx', '5xx'] }, { 429: 'dead', 503: 'dead' }],
    [
      { notReady: [202, '4xx'], dead: [400] },
      { 200: 'success', 202: 'notReady', 400: 'dead', 409: 'notReady', 425: 'notReady', 500: 'retry' },
    ],
    [{ success: [304] }, { 304: 'success', 302: 'dead' }],
    [{}, { 401: 'dead', 403: 'dead' }],
  ] satisfies [Answers, Record<number, keyof typeof ENDINGS>][])('%j', async (answers, meaning) => {
    for (const [status, verdict] of Object.entries(meaning)) {
      await using server = await answering(Number(status));
      const ending = await attempt(deliverByHttp({ url: server.url, answers }));
      expect(ending, status).toMatchObject(ENDINGS[verdict]);
    }
  });

  it('a Retry-After counts wherever an answer is retried, and nowhere else', async () => {
    await using server = await answering(404, '', { 'retry-after': '60' });
    const retrying = deliverByHttp({ url: server.url, answers: { retry: [404] } });
    expect(await attempt(retrying)).toMatchObject({ error: { name: 'RetryAfter', seconds: 60 } });
    expect(await attempt(deliverByHttp({ url: server.url }))).toMatchObject({ error: { name: 'Dead' } });
  });

  it('an answer that says "not yet" keeps its beginning as the reason, and its Retry-After is not read', async () => {
    await using server = await answering(202, '{"status":"open"}', { 'retry-after': '31536000' });
    const deliver = deliverByHttp({ url: server.url, answers: { notReady: [202] } });
    expect(await attempt(deliver)).toMatchObject({
      error: { name: 'Snooze', seconds: undefined, message: 'HTTP 202: {"status":"open"}' },
    });
  });

  it('a redirect that is retried is still not followed', async () => {
    await using target = await answering(200);
    await using server = await answering(302, '', { location: target.url });
    const deliver = deliverByHttp({ url: server.url, answers: { retry: ['3xx'] } });
    expect(await attempt(deliver)).toMatchObject({
      error: { name: 'HttpError', message: expect.stringContaining('redirects are not followed') },
    });
    expect(target.received).toHaveLength(0);
  });

  it.each([401, 403])(
    '%i to a request with a secret is retried: the secret may have changed',
    async (status) => {
      await using server = await answering(status);
      const headers = { authorization: () => 'Bearer 12345678' };
      expect(await attempt(deliverByHttp({ url: server.url, headers }))).toMatchObject(ENDINGS.retry);
      const strict = deliverByHttp({ url: server.url, headers, answers: { dead: [status] } });
      expect(await attempt(strict)).toMatchObject(ENDINGS.dead);
    },
  );

  it('that send a secret back do not bring it into the record, however they are cut', async () => {
    const secret = 'token-0123456789abcdef';
    for (const echo of [secret, `Bearer ${secret}`, secret.repeat(60), `${'x'.repeat(190)}${secret}`]) {
      await using server = await answering(500, `you sent ${echo}`);
      const deliver = deliverByHttp({
        url: server.url,
        headers: { authorization: () => `Bearer ${secret}` },
      });
      const ending = await attempt(deliver);
      const message = ending.ok ? '' : ending.error.message;
      expect(message).toContain('you sent ');
      expect(message).not.toContain('token-01');
      expect(Buffer.byteLength(message)).toBeLessThan(260);
    }
  });
});

describe('a secret that changes', () => {
  it('is hidden as it is by then', async () => {
    let secret = 'first-secret';
    await using server = await listen(({ headers }, response) => {
      response.writeHead(422).end(`no ${headers.authorization}`);
    });
    const deliver = deliverByHttp({ url: server.url, headers: { authorization: () => secret } });
    for (const next of ['second-secret', 'third-secret']) {
      expect(await attempt(deliver)).toMatchObject({ error: { message: 'HTTP 422: no [secret]' } });
      secret = next;
    }
  });
});

describe('secrets of two headers', () => {
  it('are kept out of the record where one begins with the other', async () => {
    await using server = await answering(500, 'you sent tenant-12345:s3cr3t-part');
    const headers = { 'x-tenant': () => 'tenant-12345', 'x-key': () => 'tenant-12345:s3cr3t-part' };
    const ending = await attempt(deliverByHttp({ url: server.url, headers }));
    expect(ending).toMatchObject({ error: { message: expect.stringMatching(/you sent \[secret\]$/) } });
  });
});

describe('invalid options', () => {
  const refused: [Partial<Record<keyof HttpDeliveryOptions, unknown>>, string][] = [
    [{ method: 'GET' }, '.method: expected "POST", "PUT" or "PATCH", got "GET"'],
    [{ requestTimeout: 901 }, '.requestTimeout: '],
    [{ answers: { succes: [404] } }, '.answers: unknown option "succes"; did you mean "success"?'],
    [{ answers: { retry: [99] } }, '.answers.retry.0: expected a status from 200 to 599, or "2xx"'],
    [{ answers: { retry: ['6xx'] } }, '.answers.retry.0: expected a status from 200 to 599, or "2xx"'],
    [{ answers: { retry: ['404'] } }, '.answers.retry.0: expected a status from 200 to 599, or "2xx"'],
    [{ answers: { retry: [404.5] } }, '.answers.retry.0: expected a status from 200 to 599, or "2xx"'],
    [
      { answers: { success: [404], dead: [404] } },
      '.answers: expected each answer once, got 404 in "success" and in "dead"',
    ],
    [
      { answers: { success: [202], notReady: [202] } },
      '.answers: expected each answer once, got 202 in "success" and in "notReady"',
    ],
    [{ answers: { dead: ['4xx', '4xx'] } }, '.answers: expected each answer once, got "4xx" twice in "dead"'],
    [{ headers: { 'x tenant': 'a' } }, '.headers: expected the name of a header, got "x tenant"'],
    [{ headers: { 'x\r\ny': 'a' } }, '.headers: expected the name of a header, got "x\\r\\ny"'],
    [{ headers: { '': 'a' } }, '.headers: expected the name of a header, got ""'],
    [{ headers: { 'X-A': '1', 'x-a': '2' } }, '.headers.x-a: expected each header once'],
    [{ headers: { 'x-a': '1', 'X-A': '2' } }, '.headers.X-A: expected each header once'],
    [
      { headers: { 'x-a': 'secret\r\nx-b: c' } },
      '.headers.x-a: expected one line of visible ASCII characters, without spaces at its ends, got 14 characters that are not',
    ],
    [{ headers: { 'x-a': 7 } }, '.headers.x-a: expected a text, or a function that gives one, got 7'],
    ...[
      'Content-Type',
      'HOST',
      'idempotency-key',
      'webhook-signature',
      'Connection',
      'transfer-encoding',
      'te',
    ].map((name): [object, string] => [
      { headers: { [name]: 'a' } },
      `.headers.${name}: expected another header, as the delivery sets this one`,
    ]),
  ];
  it.each(refused)('%j is refused', (options, message) => {
    const input = { url: 'https://erp.example.com/', ...options } as HttpDeliveryOptions;
    expect(() => deliverByHttp(input)).toThrow(`deliverByHttp${message}`);
  });
});
