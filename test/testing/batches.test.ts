import { expect, it } from 'vitest';
import * as z from 'zod';
import { backlogHandler, Done, defineTask, deliverByHttp, inBatches } from '../../functions/index.js';
import { perform, testBacklog } from '../../src/testing/index.js';
import { listen } from '../delivery/support.js';

const record = (i: number) => ({ id: `r-${i}`, queue: 'q', payload: { i } });
const records = Array.from({ length: 200 }, (_, i) => record(i));

it('a delivery in batches has its code loaded while virtual time is frozen', async () => {
  await using server = await listen(({ body }, response) => {
    const entries: { id: string }[] = JSON.parse(body.toString());
    response.end(JSON.stringify(entries.map(({ id }) => ({ id, status: 200 }))));
  });
  const process = deliverByHttp({ url: server.url, batch: { maxRecords: 50 } });
  const backlog = testBacklog({ queues: { q: { process, concurrency: 50 } } });
  await backlog.client.insertMany(records);
  expect(await backlog.drain()).toMatchObject({ attempted: 200, succeeded: 200 });
  expect(server.received.length).toBeLessThan(10);
});

it('a handler in batches is warned of once where no batch can be full', async () => {
  const sizes: number[] = [];
  const process = inBatches(
    (some) => {
      sizes.push(some.length);
      return { batchItemFailures: [] };
    },
    { maxRecords: 50 },
  );
  const backlog = testBacklog({ queues: { q: { handler: backlogHandler({ process, concurrency: 20 }) } } });
  await backlog.client.insertMany(records);
  expect(await backlog.drain()).toMatchObject({ succeeded: 200 });
  expect(Math.max(...sizes)).toBe(20);
  expect(backlog.logs.filter(({ level }) => level === 'warn')).toMatchObject([
    {
      message: 'no batch can be full, as the queue attempts fewer records at once',
      extra: { queue: 'q', maxRecords: 50, concurrency: 20 },
    },
  ]);
});

it('a task in batches has the output of its schema, and refuses what that refuses before a batch', async () => {
  const calls: unknown[][] = [];
  const index = defineTask({
    name: 'index',
    schema: z.object({ i: z.number().transform((i) => `page ${i}`) }),
    queue: 'q',
    perform: inBatches<{ i: string }>((some, { attemptOf }) => {
      calls.push(some.map((one) => [one.id, one.payload.i, one.task, attemptOf(one).attempt]));
      return some.map(() => new Done());
    }),
  });
  const backlog = testBacklog({ queues: { q: { handler: backlogHandler({ tasks: [index] }) } } });
  await backlog.client.insertMany([
    ...[1, 2].map((i) => ({ ...record(i), task: 'index' })),
    { id: 'bad', queue: 'q', task: 'index', payload: { i: 'x' } },
  ]);
  expect(await backlog.drain()).toMatchObject({ succeeded: 2, dead: 1 });
  expect(calls).toEqual([
    [
      ['r-1', 'page 1', 'index', 1],
      ['r-2', 'page 2', 'index', 1],
    ],
  ]);
  expect(await perform(index, { i: 7 }, { id: 'alone' })).toMatchObject({ outcome: 'succeeded' });
  expect(calls[1]).toEqual([['alone', 'page 7', 'index', 1]]);
});

it('two tasks are in batches of their own', async () => {
  const calls: string[][] = [];
  const taskOf = (name: string) =>
    defineTask<unknown>({
      name,
      queue: 'q',
      perform: inBatches((some) => {
        calls.push(some.map(({ task }) => String(task)));
        return { batchItemFailures: [] };
      }),
    });
  const handler = backlogHandler({ tasks: [taskOf('a'), taskOf('b')] });
  const backlog = testBacklog({ queues: { q: { handler } } });
  await backlog.client.insertMany([1, 2, 3, 4].map((i) => ({ ...record(i), task: i % 2 ? 'a' : 'b' })));
  expect(await backlog.drain()).toMatchObject({ succeeded: 4 });
  expect(calls.sort()).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ]);
});
