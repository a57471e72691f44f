import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { deliverByHttp, type SecretsSource } from '../../src/delivery/index.js';
import { attempt, listen, type Received } from './support.js';

const OLD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEW = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const RAW = 'correct-horse-battery-staple';
/** Other than the one that signs: no secret of ours. */
const WRONG = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** Verifies a request as a receiver does: the package itself checks headers and the bytes that came. */
function verified({ headers, body }: Received, secret: string, format?: 'raw'): unknown {
  return new Webhook(secret, format && { format }).verify(body, headers as Record<string, string>);
}

async function delivered(secret: SecretsSource, item: Record<string, unknown> = {}, now?: () => number) {
  await using server = await listen((_request, response) => response.end());
  const deliver = deliverByHttp({ url: server.url, secret, ...(now ? { now } : {}) });
  expect(await attempt(deliver, item)).toEqual({ ok: true });
  const [request] = server.received;
  if (!request) throw new Error('nothing came');
  return request;
}

describe('a signed delivery', () => {
  it('has the signature of the example that all Standard Webhooks libraries are tested by', async () => {
    const key = Buffer.from(OLD.slice(6), 'base64');
    const body = '{"test": 2432232314}';
    const hmac = createHmac('sha256', key).update(`msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.${body}`);
    const expected = 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    expect(hmac.digest('base64')).toBe(expected);
    const { signature } = await import('../../src/delivery/standard-webhooks.js');
    const at = new Date(1_614_265_330_999);
    expect(signature([OLD], 'msg_p5jXN8AQM9LWM0D4loKWxJek', at, body)).toBe(`v1,${expected}`);
  });

  it('is verified by the package, with the id of the record and the time of the attempt', async () => {
    const payload = { order: 7, note: 'Größe 数量 🛒 \u2028' };
    const now = Date.now();
    const request = await delivered(OLD, { id: 'order-7', payload }, () => now);
    expect(request.headers).toMatchObject({
      'webhook-id': 'order-7',
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(verified(request, OLD)).toEqual(payload);
  });

  it.each([
    ['a wrong secret', (request: Received) => verified(request, WRONG)],
    ['another body', (request: Received) => verified({ ...request, body: Buffer.from('{"order":8}') }, OLD)],
    [
      'another id',
      (request: Received) =>
        verified({ ...request, headers: { ...request.headers, 'webhook-id': 'order-8' } }, OLD),
    ],
    [
      'another time',
      (request: Received) => {
        const later = String(Number(request.headers['webhook-timestamp']) + 1);
        return verified({ ...request, headers: { ...request.headers, 'webhook-timestamp': later } }, OLD);
      },
    ],
  ])('does not pass with %s', async (_, verify) => {
    const request = await delivered(OLD, { id: 'order-7', payload: { order: 7 } });
    expect(() => verify(request)).toThrow('No matching signature found');
  });

  it.each([
    ['nothing', undefined, null],
    ['text', { text: '\ud800 lone, \u0000 and "quoted"' }, { text: '\ud800 lone, \u0000 and "quoted"' }],
    ['numbers', { big: 12345678901234567890n }, { big: 12345678901234567000 }],
    ['an empty text', '', ''],
  ])('signs the very bytes that are sent: %s', async (_, payload, received) => {
    expect(verified(await delivered(NEW, { payload }), NEW)).toEqual(received);
  });

  it('has an id that a header takes, whatever the record has, and the same one at each attempt', async () => {
    const id = 'Bestellung 100%\r\nx-injected: yes 数量🛒.1';
    await using server = await listen((_request, response) => response.writeHead(500).end());
    const deliver = deliverByHttp({ url: server.url, secret: OLD });
    for (const number of [1, 2]) await attempt(deliver, { id }, { attempt: number });
    for (const request of server.received) {
      const sent = String(request.headers['webhook-id']);
      expect(sent).toMatch(/^[!-~]+$/);
      expect(decodeURIComponent(sent)).toBe(id);
      expect(request.headers['idempotency-key']).toBe(sent);
      expect(request.headers['x-injected']).toBeUndefined();
      expect(verified(request, OLD)).toBeNull();
    }
    expect(server.received).toHaveLength(2);
  });

  it('has the time of its own attempt', async () => {
    await using server = await listen((_request, response) => response.end());
    let now = 1_800_000_000_000;
    const deliver = deliverByHttp({ url: server.url, secret: OLD, now: () => now });
    await attempt(deliver);
    now += 3_600_000;
    await attempt(deliver);
    expect(server.received.map(({ headers }) => headers['webhook-timestamp'])).toEqual([
      '1800000000',
      '1800003600',
    ]);
  });
});

describe('secrets', () => {
  it('of several each signs, so that receivers with either of them are served', async () => {
    const request = await delivered([NEW, OLD, RAW, OLD]);
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(3);
    expect(verified(request, NEW)).toBeNull();
    expect(verified(request, OLD)).toBeNull();
    expect(verified(request, RAW, 'raw')).toBeNull();
  });

  it('that are one text are parted at white space, and a new line at its end is none', async () => {
    const request = await delivered(`${NEW} ${OLD}\n`);
    expect(verified(request, NEW)).toBeNull();
    expect(verified(request, OLD)).toBeNull();
  });

  it('without the prefix are taken as they are', async () => {
    expect(verified(await delivered(RAW), RAW, 'raw')).toBeNull();
  });

  it('of a function are asked for at each attempt: one may change in the middle of a run', async () => {
    await using server = await listen((_request, response) => response.end());
    let secret = OLD;
    const deliver = deliverByHttp({ url: server.url, secret: async () => secret });
    await deliver.prepare();
    await attempt(deliver);
    secret = NEW;
    await attempt(deliver);
    expect(server.received.map((request, i) => verified(request, i === 0 ? OLD : NEW))).toEqual([null, null]);
  });

  it.each([401, 403])(
    '%i to a signed delivery is retried: the receiver may get the secret later',
    async (status) => {
      await using server = await listen((_request, response) => response.writeHead(status).end());
      const deliver = deliverByHttp({ url: server.url, secret: OLD });
      expect(await attempt(deliver)).toMatchObject({ error: { name: 'HttpError', status } });
    },
  );

  it.each([
    ['', 'nothing'],
    [' \n', 'nothing'],
    [[], 'nothing'],
    ['too-short', '9 characters that are not'],
    ['whsec_', '6 characters that are not'],
    ['whsec_c2hvcnQ=', '14 characters that are not'],
    ['whsec_this-is-not-base64-at-all!!', '33 characters that are not'],
    ['Bestellung-größer-als', '21 characters that are not'],
    [`${OLD},${NEW}`, '77 characters that are not'],
    [7, 'a value of the type number'],
    [[OLD, null], 'a value of the type object'],
    [{ secret: OLD }, 'a value of the type object'],
  ])(
    '%j is refused at once, and by a function before anything is sent, without being shown',
    async (given, got) => {
      const message = `deliverByHttp.secret: expected "whsec_" and base64, or visible ASCII characters, of 16 or more bytes, got ${got}`;
      await using server = await listen((_request, response) => response.end());
      expect(() => deliverByHttp({ url: server.url, secret: given as string })).toThrow(message);
      const deliver = deliverByHttp({ url: server.url, secret: () => given as string });
      await expect(deliver.prepare()).rejects.toThrow(message);
      expect(await attempt(deliver)).toMatchObject({
        error: { name: 'Snooze', message: `a secret of the delivery cannot be had: ${message}` },
      });
      expect(server.received).toHaveLength(0);
    },
  );

  it('that cannot be had put the attempt off, which is not counted', async () => {
    await using server = await listen((_request, response) => response.end());
    const deliver = deliverByHttp({ url: server.url, secret: () => Promise.reject(new Error('no access')) });
    expect(await attempt(deliver)).toMatchObject({ error: { name: 'Snooze', seconds: 60 } });
    expect(server.received).toHaveLength(0);
  });
});
