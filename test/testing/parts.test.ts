import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Cancel, Dead, defineTask, RetryAfter, Snooze } from '../../functions/index.js';
import {
  assertDead,
  assertInserted,
  assertSucceeded,
  assertWaiting,
  backlogMatchers,
  failTimes,
  fakeFetch,
  hang,
  perform,
  retryAfter,
  testBacklog,
} from '../../src/testing/index.js';

expect.extend(backlogMatchers);

const EXACT = { type: 'constant', interval: '2h', jitter: 'none' } as const;
const START = { now: '2026-01-01T00:00:00Z' };
const mail = defineTask({
  name: 'mail',
  queue: 'mails',
  schema: z.object({ to: z.email(), language: z.string().default('en') }),
  perform: ({ to, language }, { record, attempt, logger }) => {
    logger.info('mailed', { to, language, id: record.id, attempt });
  },
});
const messageOf = (act: () => unknown) => {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('perform', () => {
  it('hands over the payload as its handler would read it', async () => {
    const seen: unknown[] = [];
    await perform(({ payload }) => void seen.push(payload), { a: undefined, b: [{ c: undefined }], n: 12n });
    expect(seen).toStrictEqual([{ b: [{}], n: 12 }]);
  });

  it('one attempt of a task, with what its schema makes of the payload', async () => {
    const { outcome, logs } = await perform(mail, { to: 'a@example.com' }, { id: 'm-1', attempt: 3 });
    expect(outcome).toBe('succeeded');
    expect(logs).toEqual([
      {
        level: 'info',
        message: 'mailed',
        extra: { to: 'a@example.com', language: 'en', id: 'm-1', attempt: 3 },
      },
    ]);
    expect(await perform(mail, { to: 'nowhere' })).toMatchObject({
      outcome: 'dead',
      reason: expect.stringContaining('invalid payload: payload.to'),
    });
  });

  it.each([
    [new Error('down'), { outcome: 'failed', error: new Error('down') }],
    [new RetryAfter('2h'), { outcome: 'failed', waitSeconds: 7200 }],
    [new Dead('unknown'), { outcome: 'dead', reason: 'unknown' }],
    [new Snooze('1d', 'not yet'), { outcome: 'snoozed', waitSeconds: 86_400, reason: 'not yet' }],
    [new Cancel('withdrawn'), { outcome: 'cancelled', reason: 'withdrawn' }],
  ])('of a process that throws %s', async (thrown, expected) => {
    const result = await perform(() => {
      throw thrown;
    }, {});
    expect(result).toMatchObject(expected);
  });

  it('a time limit, and what is neither a task nor a function', async () => {
    const slow = await perform(hang(), {}, { timeout: 0.01 });
    expect(slow).toMatchObject({ outcome: 'failed', error: { name: 'TimeoutError' } });
    await expect(perform({} as never, {})).rejects.toThrow(
      'perform: expected a task that defineTask has made',
    );
  });
});

describe('fakes', () => {
  it('failTimes and retryAfter', async () => {
    const fake = failTimes(2, new TypeError('no'), (n) => Number(n) + 1);
    await expect(fake(1)).rejects.toThrow(TypeError);
    await expect(fake(1)).rejects.toThrow('no');
    expect(await fake(1)).toBe(2);
    await expect(retryAfter('2h')()).rejects.toMatchObject({ seconds: 7200 });
    expect(messageOf(() => failTimes(-1))).toBe('failTimes: expected a whole number of failures, got -1');
  });

  it('fakeFetch', async () => {
    const fetch = fakeFetch(503, { status: 429, headers: { 'retry-after': '120' } }, { body: { ok: true } });
    expect((await fetch('https://erp.test/orders/7', { method: 'PUT', body: '{}' })).status).toBe(503);
    expect((await fetch('https://erp.test/')).headers.get('retry-after')).toBe('120');
    for (let i = 0; i < 2; i++) expect(await (await fetch('https://erp.test/')).json()).toEqual({ ok: true });
    expect(fetch.requests[0]).toMatchObject({ method: 'PUT', url: 'https://erp.test/orders/7', body: '{}' });
    await expect(fakeFetch(new Error('ECONNRESET'))('http://a.test')).rejects.toThrow('ECONNRESET');
    await expect(fakeFetch('hang')('http://a.test', { signal: AbortSignal.timeout(5) })).rejects.toThrow();
    expect(messageOf(() => fakeFetch())).toBe('fakeFetch: expected at least one answer, got none');
  });
});

describe('matchers and assertions', () => {
  const backlogOf = async () => {
    const backlog = testBacklog({
      queues: {
        mails: { tasks: [mail] },
        failing: { process: failTimes(99), retry: EXACT },
        dead: { process: () => new Dead('unknown customer') },
      },
      ...START,
    });
    await backlog.client.insert(mail, { to: 'a@example.com' }, { id: 'm' });
    await backlog.insert({ id: 'f', queue: 'failing', payload: { lines: [1, 2] } });
    await backlog.insert({ id: 'd', queue: 'dead' });
    return backlog;
  };

  it('hold, and are refuted', async () => {
    const backlog = await backlogOf();
    expect(backlog).toHaveBeenInserted({
      task: mail,
      queue: 'mails',
      payload: { to: expect.stringContaining('@') },
    });
    expect(backlog).toHaveBeenInserted({ task: 'mail', status: 'NEW' });
    expect(backlog).toHaveBeenInserted({ id: 'f', payload: { lines: [1, 2] } });
    expect(backlog).not.toHaveBeenInserted({ payload: { lines: [1] } });
    assertInserted(backlog, { queue: 'dead' });
    await backlog.drain();
    const [sent, failed, dead] = ['m', 'f', 'd'].map((id) => backlog.record(id));
    if (!sent || !failed || !dead) throw new Error('three records');
    expect(sent).toHaveSucceeded();
    expect(failed).not.toHaveSucceeded();
    expect(dead).toBeDead({ reason: /customer/ });
    expect(failed).not.toBeDead();
    expect(failed).toBeWaiting({ for: '2h' });
    expect(failed).not.toBeWaiting({ for: '1h' });
    expect(failed).toBeWaiting({ until: '2026-01-01T02:00:00Z', within: 1 });
    expect(sent).not.toBeWaiting();
    assertSucceeded(sent);
    assertDead(dead, { reason: 'unknown customer' });
    assertWaiting(failed, { for: '2h' });
  });

  it('say what was expected, and where the record stands', async () => {
    const backlog = await backlogOf();
    const before = messageOf(() => assertInserted(backlog, { task: mail, payload: { to: 'b' } }));
    expect(before).toMatch(
      /^expected a record \{"task":"mail","payload":\{"to":"b"\}\} in the backlog\. The records:\n {2}record "m" \(queue "mails", task "mail"\): NEW, .*payload \{"to":"a@example.com"\}\n/,
    );
    await backlog.drain();
    const failed = backlog.record('f');
    const received =
      'received record "f" (queue "failing"): ERROR, 1 attempt, 1 failure, last error Error: failure 1 of 99, ' +
      'due in 2 h (2026-01-01T02:00:00.000Z)\n' +
      'its newest attempts:\n  attempt 1 at 2026-01-01T00:00:00.000Z failed: Error: failure 1 of 99';
    expect(messageOf(() => assertSucceeded(failed))).toBe(`expected it to have succeeded\n${received}`);
    expect(messageOf(() => expect(failed).toBeDead({ error: 'HttpError' }))).toBe(
      `expected it to be dead with the error "HttpError"\n${received}`,
    );
    expect(messageOf(() => expect(failed).not.toBeWaiting({ for: '2h' }))).toBe(
      `expected it not to be waiting for 2 h, give or take 12 min\n${received}`,
    );
    expect(messageOf(() => expect({}).toHaveSucceeded())).toBe(
      'toHaveSucceeded: expected a record of a backlog under test, as backlog.record(id), got {}',
    );
    expect(messageOf(() => expect(failed).toBeWaiting({ for: '1h', until: 'x' }))).toContain('got both');
    expect(messageOf(() => expect(1).toHaveBeenInserted())).toContain(
      'expected what testBacklog has returned, got 1',
    );
  });
});

describe('options', () => {
  const process = () => {};
  it.each([
    [{}, 'testBacklog.queues: expected record, got nothing'],
    [{ queues: {} }, 'testBacklog.queues: expected at least one queue, got {}'],
    [{ queues: { a: { process } }, when: 1 }, 'testBacklog: unknown option "when"'],
    [{ queues: { a: { process } }, now: 'noon' }, 'testBacklog.now: expected a Date, or a time such as'],
    [{ queues: { a: 7 } }, 'testBacklog.queues.a: expected a queue such as { handler }, got 7'],
    [
      { queues: { a: {} } },
      'expected one of "handler", "process" or "tasks", and "deliverTo", got none of them',
    ],
    [{ queues: { a: { process, retries: 1 } } }, 'testBacklog.queues.a: unknown option "retries"'],
    [{ queues: { a: { process, retry: { type: 'fibonaci' } } } }, 'did you mean "fibonacci"?'],
    [
      { queues: { a: { process, retry: { type: 'none' }, progressive: true } } },
      'either "retry" or "progressive", got both',
    ],
    [
      { queues: { a: { process, progressive: { tiers: [{ every: 7, untilAge: 9 }] } } } },
      'testBacklog.queues.a.retry',
    ],
    [
      { queues: { a: { process, retryQueue: 'bb' }, b: { process } } },
      'testBacklog.queues.a.retryQueue: expected one of the queues ("a", "b"), got "bb"; did you mean "b"?',
    ],
    [
      { queues: { a: { process, concurrency: 0 } } },
      'testBacklog.queues.a.concurrency: expected number to be >=1, got 0',
    ],
    [
      { queues: { a: { process, firstAttempt: 'now' } } },
      'testBacklog.queues.a.firstAttempt: expected "onInsert" or "scheduled", got "now"',
    ],
    [{ queues: { 'a b': { process } } }, 'expected the name of a queue'],
  ])('%j', (options, message) => {
    expect(messageOf(() => testBacklog(options as never))).toContain(message);
  });

  it('of calls', async () => {
    const backlog = testBacklog({ queues: { a: { process } }, ...START });
    await expect(backlog.advance('soon')).rejects.toThrow('advance: expected seconds or a duration');
    await expect(backlog.advanceTo('2025-01-01T00:00:00Z')).rejects.toThrow(
      'advanceTo: expected a time from 2026-01-01',
    );
    await expect(backlog.insert({ payload: new Map() })).rejects.toThrow('payload');
    expect(messageOf(() => backlog.record('x'))).toBe('no record "x": there is none at all');
  });
});
