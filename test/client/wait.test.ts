import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { BacklogClient, ConfigurationError, WaitTimeoutError } from '../../src/index.js';
import {
  MemoryStore,
  StoreAccessError,
  StoreThrottledError,
  StoreUnavailableError,
} from '../../src/store/index.js';
import { NOW } from '../store/records.js';

let store: MemoryStore;
let backlog: BacklogClient;
let now: number;
/** The events of a time, in milliseconds from the beginning. */
let then: (ms: number) => void;
let reads: number[];

beforeEach(() => {
  now = NOW;
  then = () => {};
  reads = [];
  const clock = {
    now: () => now,
    wall: () => now,
    sleep: async (ms: number) => {
      now += ms;
      then(now - NOW);
    },
  };
  store = new MemoryStore({ clock });
  const { get } = store.records;
  store.records.get = async (id) => {
    reads.push(Math.round(now - NOW));
    return get.call(store.records, id);
  };
  backlog = new BacklogClient({ table: 'records', store, clock });
});

const put = (more: object) => store.put({ id: 'r', queue: 'q', status: 'NEW', payload: { sum: 7 }, ...more });

describe('wait', () => {
  it('gives a record that has ended already, by one read', async () => {
    put({ status: 'SUCCESS', attempts: 1, result: '{"invoice":"INV-7"}' });
    expect(await backlog.wait<{ sum: number }>('r')).toMatchObject({
      status: 'SUCCESS',
      payload: { sum: 7 },
      result: { invoice: 'INV-7' },
    });
    expect(reads).toEqual([0]);
  });

  it('reads less and less often until it has ended', async () => {
    put({});
    then = (ms) => void (ms > 700 && put({ status: 'SUCCESS', attempts: 1, result: '8' }));
    expect(await backlog.wait('r')).toMatchObject({ result: 8 });
    expect(reads).toEqual([0, 100, 250, 475, 813]);
  });

  it('goes on through failures, and gives one that was given up', async () => {
    put({ status: 'ERROR', lane: 'q', dueAt: new Date(NOW).toISOString(), attempts: 1, failures: 1 });
    then = (ms) => void (ms > 10_000 && put({ status: 'DEAD', deadReason: 'maxAttempts', attempts: 2 }));
    expect(await backlog.wait('r')).toMatchObject({ status: 'DEAD', deadReason: 'maxAttempts' });
  });

  it('rejects when its time is up, with the record; its last read is at the end', async () => {
    put({ attempts: 1 });
    const error = await backlog.wait('r').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({
      message: 'wait: record "r" has not ended within 30 s: NEW, 1 attempt',
      record: { id: 'r', status: 'NEW' },
    });
    expect(reads).toHaveLength(15);
    expect(reads.at(-1)).toBe(30_000);
    await expect(backlog.wait('r', { timeout: 0 })).rejects.toThrow(WaitTimeoutError);
    expect(reads).toHaveLength(16);
  });

  it('gives nothing where there is no record, or no longer one', async () => {
    expect(await backlog.wait('absent')).toBeUndefined();
    put({});
    then = (ms) => void (ms > 100 && store.delete('r'));
    expect(await backlog.wait('r')).toBeUndefined();
  });

  it('ends at its signal, with the reason of it', async () => {
    put({});
    const ended = new AbortController();
    then = () => ended.abort(new Error('the caller is gone'));
    await expect(backlog.wait('r', { signal: ended.signal })).rejects.toThrow('the caller is gone');
    expect(reads).toEqual([0]);
    await expect(backlog.wait('r', { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
  });

  it('does not wait for a read that is under way when its signal is aborted', async () => {
    const ended = new AbortController();
    store.records.get = () => {
      setImmediate(() => ended.abort(new Error('the caller is gone')));
      return new Promise(() => {});
    };
    const waiting = backlog.wait('r', { signal: ended.signal });
    await expect(waiting).rejects.toThrow('the caller is gone');
  });

  it.each([StoreThrottledError, StoreUnavailableError])('reads again after a %o', async (Trouble) => {
    const { get } = store.records;
    store.records.get = async (id) => {
      const read = await get.call(store.records, id);
      if (reads.length % 2 === 1) throw new Trouble('no answer');
      return read;
    };
    put({});
    then = (ms) => void (ms > 700 && put({ status: 'SUCCESS', attempts: 1, result: '8' }));
    expect(await backlog.wait('r')).toMatchObject({ result: 8 });
    expect(reads).toHaveLength(6);
    put({});
    then = () => {};
    const error = await backlog.wait('r', { timeout: 0.05 }).catch((thrown: unknown) => thrown);
    expect([error, reads.length]).toEqual([expect.any(WaitTimeoutError), 8]);
    await expect(backlog.wait('r', { timeout: 0 })).rejects.toThrow('no answer');
  });

  it('ends at an error that stays', async () => {
    store.records.get = () => Promise.reject(new StoreAccessError('not allowed'));
    await expect(backlog.wait('r')).rejects.toThrow('not allowed');
  });

  it('does not show the payload where its error is printed', async () => {
    put({ payload: { card: '4111 1111' } });
    const error = await backlog.wait('r', { timeout: 0 }).catch((thrown: WaitTimeoutError) => thrown);
    expect(error).toMatchObject({ record: { payload: { card: '4111 1111' } } });
    expect(inspect(error) + JSON.stringify(error)).not.toContain('4111 1111');
  });

  it.each([
    [{ timeout: '2d' }, /^wait\.timeout: /],
    [{ timeout: -1 }, /^wait\.timeout: /],
    [{ timeout: 'soon' }, /^wait\.timeout: /],
    [{ signal: {} }, /^wait\.signal: /],
    [{ limit: 3 }, /limit/],
  ])('refuses %j', async (options, message) => {
    const refused = backlog.wait('r', options as never);
    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(backlog.wait('r', options as never)).rejects.toThrow(message);
  });

  it.each(['', 7, undefined])('refuses %j as an id', async (id) => {
    await expect(backlog.wait(id as string)).rejects.toThrow(/^wait: id: /);
  });
});
