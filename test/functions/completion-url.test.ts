import { beforeEach, describe, expect, it, vi } from 'vitest';
import { completionUrl } from '../../functions/completion-url/completion-url.js';
import {
  type CompletionUrlSeams,
  completionUrlHandler,
} from '../../functions/completion-url/completion-url-handler.js';
import { type CompletionLink, readLink, signLink } from '../../functions/completion-url/link.js';
import { Pending } from '../../src/index.js';
import { Harness, START, succeed } from '../worker/harness.js';
import { context, workbench } from './support.js';

const SECRET = 'the-secret-that-signs-links-of-tests';
const URL_OF_FUNCTION = 'https://links.example.com/';
const ANSWERS = { Approve: 'complete', Reject: 'fail', 'Ask me later': 'heartbeat' } as const;
type Options = Parameters<typeof completionUrl>[2];

beforeEach(() => {
  vi.stubEnv('BACKLOG_COMPLETION_SECRET_VALUE', SECRET);
  return () => vi.unstubAllEnvs();
});

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A record, and the function of links beside the runs of its queue. */
function world({
  fetchSecret = async (_, stage) => (stage === 'AWSCURRENT' ? SECRET : undefined),
  now,
}: Pick<CompletionUrlSeams, 'fetchSecret' | 'now'> = {}) {
  const harness = new Harness();
  harness.put('pay-7');
  const { overrides, log } = workbench({});
  const handler = completionUrlHandler({
    logger: overrides.logger,
    env: { BACKLOG_TABLE: 'records', BACKLOG_COMPLETION_SECRET: 'arn:of-the-secret' },
    records: harness.store.records as never,
    clock: harness.clock,
    fetchSecret,
    now,
  });
  const request = async (
    method: string,
    url: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<Answer> => {
    const { pathname: rawPath, search, host, searchParams } = new URL(url);
    return (await handler(
      {
        version: '2.0',
        ...{ rawPath, rawQueryString: search.slice(1), headers: { host, ...headers } },
        queryStringParameters: Object.fromEntries(searchParams),
        requestContext: { domainName: host, http: { method, path: rawPath, sourceIp: '198.51.100.7' } },
        ...(body !== undefined && { body: Buffer.from(body).toString('base64') }),
        isBase64Encoded: body !== undefined,
      },
      context,
    )) as Answer;
  };
  const json = (url: string, body: unknown) =>
    request('POST', url, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return {
    harness,
    log,
    get: (url: string, headers: Record<string, string> = {}) => request('GET', url, { headers }),
    request,
    /** The answer of a person: what the browser sends for the form. */
    click: (url: string, fields: Record<string, string>) =>
      request('POST', url, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      }),
    json,
    jsonOf: async (url: string, body: unknown) => JSON.parse((await json(url, body)).body),
    /** Attempts the record, whose handler sends a link and waits. */
    ask: async (options: Options = {}) => {
      let url = '';
      await harness.run(async ({ id }, { token }) => {
        url = await completionUrl(id, token, {
          url: URL_OF_FUNCTION,
          answers: ANSWERS,
          ...options,
        });
        throw new Pending({ timeout: '2h', reason: 'waits for <approval>' });
      });
      return url;
    },
    item: () => harness.item('pay-7'),
  };
}

describe('the page of a link', () => {
  it('asks the question, with what is known of the record and a button for each answer, and changes nothing', async () => {
    const { ask, get, item, request } = world();
    const url = await ask({ question: 'Pay 5,000 € to <b>ACME</b>?', by: 'finance@example.com' });
    const before = item();
    const { statusCode, headers, body } = await get(url);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8']);
    for (const part of [
      '<h1><bdi>Pay 5,000 € to &lt;b&gt;ACME&lt;/b&gt;?</bdi></h1>',
      'waits for &lt;approval&gt;',
      'pay-7',
      '2026-03-01 02:00 UTC (2 h left)',
      'finance@example.com',
      '<button name="answer" value="Approve" class="complete first">Approve</button>',
      '<button name="answer" value="Ask me later" class="heartbeat">Ask me later</button>',
    ])
      expect(body).toContain(part);
    expect((await request('HEAD', url)).statusCode).toBe(200);
    expect(item()).toEqual(before);
  });

  it('is kept by no cache, shown in no frame, runs no script and tells no site of the link', async () => {
    const { ask, get } = world();
    const { headers, body } = await get(await ask());
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(body).not.toMatch(/<script|style="|payload/);
  });

  it('has the reason for a question where none was given, and says when there is nothing to answer any more', async () => {
    const { ask, get, click, harness } = world();
    const url = await ask();
    expect((await get(url)).body).toContain('<h1><bdi>waits for &lt;approval&gt;</bdi></h1>');
    await harness.pass(7200);
    await harness.run(succeed);
    const { statusCode, body } = await get(url);
    expect(statusCode).toBe(410);
    expect(body).toContain('Too late');
    expect(body).not.toContain('<form');
    expect((await click(url, { answer: 'Approve' })).statusCode).toBe(410);
  });

  it('has its state as JSON for systems', async () => {
    const { ask, get, json } = world();
    const url = await ask();
    const state = async () => JSON.parse((await get(url, { accept: 'application/json' })).body);
    expect(await state()).toEqual({
      ...{ id: 'pay-7', state: 'open', reason: 'waits for <approval>' },
      until: new Date(START + 7_199_998).toISOString(),
      answers: Object.keys(ANSWERS),
    });
    await json(url, { answer: 'Approve' });
    expect(await state()).toEqual({ id: 'pay-7', state: 'answered' });
  });
});

describe('an answer', () => {
  it('completes the record with the answer, the person and the note', async () => {
    const { ask, click, get, item, log } = world();
    const url = await ask({ by: 'finance@example.com' });
    const { statusCode, body } = await click(url, {
      answer: 'Approve',
      note: ' in the budget\r\nof May\u0000 ',
    });
    expect([statusCode, body]).toEqual([200, expect.stringContaining('Thank you, your answer is noted.')]);
    expect(item()).toMatchObject({
      status: 'SUCCESS',
      result: JSON.stringify({ answer: 'Approve', by: 'finance@example.com', note: 'in the budget\nof May' }),
    });
    expect((await get(url)).body).toContain('This question has its answer.');
    // A browser may send the form again.
    expect((await click(url, { answer: 'Approve' })).statusCode).toBe(200);
    expect(log()).toEqual([
      expect.objectContaining({
        message: 'a link was answered',
        id: 'pay-7',
        effect: 'complete',
        accepted: true,
      }),
      expect.objectContaining({ accepted: true }),
    ]);
    for (const secret of [url, new URL(url).search, SECRET, 'budget', 'finance@'])
      expect(JSON.stringify(log())).not.toContain(secret);
  });

  it('fails it, by its label as the name of the error, so that deadOn can end it', async () => {
    const { ask, click, harness, item } = world();
    const url = await ask({ by: 'finance' });
    await click(url, { answer: 'Reject', note: 'not in the budget' });
    expect(item()).toMatchObject({ status: 'NEW', completion: { error: { name: 'Reject' } } });
    expect((await click(url, { answer: 'Approve' })).statusCode).toBe(409);
    expect(await harness.run(succeed, { deadOn: ['Reject'] })).toMatchObject({ dead: 1, failed: 0 });
    expect(item()).toMatchObject({
      status: 'DEAD',
      lastError: { message: expect.stringContaining('finance: not in the budget') },
    });
  });

  it('prolongs the wait by its timeout', async () => {
    const { ask, click, harness, item } = world();
    const url = await ask();
    await harness.pass(3600);
    expect((await click(url, { answer: 'Ask me later' })).body).toContain('the link stays valid');
    expect(item()?.dueAt).toBe(new Date(START + 10_799_998).toISOString());
    expect((await click(url, { answer: 'Approve' })).statusCode).toBe(200);
  });

  it('comes from a system as JSON, with a result of its own', async () => {
    const { ask, jsonOf, item } = world();
    const url = await ask();
    expect(await jsonOf(url, { answer: 'Approve', result: { invoice: 12 } })).toEqual({
      id: 'pay-7',
      accepted: true,
    });
    expect(item()?.result).toBe('{"invoice":12}');
    expect(await jsonOf(url, { answer: 'Reject' })).toEqual({
      id: 'pay-7',
      accepted: false,
      reason: 'succeeded',
    });
  });

  it('may come before its attempt has ended', async () => {
    const { harness, json, item } = world();
    const answers: number[] = [];
    await harness.run(async ({ id }, { token }) => {
      const url = await completionUrl(id, token, {
        ...{ url: URL_OF_FUNCTION, answers: { Printed: 'complete' } },
      });
      answers.push((await json(url, { answer: 'Printed' })).statusCode);
      throw new Pending();
    });
    expect(answers).toEqual([200]);
    expect(item()).toMatchObject({ status: 'SUCCESS', result: '{"answer":"Printed"}' });
  });

  it.each<[string, unknown, string]>([
    ['of another label', { answer: 'approve' }, 'answer: expected \\"Approve\\" or \\"Reject\\"'],
    ['without a label', {}, 'got nothing'],
    ['in words of another service', { answer: 'Approve', status: 'failed' }, 'got \\"status\\"'],
    ['with the name of a method', { answer: 'complete' }, 'answer: expected'],
    ['that is a list', [1], 'or a JSON object such as'],
    ['that is no JSON', undefined, 'or a JSON object such as'],
    [
      'with a long note',
      { answer: 'Approve', note: 'x'.repeat(201) },
      'note: expected at most 200 characters, got 201',
    ],
    ['with a note that is no text', { answer: 'Approve', note: { x: 1 } }, 'note: expected a text'],
    [
      'with a large result',
      { answer: 'Approve', result: 'x'.repeat(1100) },
      'at most 1024 bytes of JSON, got 1102',
    ],
  ])('%s is refused, and the record waits still', async (_, body, reason) => {
    const { ask, json, item } = world();
    const answer = await json(await ask(), body);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain(reason);
    expect(item()).toMatchObject({ status: 'NEW', notBefore: { pending: {} } });
    expect(item()).not.toHaveProperty('completion');
  });

  it('with the longest note and name of any characters has room in a result', async () => {
    const { ask, json, item } = world();
    const long = '\u20ac'.repeat(30);
    const url = await ask({ by: '"\u20ac'.repeat(32), answers: { [long]: 'complete' } });
    expect((await json(url, { answer: long, note: '\u20ac'.repeat(200) })).statusCode).toBe(200);
    expect(item()?.status).toBe('SUCCESS');
  });
});

describe('a request', () => {
  const content = { id: 'pay-7', token: 't', answers: new Map([['Approve', 'complete' as const]]) };
  const linkTo = (link: string) => `${URL_OF_FUNCTION}?link=${encodeURIComponent(link)}`;
  const tampered = (link: string, change: (text: string) => string) => {
    const [text = '', signature] = link.split('.');
    const changed = change(Buffer.from(text, 'base64url').toString());
    return `${Buffer.from(changed).toString('base64url')}.${signature}`;
  };

  it.each<[string, string]>([
    ['without a link', URL_OF_FUNCTION],
    ['with an empty link', linkTo('')],
    ['with a link of another secret', linkTo(signLink(content, `${SECRET}!`))],
    ['with a link that was cut', linkTo(signLink(content, SECRET).slice(0, -1))],
    ['with a link without a signature', linkTo(signLink(content, SECRET).replace(/\..*/, ''))],
    [
      'with a link to another record',
      linkTo(tampered(signLink(content, SECRET), (text) => text.replace('pay-7', 'pay-8'))),
    ],
    [
      'with another answer in it',
      linkTo(tampered(signLink(content, SECRET), (text) => text.replace('complete', 'fail'))),
    ],
    ['with text that is no link', linkTo('<script>alert(1)</script>')],
  ])('%s is refused, and reads no record', async (_, url) => {
    const { request, harness } = world();
    harness.store.records.get = () => Promise.reject(new Error('a record was read'));
    for (const method of ['GET', 'POST']) {
      const { statusCode, body } = await request(method, url);
      expect(statusCode).toBe(403);
      expect(body).toContain('This link is not valid');
      expect(body).not.toContain('alert');
    }
  });

  it('with a broken form, or with an empty one, is refused', async () => {
    const { ask, request, log } = world();
    const url = await ask({ answers: { Done: 'complete' } });
    const multipart = 'multipart/form-data; boundary=x';
    for (const headers of [{ 'content-type': multipart }, { 'content-type': 'multipart/form-data' }])
      expect((await request('POST', url, { headers, body: 'bad' })).statusCode).toBe(400);
    expect((await request('POST', url)).statusCode).toBe(400);
    expect(log()).toEqual([]);
  });

  it('with a link of an earlier version is known still: people have them in their mails', () => {
    const link =
      'eyJpZCI6ImEiLCJ0b2tlbiI6InQiLCJhbnN3ZXJzIjpbWyJZZXMiLCJjb21wbGV0ZSJdXX0.k6zHHKy2VeasbHVxzrO7YFdN40JNruFw5ZVaJPP3UD4';
    expect(readLink(link, [SECRET])).toEqual({
      ...{ id: 'a', token: 't' },
      answers: new Map([['Yes', 'complete']]),
    });
  });

  it('is valid at a domain in front of the URL, which has a path of its own', async () => {
    const { ask, get } = world();
    const url = await ask({ url: 'https://pay.example.com/approvals/?lang=de' });
    expect((await get(url)).statusCode).toBe(200);
  });

  it('of another method, and with a large body, is refused', async () => {
    const { ask, request, click } = world();
    const url = await ask();
    for (const method of ['PUT', 'DELETE', 'PATCH'])
      expect((await request(method, url)).statusCode).toBe(405);
    expect((await click(url, { answer: 'Approve', note: 'x'.repeat(20_000) })).statusCode).toBe(413);
  });

  it('that fails says that it is not known what was noted, and logs why', async () => {
    const { ask, click, harness, log } = world();
    const url = await ask();
    harness.store.records.get = () => Promise.reject(new Error('no answer of the table'));
    const { statusCode, body } = await click(url, { answer: 'Approve' });
    expect(statusCode).toBe(503);
    expect(body).toContain('it is not known whether your answer was noted');
    expect(body).not.toContain('no answer of the table');
    expect(log()).toEqual([
      expect.objectContaining({ level: 'ERROR', message: 'a link could not be answered' }),
    ]);
  });
});

describe('the secret of links', () => {
  const NEWER = 'another-secret-that-signs-links-of-tests';

  it('is read once in five minutes, and for a link that it has not signed once in a minute', async () => {
    const versions: Partial<Record<string, string>> = { AWSCURRENT: SECRET };
    const reads: string[] = [];
    const clock = { now: START };
    const { ask, get } = world({
      now: () => clock.now,
      fetchSecret: async (_, stage) => {
        reads.push(stage);
        return versions[stage];
      },
    });
    const url = await ask();
    const statusOf = async (link: string, seconds: number) => {
      clock.now = START + 1000 * seconds;
      return [(await get(link)).statusCode, reads.length];
    };
    const newer = (link: string) => {
      const { id, token, answers } = readLink(new URL(link).searchParams.get('link') ?? '', [SECRET]) ?? {};
      return `${URL_OF_FUNCTION}?link=${signLink({ id, token, answers } as CompletionLink, NEWER)}`;
    };
    expect(await statusOf(url, 0)).toEqual([200, 2]);
    Object.assign(versions, { AWSCURRENT: NEWER, AWSPREVIOUS: SECRET });
    expect(await statusOf(newer(url), 59)).toEqual([403, 2]);
    expect(await statusOf(newer(url), 61)).toEqual([200, 4]);
    // The link from before the rotation is valid still.
    expect(await statusOf(url, 62)).toEqual([200, 4]);
    Object.assign(versions, { AWSCURRENT: `${NEWER}-2`, AWSPREVIOUS: NEWER });
    expect(await statusOf(url, 360)).toEqual([200, 4]);
    expect(await statusOf(url, 362)).toEqual([403, 6]);
  });

  it('stays in use while it cannot be read again, and without it nothing is said to be invalid', async () => {
    let fails = false;
    const clock = { now: START };
    const { ask, get, log } = world({
      now: () => clock.now,
      fetchSecret: async (_, stage) => {
        if (fails) throw new Error('throttled');
        return stage === 'AWSCURRENT' ? SECRET : undefined;
      },
    });
    const url = await ask();
    await get(url);
    fails = true;
    clock.now += 600_000;
    expect((await get(url)).statusCode).toBe(200);
    expect(log()).toEqual([expect.objectContaining({ level: 'WARN', reason: 'throttled' })]);
    const other = world({ fetchSecret: () => Promise.reject(new Error('denied')) });
    expect((await other.get(await other.ask())).statusCode).toBe(503);
  });

  it.each([
    ['too short', 'short', 'expected a secret of at least 32 characters in arn:of-the-secret, got 5'],
    ['no text', undefined, 'expected a text in the secret arn:of-the-secret, got none'],
  ])('that is %s is an error, and is not shown', async (_, value, reason) => {
    const { ask, get, log } = world({ fetchSecret: async () => value });
    expect((await get(await ask())).statusCode).toBe(503);
    expect(JSON.stringify(log())).toContain(reason);
  });
});

describe('completionUrl', () => {
  const given = { url: URL_OF_FUNCTION };
  const urlWith = (options: unknown, id: unknown = 'a', token: unknown = 't') =>
    completionUrl(id as string, token as string, options as Options);

  it('offers to complete and to fail, by default, and keeps what the URL has', async () => {
    const url = new URL(await urlWith({ ...given, url: 'https://pay.example.com/approve?lang=de' }));
    expect([url.origin, url.pathname, url.searchParams.get('lang')]).toEqual([
      ...['https://pay.example.com', '/approve', 'de'],
    ]);
    const link = readLink(url.searchParams.get('link') ?? '', ['other', SECRET]);
    expect(link).toEqual({
      ...{ id: 'a', token: 't' },
      answers: new Map([
        ['Complete', 'complete'],
        ['Fail', 'fail'],
      ]),
    });
  });

  it.each<[unknown, string]>([
    [
      { answers: {} },
      'completionUrl.answers: expected 1 to 5 answers with labels of 1 to 30 characters, got 0 answers',
    ],
    [
      { answers: { a: 'done' } },
      'completionUrl.answers.a: expected "complete", "fail" or "heartbeat", got "done"',
    ],
    [{ answers: { ['x'.repeat(31)]: 'fail' } }, 'labels of 1 to 30 characters, got "xxx'],
    [{ question: 'x'.repeat(201) }, 'completionUrl.question: expected 1 to 200 characters'],
    [{ by: '' }, 'completionUrl.by: expected 1 to 64 characters'],
    [{ url: 'ftp://example.com' }, 'completionUrl.url: expected an https URL'],
    [{ timeout: '1h' }, 'timeout'],
    [
      { url: undefined },
      'completionUrl: expected the option "url", or the variable BACKLOG_COMPLETION_URL, which the construct sets',
    ],
  ])('refuses %j', async (options, reason) => {
    await expect(urlWith({ ...given, ...(options as object) })).rejects.toThrow(reason);
  });

  it('needs the secret, from Secrets Manager or as a variable', async () => {
    vi.stubEnv('BACKLOG_COMPLETION_SECRET_VALUE', 'short');
    await expect(urlWith(given)).rejects.toThrow(
      'completionUrl: expected a secret of at least 32 characters in BACKLOG_COMPLETION_SECRET_VALUE, got 5',
    );
    vi.stubEnv('BACKLOG_COMPLETION_SECRET_VALUE', undefined);
    await expect(urlWith(given)).rejects.toThrow(
      'completionUrl: expected the variable BACKLOG_COMPLETION_SECRET,',
    );
  });

  it('refuses what is no id or token, and a link that is too long for mails', async () => {
    await expect(urlWith(given, null)).rejects.toThrow('completionUrl: expected the id as text, got null');
    await expect(urlWith(given, 'a', {})).rejects.toThrow('completionUrl: expected the token as text');
    await expect(urlWith(given, 'i'.repeat(1800))).rejects.toThrow(
      /expected a URL of at most 2000 characters, got \d{4}: .*\(1800 characters\)/,
    );
  });
});
