import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type GivenUpBatch,
  StreamPump,
  type StreamPumpOptions,
  type StreamRecord,
} from '../../../tools/src/local/streams/stream-pump.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Event = { readonly Records: readonly StreamRecord[] };

function pumpWith(deliver: (event: Event) => Promise<unknown>, options: Partial<StreamPumpOptions> = {}) {
  const batches: string[][] = [];
  const pump = new StreamPump({
    region: 'us-east-1',
    streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Records/stream/local',
    keys: ['id'],
    viewType: 'NEW_IMAGE',
    batchSize: 100,
    bisects: false,
    matches: ({ dynamodb }) => (dynamodb.Keys.id as { S: string }).S !== 'ignored',
    deliver: async (event) => {
      batches.push(event.Records.map(idOf));
      return deliver(event);
    },
    ...options,
  });
  return { pump, batches, put: (id: string) => pump.add({ before: undefined, after: { id: { S: id } } }) };
}

const idOf = ({ dynamodb }: StreamRecord) => (dynamodb.Keys.id as { S: string }).S;

describe('what hands a stream over', () => {
  it('hands over what came together in one batch, as Lambda has it', async () => {
    const events: Event[] = [];
    const { pump, put } = pumpWith(async (event) => void events.push(event));
    put('a');
    put('ignored');
    pump.add({ before: { id: { S: 'b' } }, after: { id: { S: 'b' }, n: { N: '1' } } });
    pump.add({ before: { id: { S: 'c' } }, after: undefined });
    await vi.advanceTimersByTimeAsync(20);
    expect(events).toHaveLength(1);
    expect(events[0]?.Records).toMatchObject([
      {
        eventName: 'INSERT',
        eventSource: 'aws:dynamodb',
        dynamodb: { Keys: { id: { S: 'a' } }, NewImage: { id: { S: 'a' } } },
      },
      { eventName: 'MODIFY', dynamodb: { NewImage: { n: { N: '1' } } } },
      { eventName: 'REMOVE', dynamodb: { Keys: { id: { S: 'c' } } } },
    ]);
    expect(events[0]?.Records[2]?.dynamodb).not.toHaveProperty('NewImage');
    const numbers = events[0]?.Records.map(({ dynamodb }) => dynamodb.SequenceNumber) ?? [];
    expect([...numbers].sort()).toEqual(numbers);
  });

  it('keeps a batch of large images below 6 MB, as Lambda does', async () => {
    const { pump, batches } = pumpWith(async () => undefined);
    for (const id of 'abcdefgh') {
      const payload = { S: 'x'.repeat(id === 'g' ? 7_000_000 : 2_000_000) };
      pump.add({ before: undefined, after: { id: { S: id }, payload } });
    }
    await vi.advanceTimersByTimeAsync(5_000);
    expect(batches).toEqual([['a', 'b'], ['c', 'd'], ['e', 'f'], ['g'], ['h']]);
  });

  it('keeps the batches small, in their order, and one at a time', async () => {
    let atWork = 0;
    let most = 0;
    const { put, batches } = pumpWith(
      async () => {
        most = Math.max(most, ++atWork);
        await new Promise((resolve) => setTimeout(resolve, 100));
        atWork--;
      },
      { batchSize: 2 },
    );
    for (const id of ['a', 'b', 'c']) put(id);
    await vi.advanceTimersByTimeAsync(50);
    put('d');
    await vi.advanceTimersByTimeAsync(1000);
    expect(batches).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(most).toBe(1);
  });

  it('hands a single change over at once, and makes batches of many that come one after the other', async () => {
    const { put, batches } = pumpWith(async () => {});
    for (let i = 0; i < 100; i++) {
      put(String(i));
      await vi.advanceTimersByTimeAsync(5);
      if (i === 3) expect(batches).toHaveLength(1);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(batches.flat()).toHaveLength(100);
    expect(batches.length).toBeLessThanOrEqual(6);
  });

  it('does not wait for more than a batch takes', async () => {
    const { put, batches } = pumpWith(async () => {}, { batchSize: 2 });
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) put(id);
    await vi.advanceTimersByTimeAsync(50);
    expect(batches).toHaveLength(3);
  });

  it('gathers while no batch is welcome', async () => {
    const waiting: (() => void)[] = [];
    const whenWelcome = () => new Promise<void>((resolve) => waiting.push(resolve));
    const { put, batches } = pumpWith(async () => {}, { whenWelcome });
    for (const id of ['a', 'b', 'c']) {
      put(id);
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(batches).toEqual([]);
    waiting[0]?.();
    await vi.advanceTimersByTimeAsync(500);
    expect(batches).toEqual([['a', 'b', 'c']]);
    expect(waiting).toHaveLength(1);
  });

  it('comes again from the first that failed, after a pause', async () => {
    let fails = true;
    const { put, batches } = pumpWith(async ({ Records }) => {
      const second = Records[1]?.dynamodb.SequenceNumber;
      return { batchItemFailures: fails ? [{ itemIdentifier: second }] : [] };
    });
    for (const id of ['a', 'b', 'c']) put(id);
    await vi.advanceTimersByTimeAsync(100);
    expect(batches).toEqual([['a', 'b', 'c']]);
    fails = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(batches).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
  });

  it('comes again as it was while the function fails, whatever is put meanwhile', async () => {
    const { put, batches } = pumpWith(async () => {
      if (batches.length < 3) throw new Error('exit');
    });
    put('a');
    put('b');
    await vi.advanceTimersByTimeAsync(100);
    put('c');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(batches).toEqual([['a', 'b'], ['a', 'b'], ['a', 'b'], ['c']]);
  });

  it('comes in halves while the function fails, if the mapping says so', async () => {
    const done: string[] = [];
    const { put, batches } = pumpWith(
      async ({ Records }) => {
        const ids = Records.map(idOf);
        if (ids.includes('poison') && batches.length < 6) throw new Error('exit');
        done.push(...ids);
      },
      { bisects: true },
    );
    for (const id of ['a', 'b', 'poison', 'd']) put(id);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(batches.slice(0, 3)).toEqual([
      ['a', 'b', 'poison', 'd'],
      ['a', 'b'],
      ['poison', 'd'],
    ]);
    expect(done.sort()).toEqual(['a', 'b', 'd', 'poison']);
  });

  it('gives up what the function has failed on for too long, says where it was, and goes on', async () => {
    const done: string[] = [];
    const given: GivenUpBatch[] = [];
    let poison = '';
    const { put, batches } = pumpWith(
      async ({ Records }) => {
        const ids = Records.map(idOf);
        poison ||= Records.find((record) => idOf(record) === 'poison')?.dynamodb.SequenceNumber ?? '';
        if (ids.includes('poison')) throw new Error('out of memory');
        done.push(...ids);
      },
      { bisects: true, maxAgeSeconds: 60, givesUp: (batch) => void given.push(batch) },
    );
    for (const id of ['a', 'b', 'poison', 'd']) put(id);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(done).toEqual(['a', 'b']);
    expect(given).toEqual([]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(done).toEqual(['a', 'b', 'd']);
    expect(given).toMatchObject([
      {
        DDBStreamBatchInfo: {
          startSequenceNumber: poison,
          endSequenceNumber: poison,
          batchSize: 1,
          streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Records/stream/local',
        },
      },
    ]);
    expect(batches.at(-1)).toEqual(['d']);
  });

  it('ends with the runtime', async () => {
    const { pump, put, batches } = pumpWith(async () => {});
    put('a');
    pump.stop();
    put('b');
    await vi.advanceTimersByTimeAsync(1000);
    expect(batches).toEqual([]);
  });
});
