import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Queues, type QueuesOptions } from '../../../tools/src/local/queues/queues.js';
import type { Invocation } from '../../../tools/src/local/sandbox/sandbox.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function queuesWith(invocation: Invocation = { type: 'result', value: null }) {
  const events: { name: string; bodies: string[] }[] = [];
  const unread: string[] = [];
  const sent: string[] = [];
  const app: QueuesOptions['app'] = {
    queues: [
      { name: 'Redelivery', maxReceives: 2, deadLetterQueue: 'GivenUp' },
      { name: 'GivenUp', maxReceives: Number.POSITIVE_INFINITY, deadLetterQueue: undefined },
      { name: 'Lonely', maxReceives: 1, deadLetterQueue: undefined },
    ],
    queueReaders: [
      { queue: 'Redelivery', functionName: 'Intake', batchSize: 10 },
      { queue: 'Lonely', functionName: 'Other', batchSize: 1 },
    ],
  };
  const queues = new Queues({
    app,
    region: 'us-east-1',
    invoke: async (name, event) => {
      const { Records } = event as { Records: { body: string }[] };
      events.push({ name, bodies: Records.map(({ body }) => body) });
      return invocation;
    },
    onUnread: (queue, body) => unread.push(`${queue}: ${body}`),
    onSent: (queue) => sent.push(queue),
  });
  return { app, queues, events, unread, sent };
}

describe('the queues of an app', () => {
  it('report each message that is put into one of them, and no other', () => {
    const { queues, sent } = queuesWith();
    expect(['Redelivery', 'GivenUp', 'Elsewhere'].map((name) => queues.send(name, 'a', 0))).toEqual([
      true,
      true,
      false,
    ]);
    expect(sent).toEqual(['Redelivery', 'GivenUp']);
  });

  it('hand messages to the function that reads them', async () => {
    const { queues, events, unread } = queuesWith();
    expect(queues.send('Redelivery', 'a', 0)).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events).toEqual([{ name: 'Intake', bodies: ['a'] }]);
    expect(unread).toEqual([]);
  });

  it('say which queue the app does not have', () => {
    expect(queuesWith().queues.send('Retruns', 'a', 0)).toBe(false);
  });

  it('leave to the dead letters what a function failed on, where an operator sees it', async () => {
    const { queues, events, unread } = queuesWith({ type: 'exited', message: 'exit status 1' });
    queues.send('Redelivery', 'a', 0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events).toHaveLength(2);
    expect(unread).toEqual(['GivenUp: a']);
  });

  it('report a message that failed too often and has no queue of dead letters', async () => {
    const { queues, unread } = queuesWith({ type: 'error', name: 'Error', message: 'no' });
    queues.send('Lonely', 'b', 0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(unread).toEqual(['Lonely: b']);
  });

  it('hand nothing over once they are stopped', async () => {
    const { queues, events } = queuesWith();
    queues.send('Redelivery', 'a', 5);
    queues.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events).toEqual([]);
  });

  it('keep what waits when the app is another one, for the function that reads them now', async () => {
    const { app, queues, events } = queuesWith();
    queues.send('Redelivery', 'a', 30);
    queues.send('Lonely', 'dropped', 30);
    queues.replace({
      queues: [...app.queues.slice(0, 2), { name: 'New', maxReceives: 1, deadLetterQueue: undefined }],
      queueReaders: [
        { queue: 'Redelivery', functionName: 'Other', batchSize: 10 },
        { queue: 'New', functionName: 'Other', batchSize: 10 },
      ],
    });
    expect([queues.send('Lonely', 'b', 0), queues.send('New', 'c', 0)]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events).toEqual([
      { name: 'Other', bodies: ['c'] },
      { name: 'Other', bodies: ['a'] },
    ]);
  });
});
