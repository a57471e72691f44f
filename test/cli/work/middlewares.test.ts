import middy from '@middy/core';
import { afterEach, describe, expect, it } from 'vitest';
import { backlogHandler, type Process } from '../../../functions/index.js';
import { World } from './world.js';

const QUEUES = { orders: { retryMode: 'perRecord' } } as const;
const handlerOf = (process: Process = () => {}) => backlogHandler({ queue: 'orders', process });

let world: World;
let worker: ReturnType<World['work']> | undefined;
afterEach(async () => {
  worker?.stop();
  await world.time.until(worker?.ended ?? Promise.resolve());
});

/** A worker with this handler, as a module exports it. */
function begin(handler: Parameters<World['work']>[0]) {
  world = new World();
  worker = world.work(handler, QUEUES);
  return worker;
}

describe('a worker process runs the middlewares of a handler', () => {
  it('around each of its runs', async () => {
    const reported: string[] = [];
    begin(
      middy(handlerOf(({ id }) => void reported.push(id)))
        .before(() => void reported.push('before'))
        .after(
          ({ response }) => void reported.push(`after ${(response as { succeeded: number }).succeeded}`),
        ),
    );
    world.put('a');
    await world.pass(6);
    expect(reported.slice(0, 3)).toEqual(['before', 'a', 'after 1']);
    expect(world.statuses()).toEqual({ SUCCESS: 1 });
    const runs = reported.filter((one) => one === 'before').length;
    await world.pass(60);
    expect(reported.filter((one) => one === 'before').length).toBeGreaterThanOrEqual(runs + 10);
  });

  it('one that fails is a failed run: the log and the health say so, no failure is counted, and the next run attempts the record', async () => {
    let isBroken = true;
    const { health } = begin(
      handlerOf().before(() => {
        if (isBroken) throw new Error('no secret');
      }),
    );
    world.put('a');
    await world.pass(90);
    expect(health.report()).toMatchObject({ queues: { orders: { failing: { reason: 'no secret' } } } });
    expect(world.reported).toContainEqual([
      'a middleware failed',
      expect.objectContaining({ error: 'Error: no secret' }),
    ]);
    expect(world.statuses()).toEqual({ NEW: 1 });
    isBroken = false;
    await world.pass(120);
    expect(world.statuses()).toEqual({ SUCCESS: 1 });
    expect(world.memory.items()[0]).not.toHaveProperty('failures');
  });

  it('one that answers itself keeps a run from beginning, and the health says so', async () => {
    let isClosed = true;
    const { health } = begin(handlerOf().before(() => (isClosed ? 'closed' : undefined)));
    world.put('a');
    await world.pass(30);
    expect(health.report()).toMatchObject({
      status: 'ok',
      queues: { orders: { lastRun: { ended: 'byMiddleware' } } },
    });
    isClosed = false;
    await world.pass(10);
    expect(world.statuses()).toEqual({ SUCCESS: 1 });
  });

  it('an answer in place of a failed run does not hide the failure', async () => {
    const { health } = begin(handlerOf().onError(() => 'all is well'));
    world.isDown = true;
    await world.pass(60);
    expect(health.report()).toMatchObject({
      queues: { orders: { failing: { reason: expect.any(String) } } },
    });
  });
});
