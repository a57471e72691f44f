import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseQueueEvent } from '../../functions/intake/queue-event.js';
import { type AsyncResult, asyncInvocations } from '../../tools/src/local/async-invocations.js';
import type { Invocation } from '../../tools/src/local/sandbox/sandbox.js';
import type { GivenUp } from '../../tools/src/local/sandbox/sandbox-pool.js';
import type { LocalFunction } from '../../tools/src/local/template/local-app.js';

const lambda = (name: string, failureQueue?: string): LocalFunction => ({
  name,
  handler: 'index.handler',
  folder: '.',
  timeoutSeconds: 3,
  memoryMb: 128,
  environment: {},
  failureQueue,
});

const EVENT = { queue: 'orders', arrivals: { batch: '17/2', ids: ['a', 'b'] } };

async function startWith(invocation: Invocation | GivenUp, failureQueue?: string) {
  const sent: { queue: string; body: string; delaySeconds: number }[] = [];
  const results: AsyncResult[] = [];
  const invocations = asyncInvocations({
    find: (name) => (name === 'Orders' ? lambda(name, failureQueue) : undefined),
    invoke: async () => invocation,
    send: (queue, body, delaySeconds) => sent.push({ queue, body, delaySeconds }) > 0,
    onResult: (result) => results.push(result),
  });
  invocations.start('Orders', EVENT);
  await vi.waitFor(() => expect(results).toHaveLength(1));
  await Promise.resolve();
  return { sent, result: results[0], has: invocations.has };
}

describe('an asynchronous invocation', () => {
  it('is of a function of the app', async () => {
    const { has } = await startWith({ type: 'result', value: null });
    expect([has('Orders'), has('Ordres')]).toEqual([true, false]);
    expect(has('arn:aws:lambda:us-east-1:000000000000:function:Orders')).toBe(true);
  });

  it('tells how it came out, and leaves no record where it succeeded', async () => {
    const { sent, result } = await startWith({ type: 'result', value: { attempted: 2 } }, 'Redelivery');
    expect(result).toMatchObject({ functionName: 'Orders', event: EVENT, invocation: { type: 'result' } });
    expect(sent).toEqual([]);
  });

  it.each<[Invocation | GivenUp, string]>([
    [{ type: 'error', name: 'TypeError', message: 'no such thing' }, 'RetriesExhausted'],
    [{ type: 'exited', message: 'Runtime exited with exit status 3' }, 'RetriesExhausted'],
    [{ type: 'timedOut', message: 'Task timed out after 3 seconds' }, 'RetriesExhausted'],
    [{ type: 'givenUp', message: 'no sandbox was free for 60 seconds' }, 'EventAgeExceeded'],
  ])('that ends with %j leaves the event at its destination, as Lambda words it', async (invocation, why) => {
    const { sent } = await startWith(invocation, 'Redelivery');
    expect(sent).toMatchObject([{ queue: 'Redelivery', delaySeconds: 0 }]);
    const record = JSON.parse(sent[0]?.body ?? '');
    expect(record).toMatchObject({
      version: '1.0',
      requestContext: { condition: why, approximateInvokeCount: 1 },
      requestPayload: EVENT,
      responsePayload: {
        errorMessage: expect.stringContaining(invocation.type === 'result' ? '' : invocation.message),
      },
    });
    expect(Date.parse(record.timestamp)).toBeGreaterThan(Date.now() - 60_000);
  });

  it('leaves a record that the intake reads as that of a lost run', async () => {
    const exited = { type: 'exited', message: 'exit status 3', requestId: 'r-1' } as const;
    const { sent } = await startWith(exited, 'Redelivery');
    const message = { eventSource: 'aws:sqs', messageId: 'm', body: sent[0]?.body };
    expect(parseQueueEvent({ Records: [message] })).toEqual([
      {
        ...{ type: 'redelivered', messageId: 'm', ids: ['a', 'b'], lost: true, swept: false },
        died: {
          invocation: 'r-1',
          functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:Orders',
          event: EVENT,
        },
      },
    ]);
  });

  it.each<[Invocation, boolean]>([
    [{ type: 'exited', message: 'Runtime exited with signal SIGKILL' }, true],
    [{ type: 'timedOut', message: 'Task timed out after 3 seconds' }, true],
    [{ type: 'error', name: 'Error', message: 'Task timed out after 3 seconds' }, false],
  ])(
    'that a rule has started and that ends with %j tells whether its process has died',
    async (ended, died) => {
      const sent: string[] = [];
      const { invoke } = asyncInvocations({
        find: (name) => lambda(name, 'Redelivery'),
        invoke: async () => ended,
        send: (_, body) => sent.push(body) > 0,
        onResult: () => {},
      });
      expect(await invoke('Orders', { queue: 'orders' })).toEqual(ended);
      const message = { eventSource: 'aws:sqs', messageId: 'm', body: sent[0] };
      const [read] = parseQueueEvent({ Records: [message] });
      expect(read).toMatchObject({ type: 'foreign', messageId: 'm' });
      expect(read?.type === 'foreign' && read.died !== undefined).toBe(died);
    },
  );

  it('leaves no record where the function has no destination', async () => {
    const { sent } = await startWith({ type: 'exited', message: 'exit status 3' });
    expect(sent).toEqual([]);
  });
});

describe('what starts functions', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function hanging() {
    const ends: (() => void)[] = [];
    const invocations = asyncInvocations({
      find: () => lambda('Orders'),
      invoke: () =>
        new Promise((resolve) => {
          ends.push(() => resolve({ type: 'result', value: null }));
        }),
      send: () => true,
      onResult: () => {},
    });
    const isWelcome = async (isFull = false) => {
      let welcome = false;
      void invocations
        .whenWelcome(() => isFull)
        .then(() => {
          welcome = true;
        });
      await vi.advanceTimersByTimeAsync(50);
      return welcome;
    };
    return { ends, start: () => invocations.start('Orders', EVENT), isWelcome };
  }

  it('is told to wait while one has just begun, until it ends or has taken half a second', async () => {
    const { ends, start, isWelcome } = hanging();
    start();
    expect(await isWelcome()).toBe(false);
    ends[0]?.();
    expect(await isWelcome()).toBe(true);
    start();
    expect(await isWelcome()).toBe(false);
    await vi.advanceTimersByTimeAsync(500);
    expect(await isWelcome()).toBe(true);
  });

  it('need not wait for one that has just begun if there is as much to do as can be', async () => {
    const { start, isWelcome } = hanging();
    for (let i = 0; i < 2; i++) start();
    expect(await isWelcome(true)).toBe(true);
    start();
    expect(await isWelcome(true)).toBe(false);
  });

  it('is told to wait while three are at work, but not for those that hang', async () => {
    const { start, isWelcome } = hanging();
    for (let i = 0; i < 3; i++) start();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(await isWelcome()).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await isWelcome()).toBe(true);
  });
});
