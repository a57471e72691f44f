import { describe, expect, it } from 'vitest';
import '../../src/client/complete.js';
import { BacklogClient, Pending } from '../../src/index.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { type Harness, succeed } from './harness.js';
import { at, worldToCancel } from './long-lived.js';

const retry = { type: 'constant', interval: 120, jitter: 'none' } as const;

/** A long attempt of the record `report`, and what ends it from outside. */
function longPending(item: Record<string, unknown> = {}) {
  const { world, harness, cancel } = worldToCancel();
  harness.put('report', item);
  const client = new BacklogClient({ table: 'any', clock: harness.clock, store: harness.store as never });
  const tokens: string[] = [];
  const signals: AbortSignal[] = [];
  /** Asks for its token at once, and goes on for so long, whatever its signal says. */
  const lasting =
    (seconds: number, end: () => void = () => {}): Process =>
    async (_, { token, signal }) => {
      tokens.push(token);
      signals.push(signal);
      await harness.sleep(seconds);
      end();
    };
  const pending = () => {
    throw new Pending({ timeout: '1h' });
  };
  const token = () => tokens.at(-1) ?? '';
  return { world, harness, cancel, client, signals, token, lasting, pending };
}

/** The store of a process that is lost at some time: none of its writes is answered then. */
function losable({ store }: Harness) {
  let isLost = false;
  const settle: typeof store.records.settle = (...args) =>
    isLost ? new Promise(() => {}) : store.records.settle(...args);
  return {
    store: replacing({ records: { settle } }, store),
    lose: () => {
      isLost = true;
    },
  };
}

const neverAgain: Process = () => {
  throw new Error('attempted again');
};

describe('a long attempt that is ended from outside while it goes on', () => {
  it.each([
    ['under its lease', 10],
    ['while its hold is renewed', 100],
  ])('%s goes on without a signal, under its hold, and its end is written', async (_, askedAt) => {
    const { world, harness, client, signals, token, lasting, pending } = longPending();
    const running = world.harness.start(lasting(400, pending), world.choices);
    await harness.pass(askedAt);
    expect(await client.complete('report', token(), 7)).toEqual({ id: 'report', accepted: true, kept: true });
    await harness.time.until(running);
    expect(
      (await world.watched(300, neverAgain)).every(({ attempted, succeeded }) => attempted + succeeded === 0),
    ).toBe(true);
    expect(signals[0]?.aborted).toBe(false);
    await harness.pass(200);
    expect(world.ended).toMatchObject([{ attempted: 1, succeeded: 1, unsettled: 0 }]);
    expect(await client.get('report')).toMatchObject({ status: 'SUCCESS', attempts: 1, result: 7 });
    expect(harness.item('report')).not.toHaveProperty('completion');
    expect(harness.warnings).toEqual([]);
    expect(await client.complete('report', token(), 7)).toEqual({ id: 'report', accepted: true });
  });

  it('waits with its token where it throws Pending, and is completed then', async () => {
    const { world, harness, client, token, lasting, pending } = longPending();
    await world.run(lasting(100, pending));
    await harness.pass(200);
    expect(harness.item('report').notBefore).toMatchObject({ pending: { token: token() } });
    expect(await client.complete('report', token())).toEqual({ id: 'report', accepted: true });
    expect(await client.get('report')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  });

  it('is heard of once: the first of two ends holds', async () => {
    const { world, harness, client, token, lasting } = longPending();
    await world.run(lasting(200), { retry });
    await harness.pass(50);
    expect(await client.fail('report', token(), 'refused')).toMatchObject({ kept: true });
    expect(await client.complete('report', token())).toMatchObject({ reason: 'endedBefore' });
    await harness.pass(200);
    expect(harness.item('report')).toMatchObject({ status: 'ERROR', lastError: { message: 'refused' } });
    expect(await client.fail('report', token(), 'refused')).toEqual({ id: 'report', accepted: true });
    expect(await client.complete('report', token())).toMatchObject({ accepted: false });
  });

  it.each([
    ['completed', 'SUCCESS'],
    ['failed', 'DEAD'],
  ] as const)('and cancelled is %s outside: then it is %s, and not attempted again', async (how, status) => {
    for (const isLost of [false, true])
      for (const order of ['end first', 'cancel first']) {
        const { world, harness, cancel, client, token, lasting } = longPending();
        const { store, lose } = losable(harness);
        await world.run(lasting(200), { retry, store });
        await harness.pass(100);
        const end = () =>
          how === 'completed' ? client.complete('report', token()) : client.fail('report', token(), 'no');
        if (order === 'end first') expect(await end()).toMatchObject({ kept: true });
        expect(await cancel()).toMatchObject({ reason: 'cancelRequested' });
        if (order !== 'end first') expect(await end()).toMatchObject({ kept: true });
        if (isLost) lose();
        await world.watched(400, neverAgain, { retry });
        expect([order, isLost, harness.item('report')]).toMatchObject([
          order,
          isLost,
          { status, attempts: 1 },
        ]);
      }
  });

  it('and was lost with its process is ended by the next run, without another attempt', async () => {
    const { world, harness, client, token, lasting } = longPending();
    const { store, lose } = losable(harness);
    await world.run(lasting(10_000), { store });
    await harness.pass(100);
    lose();
    await harness.pass(30);
    expect(await client.heartbeat('report', token())).toMatchObject({ accepted: true, kept: true });
    expect(await client.complete('report', token(), 1)).toMatchObject({ kept: true });
    await world.watched(120, neverAgain);
    expect(await client.get('report')).toMatchObject({ status: 'SUCCESS', attempts: 1, result: 1 });
    expect(await client.complete('report', token(), 1)).toEqual({ id: 'report', accepted: true });
    expect(await client.fail('report', token(), 'late')).toMatchObject({ reason: 'succeeded' });
  });

  it('is of an old attempt once another process has taken the record over', async () => {
    const { world, harness, client, token, lasting } = longPending();
    const { store, lose } = losable(harness);
    await world.run(lasting(10_000), { store, retry });
    const lost = token();
    await harness.pass(60);
    lose();
    await world.watched(200, succeed, { retry: { type: 'constant', interval: 3600 } });
    expect(harness.item('report')).toMatchObject({ lastError: { name: 'WorkerLost' }, attempts: 1 });
    for (const end of [client.complete('report', lost), client.heartbeat('report', lost)])
      expect(await end).toMatchObject({ accepted: false, reason: 'oldToken' });
    await harness.pass(3600);
    await world.run(lasting(100));
    expect(await client.complete('report', lost)).toMatchObject({ reason: 'oldToken' });
    await harness.pass(100);
    expect(harness.item('report')).toMatchObject({ status: 'SUCCESS', attempts: 2 });
    expect(at(harness)).toBeGreaterThan(3600);
  });
});
