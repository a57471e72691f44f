import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Process } from '../../functions/index.js';
import {
  backlogMatchers,
  fakeFetch,
  type HandlerFindingError,
  hang,
  type NotIdempotentError,
  testBacklog,
} from '../../src/testing/index.js';

expect.extend(backlogMatchers);
afterEach(() => {
  vi.useRealTimers();
});

const EXACT = { type: 'constant', interval: '5m', jitter: 'none' } as const;
const START = { now: '2026-01-01T00:00:00Z' };
const rejection = <Type>(promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error as Type,
  );

describe('an attempt that does real work', () => {
  it('has all the real time that it needs, while virtual time is frozen', async () => {
    const times: number[] = [];
    const backlog: ReturnType<typeof testBacklog> = testBacklog({
      queues: {
        default: {
          attemptTimeout: 1,
          process: async () => {
            times.push(backlog.now.getTime());
            await sleep(20);
            times.push(backlog.now.getTime());
          },
        },
      },
      ...START,
    });
    for (let i = 0; i < 25; i++) await backlog.insert({});
    expect(await backlog.drain()).toMatchObject({ succeeded: 25 });
    expect(new Set(times)).toEqual(new Set([Date.parse(START.now)]));
  });

  it('works under fake timers', async () => {
    vi.useFakeTimers({ now: Date.parse('2027-06-01T12:00:30Z') });
    const backlog = testBacklog({
      queues: { default: { process: fakeProcess('ERP is down', undefined), retry: EXACT } },
    });
    expect(backlog.now).toEqual(new Date('2027-06-01T12:00:00Z'));
    await backlog.insert({ id: 'r' });
    await backlog.runUntilSettled();
    expect(backlog.record('r')).toHaveSucceeded();
  });
});

describe('an attempt that hangs', () => {
  it('meets its time limit, and is no finding if it keeps to its signal', async () => {
    const backlog = testBacklog({
      queues: { default: { process: hang(), retry: { ...EXACT, maxAttempts: 2 } } },
      grace: 0.03,
      ...START,
    });
    await backlog.insert({ id: 'h' });
    await backlog.runUntilSettled();
    expect(backlog.record('h')).toBeDead({ error: 'AttemptTimeout' });
    expect(backlog.findings).toEqual([]);
  });

  it('may take a while, in real time, to end after its signal was aborted', async () => {
    const process: Process = async (record, context) => {
      await hang()(record, context).catch(() => sleep(20));
    };
    const backlog = testBacklog({ queues: { default: { process, retry: EXACT } }, grace: 0.1, ...START });
    await backlog.insert({ id: 'h' });
    await backlog.advance('1m');
    expect(backlog.record('h')).toHaveSucceeded();
    expect(backlog.findings).toEqual([]);
  });

  it('and ignores its signal is found', async () => {
    const queues = { default: { process: hang({ ignoreSignal: true }), retry: EXACT } };
    const backlog = testBacklog({ queues, grace: 0.03, ...START });
    await backlog.insert({ id: 'h' });
    const error = await rejection<HandlerFindingError>(backlog.advance('10m'));
    expect(error).toMatchObject({
      name: 'HandlerFindingError',
      message:
        'attempt 1 of the record "h" (queue "default") goes on after its signal was aborted: pass context.signal to ' +
        'what it waits for, such as fetch(url, { signal })',
      findings: [{ type: 'ignoredSignal', id: 'h', attempt: 1 }],
    });
    const tolerant = testBacklog({ queues, grace: 0.03, throwFindings: false, ...START });
    await tolerant.insert({ id: 'h' });
    await tolerant.advance('10m');
    expect(tolerant.findings).toHaveLength(1);
    expect(tolerant.history('h')[0]).toMatchObject({ name: 'AttemptTimeout' });
  });
});

describe('idempotency', () => {
  const charges: string[] = [];
  const booked = new Map<string, unknown>();
  const careless: Process = ({ id }) => void charges.push(id);
  const careful: Process = ({ id, payload }) => void booked.set(id, payload);
  const refusing: Process = ({ id }) => {
    if (booked.has(id)) throw new Error('duplicate key');
    booked.set(id, true);
  };
  afterEach(() => {
    charges.length = 0;
    booked.clear();
  });

  for (const how of [
    { firstAttempt: 'onInsert' },
    { firstAttempt: 'scheduled' },
    { progressive: true },
  ] as const) {
    it(`expectIdempotent, with ${JSON.stringify(how)}`, async () => {
      const backlogOf = (process: Process) =>
        testBacklog({ queues: { default: { process, ...how } }, ...START });
      const insert = async (process: Process) => {
        const backlog = backlogOf(process);
        await backlog.client.insert({ id: 'r', payload: { total: 7 } });
        return backlog;
      };
      await (await insert(careful)).expectIdempotent('r', () => [...booked]);
      booked.clear();
      const repeated = (await insert(careless)).expectIdempotent('r', () => charges);
      expect(await rejection<NotIdempotentError>(repeated)).toMatchObject({
        name: 'NotIdempotentError',
        message: expect.stringMatching(
          /^record "r": the second attempt .* first: \["r"\]; .* second: \["r","r"\]/,
        ),
        first: ['r'],
        second: ['r', 'r'],
      });
      const again = (await insert(refusing)).expectIdempotent('r', () => [...booked]);
      expect((await rejection<Error>(again))?.message).toContain(
        'the second attempt of the same work failed',
      );
    });
  }

  it('attemptEachTwice: each success comes twice, in every test that has it', async () => {
    const queues = { default: { process: careless } };
    const backlog = testBacklog({ queues, attemptEachTwice: true, ...START });
    await backlog.insert({ id: 'r' });
    expect(await backlog.drain()).toMatchObject({ attempted: 1, succeeded: 1 });
    expect(charges).toEqual(['r', 'r']);
    const other = testBacklog({ queues: { default: { process: refusing } }, attemptEachTwice: true });
    await other.insert({ id: 'r' });
    expect(await rejection<HandlerFindingError>(other.drain())).toMatchObject({
      findings: [{ type: 'failedAgain', id: 'r' }],
      message: expect.stringContaining('failed when it was attempted again: Error: duplicate key'),
    });
  });

  it('redeliver: the outcome of the last attempt is lost', async () => {
    const backlog = testBacklog({ queues: { default: { process: careless } }, ...START });
    await backlog.insert({ id: 'r' });
    await expect(backlog.redeliver('r')).rejects.toThrow('record "r" was not attempted yet');
    await backlog.drain();
    expect(await backlog.redeliver('r')).toMatchObject({ attempted: 1, succeeded: 1 });
    expect(charges).toEqual(['r', 'r']);
    expect(backlog.record('r')).toMatchObject({ attempts: 1, status: 'SUCCESS' });
  });
});

function fakeProcess(...messages: readonly (string | undefined)[]): Process {
  const send = fakeFetch(
    ...messages.map((message) => (message === undefined ? 200 : { status: 503, body: message })),
  );
  return async (_, { signal }) => {
    const response = await send('http://erp.test/', { signal });
    if (!response.ok) throw new Error(await response.text());
  };
}
