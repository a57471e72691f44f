import { describe, expect, it } from 'vitest';
import { makeHandler } from '../../functions/make-handler.js';
import type { Process } from '../../src/worker/index.js';
import { context, workbench } from './support.js';

/** A process that can be made ready, or not. */
function preparing(prepare: () => Promise<void>): Process & { prepared: number } {
  const state = Object.assign(() => {}, {
    prepared: 0,
    prepare: () => {
      state.prepared++;
      return prepare();
    },
  });
  return state;
}

const queues = {
  a: { retryMode: 'perRecord' },
  b: { retryMode: 'perRecord' },
  c: { retryMode: 'perRecord' },
} as const;

describe('several queues in one function', () => {
  it('run where nothing is lacking, and the invocation fails for the one that lacks something', async () => {
    const bench = workbench(queues);
    for (const queue of ['a', 'b', 'c']) await bench.insert({ id: queue, queue });
    const shared = preparing(async () => {});
    const lacking = preparing(() => Promise.reject(new Error('no access to the secret')));
    const handler = makeHandler(({ queue }) => (queue === 'b' ? lacking : shared), {}, bench.overrides);
    const event = { queues: { a: 1, b: 1, c: 1 } };
    await expect(handler(event, context)).rejects.toThrow('no access to the secret');
    expect(await bench.store.records.get('a')).toMatchObject({ status: 'SUCCESS' });
    expect(await bench.store.records.get('b')).toMatchObject({ status: 'NEW', attempts: 0 });
    expect(await bench.store.records.get('c')).toMatchObject({ status: 'SUCCESS' });
    expect([shared.prepared, lacking.prepared]).toEqual([1, 1]);
    expect(bench.log().filter(({ level }) => level === 'ERROR')).toMatchObject([{ message: 'run failed' }]);
  });
});
