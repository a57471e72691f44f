import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FunctionUrls, type UrlFunctions } from '../../../tools/src/local/function-urls/function-urls.js';

type Invocation = Awaited<ReturnType<UrlFunctions['invoke']>>;
// biome-ignore lint/suspicious/noExplicitAny: tests look into events of any shape
type Event = any;

const events: Event[] = [];
const errors: { functionName: string; message: string; error: object }[] = [];
let answer: (event: Event) => Invocation | Promise<Invocation>;
let isStarted = true;
let urls: FunctionUrls;
let base: string;

beforeAll(async () => {
  urls = new FunctionUrls({
    given: 0,
    onTaken: () => {},
    functions: () =>
      isStarted
        ? {
            urls: () => [{ functionName: 'Approve', url: `${base}Approve/` }],
            invoke: async (functionName, event) => {
              events.push({ functionName, ...(event as object) });
              return answer(event);
            },
            onError: (functionName, message, error) => void errors.push({ functionName, message, error }),
          }
        : undefined,
  });
  base = await urls.open();
});
afterAll(() => urls.stop());

it('the server can be opened later where its port was taken first', async () => {
  const options = { onTaken: () => {}, functions: () => undefined };
  const taken = new FunctionUrls({ ...options, given: 0 });
  const port = Number(new URL(await taken.open()).port);
  const later = new FunctionUrls({ ...options, given: port });
  await expect(later.open()).rejects.toThrow(`port ${port} is taken by another dynamo-backlog`);
  await taken.stop();
  expect(await later.open()).toBe(`http://127.0.0.1:${port}/`);
  await later.stop();
});
beforeEach(() => {
  events.length = 0;
  errors.length = 0;
  isStarted = true;
  answers({ statusCode: 200, body: 'ok' });
});

function answers(value: unknown): void {
  answer = () => ({ type: 'result', value });
}

/** `fetch` would resolve dots in a path, and set headers itself. */
async function ask(path: string, options: RequestOptions = {}, body?: string | Buffer) {
  const { port } = new URL(base);
  const asked = request({ host: '127.0.0.1', port, path, ...options }).end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  return { status: response.statusCode, headers: response.headers, bytes, text: bytes.toString() };
}

describe('a request to a function URL', () => {
  it('is an event of payload format 2.0', async () => {
    const headers = { 'X-Note': 'Ab', 'User-Agent': 'test', Cookie: 'a=1; b=2' };
    await ask('/Approve/some/path?link=x%20y&tag=1&tag=2&empty', { method: 'DELETE', headers });
    const { host } = new URL(base);
    expect(events).toEqual([
      {
        functionName: 'Approve',
        version: '2.0',
        routeKey: '$default',
        rawPath: '/some/path',
        rawQueryString: 'link=x%20y&tag=1&tag=2&empty',
        queryStringParameters: { link: 'x y', tag: '1,2', empty: '' },
        cookies: ['a=1', 'b=2'],
        headers: expect.objectContaining({
          host,
          cookie: 'a=1; b=2',
          'x-note': 'Ab',
          'user-agent': 'test',
          'x-forwarded-for': '127.0.0.1',
          'x-forwarded-proto': 'http',
          'x-forwarded-port': new URL(base).port,
        }),
        requestContext: {
          accountId: 'anonymous',
          apiId: 'local',
          domainName: host,
          domainPrefix: 'local',
          http: {
            method: 'DELETE',
            path: '/some/path',
            protocol: 'HTTP/1.1',
            sourceIp: '127.0.0.1',
            userAgent: 'test',
          },
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          routeKey: '$default',
          stage: '$default',
          time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
          timeEpoch: expect.any(Number),
        },
        isBase64Encoded: false,
      },
    ]);
  });

  it.each([
    ['/Approve', '/'],
    ['/Approve/', '/'],
    ['/Approve?x=1', '/'],
    ['/Approve//', '//'],
    ['/Approve/a/', '/a/'],
    ['/Approve/../Secret', '/../Secret'],
    ['/Approve/%2e%2e%2Fa%20b', '/%2e%2e%2Fa%20b'],
    ['/Approve/?a=/b?c', '/'],
  ])('has the path below the URL, as it was sent: %s', async (path, rawPath) => {
    expect((await ask(path)).status).toBe(200);
    expect(events).toMatchObject([{ rawPath, requestContext: { http: { path: rawPath } } }]);
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'TRACE', 'PROPFIND'])('may be %s', async (method) => {
    expect((await ask('/Approve/', { method })).status).toBe(200);
    expect(events).toMatchObject([{ requestContext: { http: { method } } }]);
  });

  it.each([
    ['application/json', '{"a":"ä"}', false],
    ['application/problem+json; charset=utf-8', '{}', false],
    ['text/plain;charset=UTF-8', 'ä', false],
    // A form comes as base64, as in the cloud: a function that only reads texts fails there, too.
    ['application/x-www-form-urlencoded', 'answer=Approve', true],
    ['application/jsonp', '{}', true],
    ['application/octet-stream', Buffer.from([0, 255, 128, 10]), true],
    ['text/plain', Buffer.from([0xff, 0xfe]), true],
    [undefined, 'bare', true],
  ])('has the bytes of its body (%s)', async (type, content, isBase64Encoded) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    await ask('/Approve/', { method: 'POST', headers }, content);
    const [{ body, ...event }] = events;
    expect(event.isBase64Encoded).toBe(isBase64Encoded);
    expect(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')).toEqual(Buffer.from(content));
  });

  it('has no key of a console, which browsers send to all ports', async () => {
    await ask('/Approve/', { headers: { cookie: 'a=1; backlog-console-0123456789ab=key; b=2' } });
    const [event] = events;
    expect(event.cookies).toEqual(['a=1', 'b=2']);
    expect(JSON.stringify(event)).not.toContain('key');
    await ask('/Approve/', { headers: { cookie: 'backlog-console-0123456789ab=key' } });
    expect(events[1]).not.toHaveProperty('cookies');
    expect(JSON.stringify(events[1])).not.toContain('backlog-console');
  });

  it('keeps names that objects have', async () => {
    await ask('/Approve/?__proto__=a&constructor=b', { headers: { constructor: 'c' } });
    const event = JSON.parse(JSON.stringify(events[0]));
    expect(Object.entries(event.queryStringParameters)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(event.headers.constructor).toBe('c');
  });

  it('cannot claim to come from elsewhere', async () => {
    await ask('/Approve/', { headers: { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' } });
    expect(events[0].headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
  });

  it('may have 6 MB and no more', async () => {
    const most = Buffer.alloc(6 * 1024 * 1024, 'a');
    expect((await ask('/Approve/', { method: 'POST' }, most)).status).toBe(200);
    for (const more of [Buffer.concat([most, Buffer.from('a')]), Buffer.alloc(40_000_000)]) {
      const { status, text } = await ask('/Approve/', { method: 'POST' }, more);
      expect([status, text]).toEqual([413, 'expected a body of at most 6291456 bytes\n']);
    }
    expect(events).toHaveLength(1);
  });

  it.each(['/', '/approve/', '/Approv', '/Approve%2F', '//Approve/', '/..%2fApprove/', '*'])(
    'for %s finds no function',
    async (path) => {
      const { status, headers } = await ask(path, { method: 'OPTIONS' });
      expect([status, events]).toEqual([404, []]);
      // Another runtime names the holder of the port by it.
      expect(headers['x-dynamo-backlog']).toMatch(/^\d+ /);
    },
  );

  it('comes from any page, by a name of this machine only', async () => {
    for (const origin of ['https://shop.example', 'null']) {
      expect((await ask('/Approve/', { method: 'POST', headers: { origin } })).status).toBe(200);
    }
    const rebound = await ask('/Approve/', { headers: { host: `evil.example:${new URL(base).port}` } });
    expect(rebound.status).toBe(421);
    expect(events).toHaveLength(2);
  });

  it('is refused while the runtime starts', async () => {
    isStarted = false;
    expect(await ask('/Approve/')).toMatchObject({ status: 503, text: 'the runtime is starting\n' });
  });

  it('waits while functions work on five, is refused beyond 50, and gets its own answer', async () => {
    const gates: (() => void)[] = [];
    answer = async ({ rawPath }) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return { type: 'result', value: { statusCode: 200, body: rawPath } };
    };
    const answered: { status: number | undefined; text: string; i: number }[] = [];
    const asked = Array.from({ length: 60 }, async (_, i) => {
      const { status, text } = await ask(`/Approve/${i}`);
      answered.push({ status, text, i });
    });
    await vi.waitUntil(() => answered.length === 10);
    expect(answered.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 429));
    expect(events).toHaveLength(5);
    const opening = setInterval(() => gates.shift()?.(), 1);
    await Promise.all(asked);
    clearInterval(opening);
    for (const { status, text, i } of answered.slice(10)) expect([status, text]).toEqual([200, `/${i}`]);
    expect(gates).toEqual([]);
    answers({ statusCode: 200 });
    expect((await ask('/Approve/later')).status).toBe(200);
  });

  it('that its caller gives up takes no room', async () => {
    for (let i = 0; i < 60; i += 1) {
      const socket = connect(Number(new URL(base).port), '127.0.0.1');
      await once(socket, 'connect');
      const { host } = new URL(base);
      socket.write(`POST /Approve/ HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\nhalf`);
      await new Promise((resolve) => setTimeout(resolve, 2));
      socket.destroy();
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await ask('/Approve/')).status).toBe(200);
    expect(events).toHaveLength(1);
  });
});

describe('the answer of a function', () => {
  it('is the response', async () => {
    answers({
      statusCode: 303,
      headers: { Location: '/next', 'X-Count': 7, 'Content-Type': 'text/html', 'Set-Cookie': 'c=3' },
      cookies: ['a=1; Secure', 'b=2'],
      body: '<p>ä</p>',
    });
    const { status, headers, text } = await ask('/Approve/');
    expect([status, text]).toEqual([303, '<p>ä</p>']);
    expect(headers).toMatchObject({ location: '/next', 'x-count': '7', 'content-type': 'text/html' });
    expect(headers['set-cookie']).toEqual(['c=3', 'a=1; Secure', 'b=2']);
    expect(headers).not.toHaveProperty('x-dynamo-backlog');
  });

  it('may be bytes', async () => {
    const body = Buffer.from([0, 255, 128, 10]).toString('base64');
    answers({ statusCode: '200', headers: { 'content-type': 'image/png' }, body, isBase64Encoded: true });
    expect((await ask('/Approve/')).bytes).toEqual(Buffer.from([0, 255, 128, 10]));
  });

  it.each([[{ ok: true }], ['Hello'], [7], [null], [[1]], [{ body: 'x' }]])(
    'without a status is JSON: %j',
    async (value) => {
      answers(value);
      const { status, headers, text } = await ask('/Approve/');
      expect([status, headers['content-type'], text]).toEqual([
        200,
        'application/json',
        JSON.stringify(value),
      ]);
    },
  );

  it('to HEAD and of the status 204 has no body, and is JSON if it names no type', async () => {
    answers({ statusCode: 200, body: 'hidden' });
    expect((await ask('/Approve/', { method: 'HEAD' })).bytes).toHaveLength(0);
    expect((await ask('/Approve/')).headers['content-type']).toBe('application/json');
    answers({ statusCode: 204, body: 'hidden' });
    expect(await ask('/Approve/')).toMatchObject({ status: 204, text: '' });
  });

  it('leaves the connection to the server', async () => {
    const headers = {
      'Content-Length': 1,
      'Transfer-Encoding': 'chunked',
      Connection: 'upgrade',
      Upgrade: 'x',
    };
    answers({ statusCode: 200, headers, body: 'whole' });
    const first = await ask('/Approve/');
    expect(first.text).toBe('whole');
    expect(first.headers).toMatchObject({ 'content-length': '5' });
    expect(first.headers).not.toHaveProperty('upgrade');
  });

  it.each([
    ['a status that is none', { statusCode: 99 }, 'statusCode'],
    ['a status of another kind', { statusCode: 101 }, 'statusCode'],
    ['a status that is no number', { statusCode: 'ok' }, 'statusCode'],
    ['a body that is no text', { statusCode: 200, body: { secret: 1 } }, 'body'],
    ['a list of values of a header', { statusCode: 200, headers: { a: ['1', '2'] } }, 'headers.a'],
    ['a line break in a header', { statusCode: 200, headers: { a: 'x\r\nSet-Cookie: b=1' } }, 'header'],
    ['a line break in a name', { statusCode: 200, headers: { 'a\r\nb': 'x' } }, 'Header name'],
    ['a line break in a cookie', { statusCode: 200, cookies: ['a=1\r\n\r\n<script>'] }, 'set-cookie'],
    ['a character that headers do not have', { statusCode: 200, headers: { a: 'Łódź' } }, 'header'],
    ['7 MB', { statusCode: 200, body: 'a'.repeat(7_000_000) }, 'body: expected at most 6291456 bytes'],
  ])('is not sent with %s', async (_, value, reason) => {
    answers(value);
    const { status, text, headers } = await ask('/Approve/');
    expect([status, text]).toEqual([502, 'Internal Server Error: the log of Approve has the reason\n']);
    expect(headers).not.toHaveProperty('set-cookie');
    expect(errors).toMatchObject([
      { functionName: 'Approve', error: { message: expect.stringContaining(reason) } },
    ]);
  });

  it.each([
    [{ type: 'error', name: 'TypeError', message: 'no such thing', stack: 'TypeError: at x' }],
    [{ type: 'exited', message: 'Runtime exited with exit status 3' }],
    [{ type: 'timedOut', message: 'Task timed out after 3 seconds' }],
  ] as const)('is missing if it fails: %j', async (invocation) => {
    answer = () => invocation;
    const { status, text } = await ask('/Approve/?link=secret');
    expect([status, text]).toEqual([502, 'Internal Server Error: the log of Approve has the reason\n']);
    const { type: _, ...error } = invocation;
    expect(errors).toMatchObject([{ functionName: 'Approve', message: 'a request failed', error }]);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });

  it('is missing if no process is free', async () => {
    answer = () => ({ type: 'givenUp', message: 'no sandbox was free for 60 s' });
    expect(await ask('/Approve/')).toMatchObject({ status: 503, text: 'no sandbox was free for 60 s\n' });
  });
});
