import { describe, expect, it } from 'vitest';
import { Snooze } from '../../src/record/index.js';
import type { Process } from '../../src/worker/index.js';
import { fail, Harness, START, succeed, YOUNG } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const notYet: Process = () => {
  throw new Snooze({ reason: 'the order is open' });
};
const arctan = { type: 'arctan', jitter: 'none' } as const;

/** The wait until the next attempt, by the history of the record. */
function waitOf(harness: Harness, id = 'a'): number {
  const history = harness.item(id).history as { at: string; next: string }[];
  const last = history.at(-1);
  return (Date.parse(String(last?.next)) - Date.parse(String(last?.at))) / 1000;
}

/** Lets the next attempt come. */
async function passTo(harness: Harness, id = 'a'): Promise<void> {
  await harness.pass((Date.parse(String(harness.item(id).dueAt)) - harness.time.now) / 1000);
}

describe('a record that is not ready yet', () => {
  it('waits as its policy says, longer and longer, and is no failure', async () => {
    const harness = new Harness();
    harness.put('a');
    const waits: number[] = [];
    for (let i = 0; i < 4; i++) {
      const summary = await harness.run(notYet, { retry: arctan });
      expect(summary).toMatchObject({ attempted: 1, snoozed: 1, failed: 0, dead: 0 });
      waits.push(Math.round(waitOf(harness) / 36) / 100);
      await passTo(harness);
    }
    expect(waits).toEqual([1.02, 7.49, 16.25, 20.48]);
    const item = harness.item('a');
    expect(item).toMatchObject({ status: 'NEW', attempts: 4, notReady: 4 });
    for (const name of ['failures', 'lastError', 'firstFailureAt', 'lastFailureAt'])
      expect(item).not.toHaveProperty(name);
    // One entry for the same answer again and again.
    expect(item.history).toMatchObject([{ attempt: 4, outcome: 'snoozed', message: 'the order is open' }]);
    expect(harness.failures).toEqual([]);
    await harness.pass(60);
    expect(await harness.run(succeed, { retry: arctan })).toMatchObject({ succeeded: 1 });
  });

  it('that fails in between goes on where its waits are', async () => {
    const harness = new Harness();
    harness.put('a');
    const retry = { type: 'list', waits: ['1h', '2h', '3h', '4h', '5h'], jitter: 'none' } as const;
    const waits: number[] = [];
    for (const process of [notYet, notYet, fail, notYet]) {
      await harness.run(process, { retry });
      waits.push(waitOf(harness) / 3600);
      await passTo(harness);
    }
    expect(waits).toEqual([1, 2, 3, 4]);
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', attempts: 4, failures: 1, notReady: 3 });
  });

  it('counts no snooze with a delay of its own', async () => {
    const harness = new Harness();
    harness.put('a');
    for (let i = 0; i < 3; i++) {
      await harness.run(() => new Snooze(600), { retry: arctan });
      await harness.pass(600);
    }
    await harness.run(notYet, { retry: arctan });
    expect(Math.round(waitOf(harness) / 36) / 100).toBe(1.02);
    expect(harness.item('a')).toMatchObject({ attempts: 4, notReady: 1 });
  });

  it('is dead when its attempts are used up, with what it waited for as the reason, and a line in the log', async () => {
    const harness = new Harness();
    harness.put('a');
    const retry = { type: 'constant', interval: 60, maxAttempts: 3 } as const;
    for (const expected of [{ snoozed: 1 }, { snoozed: 1 }, { snoozed: 0, dead: 1 }]) {
      expect(await harness.run(notYet, { retry })).toMatchObject(expected);
      await harness.pass(60);
    }
    expect(harness.item('a')).toMatchObject({
      status: 'DEAD',
      deadReason: 'maxAttempts: not ready after 3 attempts: the order is open',
      attempts: 3,
      notReady: 3,
      lane: 'q/dead',
      history: [{ outcome: 'snoozed', next: 'dead' }],
    });
    expect(harness.item('a')).not.toHaveProperty('lastError');
    // What a handler says is not in the log unless its own hook has passed it.
    expect(harness.failures).toMatchObject([
      {
        level: 'ERROR',
        message: 'not ready in time',
        id: 'a',
        attempt: 3,
        deadReason: 'maxAttempts: not ready after 3 attempts',
      },
    ]);
  });

  it('is dead when it is too old for another look', async () => {
    const harness = new Harness();
    harness.put('a');
    const retry = { type: 'constant', interval: 3600, maxAge: '2h' } as const;
    for (let i = 0; i < 3; i++) {
      await harness.run(notYet, { retry });
      await harness.pass(3600);
    }
    expect(harness.item('a')).toMatchObject({
      status: 'DEAD',
      deadReason: 'expired: not ready after 3 attempts: the order is open',
    });
  });

  it('has its own policy before its queue’s', async () => {
    const harness = new Harness();
    harness.put('a', { retry: { type: 'constant', interval: 7200, jitter: 'none' } });
    await harness.run(notYet, { retry: arctan });
    expect(waitOf(harness)).toBe(7200);
  });

  it('asks no retry function, and moves to no other queue', async () => {
    const harness = new Harness();
    harness.put('a');
    const retryFunction = () => {
      throw new Error('not asked');
    };
    await harness.run(notYet, { retry: arctan, retryFunction, retryQueue: 'others' });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', queue: 'q', lane: 'q' });
    expect(harness.warnings).toEqual([]);
  });

  it('begins again after a redrive', async () => {
    const harness = new Harness();
    harness.put('a', { attempts: 9, notReady: 5, failures: 4 });
    const retry = { type: 'constant', interval: 60, maxAttempts: 10 } as const;
    await harness.run(notYet, { retry });
    expect(harness.item('a')).toMatchObject({ status: 'DEAD' });
    const { BacklogOperator } = await import('../../src/operate/index.js');
    const { store, clock } = harness;
    const operator = new BacklogOperator({ table: 'records', controlTable: 'control', store, clock });
    expect(await harness.time.until(operator.redrive('a'))).toMatchObject({ changed: 1 });
    expect(harness.item('a')).not.toHaveProperty('notReady');
    await harness.run(notYet, { retry });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', attempts: 11, notReady: 1 });
  });

  it('has its first attempt on arrival, and is indexed by its outcome', async () => {
    const harness = new Harness();
    harness.store.put({ id: 'a', status: 'NEW', queue: 'q', payload: 1 });
    const arrivals = { batch: 'b', ids: ['a'] };
    expect(await harness.run(notYet, { arrivals })).toMatchObject({ snoozed: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', lane: 'q', dueAt: iso(30), notReady: 1 });
  });
});

describe('a record that is not ready yet, on a progressive queue', () => {
  it('comes at its next turn, and leaves the index as it is', async () => {
    const harness = new Harness();
    harness.put('a');
    for (let i = 1; i <= 3; i++) {
      expect(await harness.run(notYet, { band: YOUNG })).toMatchObject({ attempted: 1, snoozed: 1 });
      expect(harness.item('a')).toMatchObject({ status: 'NEW', dueAt: iso(0), notReady: i });
      expect(harness.item('a')).not.toHaveProperty('notBefore');
      await harness.pass(300);
    }
  });

  it('is given up by the last rule, and the reason says for what', async () => {
    const harness = new Harness();
    harness.put('a');
    const band = { ...YOUNG, untilAge: 86_400, last: true };
    const retry = { type: 'progressive', maxAge: 3600 } as const;
    for (let i = 0; i < 14; i++) {
      await harness.run(notYet, { band, retry });
      await harness.pass(300);
    }
    expect(harness.item('a')).toMatchObject({
      status: 'DEAD',
      deadReason: expect.stringMatching(/^expired: not ready after 1\d attempts$/),
    });
  });

  it('waits as the policy says once its queue goes by due times', async () => {
    const harness = new Harness();
    harness.put('a');
    await harness.run(notYet, { band: YOUNG });
    await harness.pass(60);
    const retry = { type: 'constant', interval: 3600, jitter: 'none' } as const;
    expect(await harness.run(notYet, { retry })).toMatchObject({ attempted: 0 });
    await harness.pass(3_450);
    expect(await harness.run(notYet, { retry })).toMatchObject({ attempted: 0 });
    await harness.pass(90);
    expect(await harness.run(succeed, { retry })).toMatchObject({ succeeded: 1 });
  });
});

describe('a breaker, of a destination that answers "not ready yet"', () => {
  const breaker = { failureThreshold: 0.5, minimumAttempts: 10, halfOpenAfter: 60 };

  it('closes by a probe that is not ready yet', async () => {
    const harness = new Harness();
    for (let i = 0; i < 20; i++) harness.put(`r${i}`);
    const opened = await harness.run(fail, { breaker, concurrency: 1 });
    expect(opened).toMatchObject({ attempted: 10, ended: 'breakerOpen' });
    await harness.pass(61);
    expect(await harness.run(notYet, { breaker })).toMatchObject({ snoozed: 20, ended: 'drained' });
    expect((await harness.store.queues.read('q')).breakers.size).toBe(0);
  });

  it('counts such answers among the attempts that it worked in', async () => {
    const harness = new Harness();
    for (let i = 0; i < 30; i++) harness.put(`r${String(i).padStart(2, '0')}`);
    const oneInThree: Process = ({ id }) => {
      if (Number(id.slice(1)) % 3 === 0) throw new Error('down');
      throw new Snooze();
    };
    expect(await harness.run(oneInThree, { breaker })).toMatchObject({ attempted: 30, ended: 'drained' });
  });
});
