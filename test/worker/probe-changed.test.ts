import { describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../src/policies/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import type { FailingMemory, Process } from '../../src/worker/index.js';
import { operatorOf } from '../operate/support.js';
import { fail, Harness } from './harness.js';

const IDS = ['r0', 'r1', 'r2'];
const LONG_WAITS: RetryPolicy = {
  type: 'list',
  waits: [60, 60, 60, 60, 60, 3600],
  afterwards: 'last',
  jitter: 'none',
};

/** A queue of three records that have failed until each waits for an hour, and runs of it that make a probe. */
async function outage() {
  const harness = new Harness();
  const options = { retry: LONG_WAITS, failingMemory: new Map() as FailingMemory };
  for (const id of IDS) harness.put(id);
  for (let i = 0; i < 6; i++) {
    await harness.run(fail, options);
    await harness.pass(60);
  }
  /** Runs until something has happened between the reading of the record to probe and its attempt. */
  const probing = async (process: Process, happens: () => Promise<unknown>) => {
    let hasHappened = false;
    const store = intercepted(harness.store, async (name, call) => {
      const answer = await call();
      if (name === 'pages.read' && !hasHappened) {
        hasHappened = true;
        await happens();
      }
      return answer;
    });
    for (let i = 0; i < 6 && !hasHappened; i++) {
      await harness.run(process, { ...options, store });
      await harness.pass(60);
    }
    expect(hasHappened).toBe(true);
  };
  return { harness, operator: operatorOf(harness), probing };
}

describe('a record that is read to be probed, and changed before its attempt', () => {
  it('is not probed once it is moved, and due in its new queue', async () => {
    const { harness, operator, probing } = await outage();
    const underway: string[] = [];
    const twice: string[] = [];
    const slow: Process = async ({ id }) => {
      if (underway.includes(id)) twice.push(id);
      underway.push(id);
      await harness.sleep(20);
      underway.splice(underway.indexOf(id), 1);
    };
    let other: Promise<unknown> | undefined;
    await probing(slow, async () => {
      expect(await operator.move(IDS, { queue: 'other' })).toMatchObject({ changed: 3, delayed: 0 });
      expect(await operator.runNow(IDS)).toMatchObject({ changed: 3 });
      other = harness.start(slow, { queue: 'other' });
    });
    await harness.time.until(other ?? Promise.resolve());
    await harness.pass(60);
    expect(twice).toEqual([]);
    expect(harness.statuses()).toEqual({ SUCCESS: 3 });
  });

  it('is probed as it is then', async () => {
    const { harness, operator, probing } = await outage();
    const payloads: unknown[] = [];
    const process: Process = ({ payload }) => void payloads.push(payload);
    await probing(process, () => Promise.all(IDS.map((id) => operator.editPayload(id, { payload: 'new' }))));
    expect(payloads[0]).toBe('new');
    expect(harness.statuses().SUCCESS).toBeGreaterThan(0);
  });

  it('is not probed once its queue is paused', async () => {
    const { harness, probing } = await outage();
    const attempted: string[] = [];
    await probing(
      ({ id }) => void attempted.push(id),
      async () => harness.store.queues.setPaused('q', true),
    );
    expect(attempted).toEqual([]);
  });
});
