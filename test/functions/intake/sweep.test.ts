import { describe, expect, it } from 'vitest';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import type { Invoker } from '../../../functions/intake/invoker.js';
import { sweepHandler } from '../../../functions/intake/sweep-handler.js';
import { context, workbench } from '../support.js';

function bench() {
  const made = workbench({ default: { retryMode: 'perRecord' } });
  const sent: [readonly string[], number, boolean | undefined][] = [];
  const invoker: Invoker = {
    invoke: async () => 'accepted',
    sendToRedelivery: async (ids, delaySeconds, swept) => void sent.push([ids, delaySeconds, swept]),
    async sendShortWait() {},
    giveUp: async () => {},
  };
  const overrides = { ...made.overrides, invoker };
  return { ...made, sent, sweep: sweepHandler(overrides), intake: intakeHandler(overrides) };
}

describe('the sweep', () => {
  it('hands what it finds to the intake, a hundred at a time, when no run can be attempting them any more', async () => {
    const { store, sweep, sent, log } = bench();
    for (let i = 0; i < 250; i++) store.put({ id: `r${i}`, status: 'NEW', payload: i });
    expect(await sweep({}, context)).toEqual({ ended: 'finished', found: 250 });
    expect(new Set(sent.flatMap(([ids]) => ids)).size).toBe(250);
    for (const [ids, delay, swept] of sent) {
      expect(ids.length).toBeLessThanOrEqual(100);
      expect([delay, swept]).toEqual([900, true]);
    }
    expect(log()).toContainEqual(expect.objectContaining({ message: 'sweep', found: 250 }));
  });

  it('finds a dead record that was set to NEW by hand, which begins again', async () => {
    const { store, sweep, intake, sent, clock } = bench();
    const now = new Date(clock.now()).toISOString();
    store.put({
      id: 'risen',
      status: 'NEW',
      queue: 'default',
      payload: 1,
      insertedAt: '2025-01-01T00:00:00.000Z',
      lane: 'default/dead',
      dueAt: '2026-01-01T00:00:00.000Z',
      attempts: 9,
      failures: 9,
      firstFailureAt: '2025-01-01T00:00:00.000Z',
      deadReason: 'maxAttempts',
      rev: 'r',
    });
    await sweep({}, context);
    const body = JSON.stringify({ notIndexed: sent[0]?.[0] });
    await intake({ Records: [{ eventSource: 'aws:sqs', messageId: 'm', body }] }, context);
    const [item] = store.items();
    expect(item).toMatchObject({ status: 'NEW', lane: 'default', dueAt: now, availableAt: now, attempts: 9 });
    expect(item?.failures).toBeUndefined();
    expect(item?.deadReason).toBeUndefined();
  });

  it('says what went wrong', async () => {
    const { overrides, log } = bench();
    const sweep = sweepHandler({ ...overrides, env: {} });
    await expect(sweep({}, context)).rejects.toThrow('BACKLOG_TABLE');
    expect(log()).toContainEqual(expect.objectContaining({ level: 'ERROR', message: 'sweep failed' }));
  });
});
