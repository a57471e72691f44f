import { describe, expect, it } from 'vitest';
import { type BacklogHandlerOptions, backlogHandler } from '../../functions/index.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { context, workbench } from '../functions/support.js';

interface Demonstration {
  readonly queues: QueuesSettings;
  /** Options in the code of the first queue's handler. */
  readonly code?: Pick<BacklogHandlerOptions, 'retry'>;
  /** Seconds between two firings of the rules of all queues. */
  readonly every: number;
  readonly forSeconds: number;
}

/** A job is dispatched to the first queue, where it is attempted at once; each attempt fails. */
async function dispatch({ queues, code = {}, every, forSeconds }: Demonstration) {
  const bench = workbench(queues);
  const start = bench.clock.now();
  const attempts: { queue: string; second: number }[] = [];
  const handlers = Object.keys(queues).map((queue, i) => {
    const process = () => {
      attempts.push({ queue, second: (bench.clock.now() - start) / 1000 });
      throw new Error('Always fails');
    };
    const handler = backlogHandler({ queue, process, ...(i === 0 ? code : {}), ...bench.overrides });
    return { queue, fire: (event: object = {}) => handler({ queue, ...event }, context) };
  });
  const [first] = handlers;
  bench.store.put({ id: 'job', status: 'NEW', queue: first?.queue, payload: {} });
  await first?.fire({ arrivals: { batch: 'dispatch', ids: ['job'] } });
  for (let second = every; second <= forSeconds; second += every) {
    bench.clock.advance(every);
    for (const { fire } of handlers) await fire();
  }
  const [job] = bench.store.items();
  return { attempts, waits: gaps(attempts.map(({ second }) => second)), job };
}

function gaps(seconds: readonly number[]): number[] {
  return seconds.slice(1).map((second, i) => second - (seconds[i] ?? 0));
}

describe('a job that always fails', () => {
  it('a two-minute interval and a queue for retries: it retries there every two minutes, and keeps going', async () => {
    const retry = { type: 'constant', interval: 2 * 60, jitter: 'none' } as const;
    const { attempts, waits, job } = await dispatch({
      queues: {
        interval: { retryMode: 'perRecord', retry, retryQueue: 'retries' },
        retries: { retryMode: 'perRecord', retry },
      },
      every: 60,
      forSeconds: 100 * 120,
    });
    expect(attempts.map(({ queue }) => queue)).toEqual(['interval', ...Array(100).fill('retries')]);
    expect(waits).toEqual(Array(100).fill(120));
    expect(job).toMatchObject({ status: 'ERROR', queue: 'retries', lane: 'retries', failures: 101 });
  });
});
