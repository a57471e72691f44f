import { describe, expect, it } from 'vitest';
import { deliverByHttp } from '../../src/delivery/index.js';
import { attempt, type Ending, listen, type Received } from './support.js';

interface Entry {
  readonly id: string;
  readonly attempt: number;
  readonly payload: unknown;
}

const entriesOf = ({ body }: Received): Entry[] => JSON.parse(body.toString());
const linesOf = ({ body }: Received): Entry[] =>
  body
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A server that answers a request with what `answer` makes of its entries. */
const answering = (answer: (entries: Entry[]) => unknown, status = 200) =>
  listen((request, response) => {
    const said = answer(entriesOf(request));
    response.writeHead(status).end(typeof said === 'string' ? said : JSON.stringify(said));
  });

const ok = (entries: Entry[]) => ({ results: entries.map(({ id }) => ({ id, status: 200 })) });

/** Attempts of records, at the same time. */
async function attempts(
  options: Parameters<typeof deliverByHttp>[0],
  ids: readonly string[],
  item: (id: string) => Record<string, unknown> = (id) => ({ payload: { order: id } }),
  context: (id: string) => Parameters<typeof attempt>[2] = () => ({}),
): Promise<Record<string, Ending>> {
  const deliver = deliverByHttp({ batch: {}, ...options });
  const ends = await Promise.all(ids.map((id) => attempt(deliver, { id, ...item(id) }, context(id))));
  return Object.fromEntries(ids.map((id, i) => [id, ends[i] as Ending]));
}

describe('a request with several records', () => {
  it('is a JSON array with the id, the attempt and the payload of each', async () => {
    await using server = await answering(ok);
    const ends = await attempts({ url: server.url }, ['a', 'b'], undefined, (id) => ({
      attempt: id === 'a' ? 1 : 4,
    }));
    expect(ends).toEqual({ a: { ok: true }, b: { ok: true } });
    expect(server.received).toHaveLength(1);
    const [request] = server.received;
    expect(request?.body.toString()).toBe(
      '[{"id":"a","attempt":1,"payload":{"order":"a"}},{"id":"b","attempt":4,"payload":{"order":"b"}}]',
    );
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers).not.toHaveProperty('backlog-attempt');
  });

  it('has a line for each record, where these are asked for', async () => {
    await using server = await listen((request, response) => {
      const lines = linesOf(request).map(({ id }) => JSON.stringify({ id, status: id === 'b' ? 503 : 201 }));
      response.end(`${lines.join('\n')}\n`);
    });
    const options = { url: server.url, batch: { format: 'ndjson' } } as const;
    expect(await attempts(options, ['a', 'b'])).toMatchObject({
      a: { ok: true },
      b: { ok: false, error: { status: 503 } },
    });
    expect(await attempts(options, ['b'])).toMatchObject({ b: { ok: false, error: { status: 503 } } });
    expect(server.received[0]?.headers['content-type']).toBe('application/x-ndjson');
  });

  it('has the trace of each record that has one, and null for one without a payload', async () => {
    await using server = await answering(ok);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await attempts(
      { url: server.url },
      ['a', 'b'],
      () => ({}),
      (id) => (id === 'a' ? { traceparent } : {}),
    );
    expect(entriesOf(server.received[0] as Received)).toEqual([
      { id: 'a', attempt: 1, traceparent, payload: null },
      { id: 'b', attempt: 1, payload: null },
    ]);
  });

  it('has the same key for the same request alone, and is signed as one', async () => {
    await using server = await answering(ok);
    const options = { url: server.url, secret: 'a-secret-of-16-bytes' };
    await attempts(options, ['a', 'b']);
    await attempts(options, ['a', 'b']);
    await attempts(options, ['a', 'c']);
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^batch-[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    for (const { headers } of server.received) {
      expect(headers['webhook-id']).toBe(headers['idempotency-key']);
      expect(headers['webhook-signature']).toMatch(/^v1,/);
    }
  });

  it('has at most the records and the bytes that its options allow', async () => {
    await using server = await answering(ok);
    await attempts({ url: server.url, batch: { maxRecords: 2 } }, ['a', 'b', 'c']);
    expect(server.received.map((request) => entriesOf(request).length)).toEqual([2, 1]);
    server.received.length = 0;
    await attempts({ url: server.url, batch: { maxBytes: 30 } }, ['a', 'b', 'c']);
    expect(server.received.map((request) => entriesOf(request).length)).toEqual([2, 1]);
  });
});

describe('the answer to several records', () => {
  const statuses = [200, 204, 503, 422, 429, 302];
  const ids = statuses.map(String);
  const expected = {
    '200': { ok: true },
    '204': { ok: true },
    '503': { ok: false, error: { name: 'HttpError', status: 503, message: /HTTP 503 from .*: no stock$/ } },
    '422': { ok: false, error: { name: 'Dead', message: 'HTTP 422: no stock' } },
    '429': { ok: false, error: { name: 'RetryAfter', seconds: 70 } },
    '302': { ok: false, error: { name: 'Dead' } },
  };
  const resultOf = ({ id }: Entry) => ({
    id,
    status: Number(id),
    error: 'no stock',
    retryAfter: id === '429' ? 70 : undefined,
  });

  it.each([
    ['as results', (entries: Entry[]) => ({ results: entries.map(resultOf) })],
    ['as a list', (entries: Entry[]) => entries.map(resultOf).reverse()],
    ['as lines', (entries: Entry[]) => entries.map((entry) => JSON.stringify(resultOf(entry))).join('\n')],
  ])('gives each record its own status, %s', async (_, answer) => {
    await using server = await answering(answer);
    const ends = await attempts({ url: server.url }, ids);
    for (const [id, { error, ...end }] of Object.entries(expected) as [
      string,
      { ok: boolean; error?: Record<string, unknown> },
    ][]) {
      expect(ends[id]).toMatchObject(end);
      for (const [name, value] of Object.entries(error ?? {})) {
        const got = Reflect.get((ends[id] as { error: Error }).error, name);
        if (value instanceof RegExp) expect(got).toMatch(value);
        else expect(got).toBe(value);
      }
    }
    expect(server.received).toHaveLength(1);
  });

  it('means for each what the options say of its status', async () => {
    await using server = await answering((entries) => entries.map(resultOf));
    const ends = await attempts(
      { url: server.url, answers: { success: [302], notReady: [503], retry: ['4xx'] } },
      ids,
    );
    expect(ends).toMatchObject({
      '302': { ok: true },
      '503': { ok: false, error: { name: 'Snooze' } },
      '422': { ok: false, error: { name: 'HttpError' } },
    });
  });

  it('may name those that have failed, as handlers of SQS do', async () => {
    await using server = await answering(() => ({
      batchItemFailures: [
        { itemIdentifier: 'b', error: 'no stock' },
        { itemIdentifier: 'c', status: 422 },
      ],
    }));
    const ends = await attempts({ url: server.url }, ['a', 'b', 'c']);
    expect(ends).toMatchObject({
      a: { ok: true },
      b: {
        ok: false,
        error: {
          name: 'BatchItemFailure',
          message: `${server.origin} has named it in batchItemFailures: no stock`,
        },
      },
      c: { ok: false, error: { name: 'Dead' } },
    });
  });

  it('fails the records that it does not name', async () => {
    await using server = await answering((entries) => ok(entries.slice(1)));
    expect(await attempts({ url: server.url }, ['a', 'b', 'c'])).toMatchObject({
      a: {
        ok: false,
        error: {
          name: 'UnreadableAnswer',
          message: expect.stringContaining('expected a result for this record'),
        },
      },
      b: { ok: true },
      c: { ok: true },
    });
    expect(server.received).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['a text', 'OK'],
    ['another object', '{"ok":true}'],
    ['null', 'null'],
    ['a number', '200'],
    ['half of a list', '[{"id":"a","status":200},'],
    ['an unknown name', '{"batchItemFailures":[{"itemIdentifier":"A"}]}'],
    ['a failure without a name', '{"batchItemFailures":[{}]}'],
    [
      'hostile results',
      '[null,1,"a",{"id":{"toString":1}},{"id":"a","status":"200"},{"id":"b","error":{"toString":1}}]',
    ],
  ])('is a failure of each record where it is %s: silence is no success', async (_, body) => {
    await using server = await answering(() => body);
    const ends = await attempts({ url: server.url }, ['a', 'b']);
    expect(ends).toMatchObject({
      a: { ok: false, error: { name: 'UnreadableAnswer' } },
      b: { ok: false, error: { name: 'UnreadableAnswer' } },
    });
    expect(server.received).toHaveLength(1);
  });

  it('is waited for where it takes longer than that to a record alone', async () => {
    await using server = await listen((request, response) => {
      response.write('{"results":');
      setTimeout(() => response.end(`${JSON.stringify(ok(entriesOf(request)).results)}}`), 2_300);
    });
    expect(await attempts({ url: server.url }, ['a', 'b'])).toEqual({ a: { ok: true }, b: { ok: true } });
  });

  it('is not waited for where its status has said what happened', async () => {
    await using server = await listen((_, response) => void response.writeHead(429).write('slow'));
    const ends = await attempts({ url: server.url }, ['a']);
    expect(ends).toMatchObject({ a: { ok: false, error: { status: 429 } } });
  });

  it('that is cut off by the end of the attempt is no answer of the receiver', async () => {
    const end = new AbortController();
    await using server = await listen((_, response) => {
      response.write('{"results":');
      setTimeout(() => end.abort(new Error('time is up')), 50);
    });
    const ends = await attempts({ url: server.url }, ['a'], undefined, () => ({ signal: end.signal }));
    expect(ends).toMatchObject({ a: { ok: false, error: { message: 'time is up' } } });
  });

  it.each([
    [
      'two results for one record',
      (id: string) => [
        { id, status: 200 },
        { id, status: 500 },
        { id, status: 200 },
      ],
    ],
    ['a result and no name', (id: string) => ({ results: [{ id, status: 500 }], batchItemFailures: [] })],
  ])('is no success of a record where it has %s', async (_, answer) => {
    await using server = await answering(([entry]) => answer(String(entry?.id)));
    const ends = await attempts({ url: server.url }, ['a']);
    expect(ends).toMatchObject({ a: { ok: false } });
    expect(server.received).toHaveLength(1);
  });

  it('may have an error of any depth, which is that of one record', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    await using server = await answering(
      () => `[{"id":"a","status":500,"error":${deep}},{"id":"b","status":200},{"id":"c","status":200}]`,
    );
    expect(await attempts({ url: server.url }, ['a', 'b', 'c'])).toMatchObject({
      a: { ok: false, error: { status: 500 } },
      b: { ok: true },
      c: { ok: true },
    });
    expect(server.received).toHaveLength(1);
  });

  it('shows no beginning of a secret that comes far behind', async () => {
    const secret = 'Bearer abcdefghijklmnopqrstuvwxyz';
    await using server = await answering((entries) =>
      entries.map(({ id }) => ({ id, status: 500, error: `${' '.repeat(Number(id))}${secret}` })),
    );
    const ids = Array.from({ length: 120 }, (_, i) => String(10 * i));
    const options = { url: server.url, headers: { authorization: () => secret }, batch: { maxRecords: 200 } };
    for (const end of Object.values(await attempts(options, ids)))
      expect(String(end.ok || end.error)).not.toContain('bcd');
  });

  it('waits for each record as long as its result asks, and shows no error that is null', async () => {
    await using server = await answering((entries) =>
      entries.map(({ id }) => ({
        id,
        status: 503,
        error: null,
        retryAfter: id === 'a' ? '70' : id === 'b' ? 80 : -1,
      })),
    );
    expect(await attempts({ url: server.url }, ['a', 'b', 'c'])).toMatchObject({
      a: { error: { name: 'RetryAfter', seconds: 70, message: `HTTP 503 from ${server.origin}` } },
      b: { error: { name: 'RetryAfter', seconds: 80 } },
      c: { error: { name: 'HttpError' } },
    });
  });

  it('means nothing where it is cut off at the end of a line', async () => {
    const line = '{"id":"a","status":200}\n';
    await using server = await answering(() => line.repeat(3));
    const ends = await attempts({ url: server.url, maxResponseBytes: line.length }, ['a']);
    expect(ends).toMatchObject({ a: { ok: false, error: { name: 'UnreadableAnswer' } } });
  });

  it('costs little where it is long and has no result of hundreds of records', async () => {
    const text = `{"results":[],"more":"${'x\u200b '.repeat(200_000)}"}`;
    await using server = await answering(() => text);
    const ids = Array.from({ length: 1_000 }, (_, i) => `r-${i}`);
    const options = {
      url: server.url,
      headers: { authorization: () => 'Bearer abcdefghijklmnopqrstuvwxyz' },
    };
    const startedAt = performance.now();
    const ends = await attempts({ ...options, batch: { maxRecords: 1_000 } }, ids);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(Object.values(ends).every(({ ok }) => !ok)).toBe(true);
  });

  it.each(['__proto__', 'constructor', '7', 'a "quoted"\n\u2028 id'])(
    'names the record %j as any other',
    async (id) => {
      await using server = await answering(ok);
      expect(await attempts({ url: server.url }, [id, 'b'])).toEqual({ b: { ok: true }, [id]: { ok: true } });
    },
  );

  it('is cut off after its longest length, and means nothing then', async () => {
    await using server = await answering((entries) => ({ ...ok(entries), more: 'x'.repeat(2_000) }));
    const ends = await attempts({ url: server.url, maxResponseBytes: 1_000 }, ['a', 'b']);
    expect(ends).toMatchObject({
      a: { error: { message: expect.stringContaining('an answer that was cut off') } },
    });
  });

  it('shows no secret that the server sends back', async () => {
    const secret = 'Bearer abcdefghijklmnopqrstuvwxyz';
    await using server = await answering((entries) =>
      entries.map(({ id }) => ({ id, status: 500, error: `got ${secret}` })),
    );
    const { a } = await attempts({ url: server.url, headers: { authorization: () => secret } }, ['a']);
    expect(JSON.stringify(a)).not.toContain('abcdefghijklmnop');
    expect((a as { error: Error }).error.message).toContain('HTTP 500');
  });
});

describe('a request for several records that is refused as a whole', () => {
  it('is tried again with fewer, until the record is found that it is refused for', async () => {
    await using server = await listen((request, response) => {
      const entries = entriesOf(request);
      const isBad = entries.some(({ id }) => id === 'r-5');
      response.writeHead(isBad ? 400 : 200).end(isBad ? 'line 5: no order' : JSON.stringify(ok(entries)));
    });
    const ids = Array.from({ length: 16 }, (_, i) => `r-${i}`);
    const ends = await attempts({ url: server.url }, ids);
    for (const id of ids) {
      if (id === 'r-5')
        expect(ends[id]).toMatchObject({
          ok: false,
          error: { name: 'Dead', message: 'HTTP 400: line 5: no order' },
        });
      else expect(ends[id]).toEqual({ ok: true });
    }
    expect(server.received.length).toBeLessThanOrEqual(11);
  });

  it('is the end of those alone that were refused alone: it says little of the others', async () => {
    await using server = await listen((_, response) => response.writeHead(404).end('no such page'));
    const ends = Object.values(await attempts({ url: server.url }, ['a', 'b', 'c', 'd', 'e']));
    const names = ends.map((end) => (end.ok ? '' : end.error.name));
    expect(names.toSorted()).toEqual(['Dead', 'Dead', 'HttpError', 'HttpError', 'HttpError']);
    expect(ends.find((end) => !end.ok && end.error.name === 'HttpError')).toMatchObject({
      error: { status: 404, message: `HTTP 404 from ${server.origin}: no such page` },
    });
    expect(server.received).toHaveLength(3);
  });

  it('is a failure of all by a status that asks to wait, in one request', async () => {
    await using server = await listen((_, response) =>
      response.writeHead(429, { 'retry-after': '70' }).end(),
    );
    const ends = await attempts({ url: server.url }, ['a', 'b', 'c']);
    for (const end of Object.values(ends)) expect(end).toMatchObject({ ok: false, error: { seconds: 70 } });
    expect(server.received).toHaveLength(1);
  });

  it('puts all off where a secret cannot be read, and sends nothing', async () => {
    await using server = await answering(ok);
    const ends = await attempts(
      { url: server.url, headers: { 'x-key': () => Promise.reject(new Error('denied')) } },
      ['a', 'b'],
    );
    for (const end of Object.values(ends))
      expect(end).toMatchObject({ ok: false, error: { name: 'Snooze' } });
    expect(server.received).toEqual([]);
  });
});

describe('the options of a batch', () => {
  it.each([
    [{ maxRecords: 0 }, /deliverByHttp.batch.maxRecords/],
    [{ maxRecords: 1_001 }, /deliverByHttp.batch.maxRecords/],
    [{ maxBytes: 0 }, /deliverByHttp.batch.maxBytes/],
    [{ maxWait: '2m' }, /deliverByHttp.batch.maxWait/],
    [{ format: 'csv' }, /deliverByHttp.batch.format: expected "json" or "ndjson", got "csv"/],
    [{ size: 5 }, /deliverByHttp.batch: unknown option "size"/],
    [true, /deliverByHttp.batch/],
  ])('%o are refused by name', (batch, message) => {
    expect(() => deliverByHttp({ url: 'https://erp.example.com/orders', batch: batch as never })).toThrow(
      message,
    );
  });
});
