import { describe, expect, it } from 'vitest';
import type { QueuesSettings } from '../../functions/settings.js';
import type { RetryPolicy } from '../../src/policies/index.js';
import { Cloud, type CloudOptions, never } from './cloud.js';

const HOUR = 3_600;

function cloudOf(retry: RetryPolicy, more: object = {}, options: Partial<CloudOptions> = {}): Cloud {
  return new Cloud({ queues: { q: { retryMode: 'perRecord', retry, ...more } }, process: never, ...options });
}

async function attemptsUnder(retry: RetryPolicy, seconds: number, options: Partial<CloudOptions> = {}) {
  const cloud = cloudOf(retry, {}, options);
  await cloud.insert('a', 'q');
  await cloud.pass(seconds);
  return { cloud, attempts: cloud.attemptsOf('a') };
}

function waits(attempts: readonly number[]): number[] {
  return attempts.slice(1).map((at, i) => at - (attempts[i] ?? 0));
}

/** Each attempt within 2 seconds of its time. */
function expectTimes(attempts: readonly number[], times: readonly number[]): void {
  expect(attempts).toHaveLength(times.length);
  for (const [i, time] of times.entries())
    expect(Math.abs((attempts[i] ?? 0) - time), `attempt ${i}`).toBeLessThan(2);
}

describe('waits of less than a tick, by rules that fire every minute', () => {
  const list = { type: 'list', waits: [10, 20, 30] } as const;

  it('[10, 20, 30]: attempts at 0, 10, 30 and 60 s, then dead', async () => {
    const { attempts, cloud } = await attemptsUnder(list, 300);
    expectTimes(attempts, [0, 10, 30, 60]);
    expect(cloud.item('a')).toMatchObject({ status: 'DEAD', failures: 4 });
    expect(cloud.running).toBe(0);
  });

  it('a retry function by the number of failures: after 10, 20 and 30 s, then dead', async () => {
    const cloud = new Cloud({
      queues: { custom: { retryMode: 'perRecord' } },
      code: { retry: (_error, _record, retryCount) => [10, 20, 30][retryCount] ?? false },
      process: never,
    });
    await cloud.insert('job', 'custom');
    await cloud.pass(300);
    expectTimes(cloud.attemptsOf('job'), [0, 10, 30, 60]);
    expect(cloud.item('job')).toMatchObject({ status: 'DEAD', deadReason: 'the retry function gave it up' });
  });

  it('35 s: 206 attempts in two hours, without a creep', async () => {
    const { attempts } = await attemptsUnder({ type: 'linear' }, 2 * HOUR);
    expect(Math.abs(attempts.length - 206)).toBeLessThanOrEqual(2);
    for (const wait of waits(attempts)) expect(Math.abs(wait - 35)).toBeLessThan(2);
  });

  it('35 s by rules that are up to 4 s late', async () => {
    const { attempts } = await attemptsUnder({ type: 'linear' }, HOUR / 2, { lateSeconds: 4 });
    for (const wait of waits(attempts)) expect(Math.abs(wait - 35)).toBeLessThan(2);
  });

  it('n^5 + 30 seconds with 4 retries: after 30, 31, 62 and 273 s, to the second or the tick', async () => {
    const { attempts } = await attemptsUnder({ type: 'power', maxAttempts: 5 }, HOUR);
    const [first, second, third, fourth] = waits(attempts);
    expectTimes([first ?? 0, second ?? 0], [30, 31]);
    expect(Math.abs((third ?? 0) - 62)).toBeLessThanOrEqual(30);
    expect(Math.abs((fourth ?? 0) - 273)).toBeLessThanOrEqual(30);
    expect(attempts).toHaveLength(5);
  });

  it('what sidekiq and buckets draw is kept: to 2 s below a tick, to half a tick above, or the next one', async () => {
    for (const [type, earliest, latest] of [
      ['sidekiq', -31, 31],
      // A window's minimum is kept: such a wait ends with the next tick.
      ['buckets', -31, 62],
    ] as const) {
      const cloud = cloudOf({ type }, { probes: false });
      for (let i = 0; i < 20; i++) await cloud.insert(`r${i}`, 'q');
      await cloud.pass(HOUR / 2);
      const off: number[] = [];
      for (const item of cloud.store.items()) {
        const history = item.history as { at: string; next: string }[];
        for (const [i, { next }] of history.slice(0, -1).entries()) {
          const late = (Date.parse(history[i + 1]?.at ?? '') - Date.parse(next)) / 1000;
          const wait = (Date.parse(next) - Date.parse(history[i]?.at ?? '')) / 1000;
          off.push(wait < 60 ? Math.abs(late) - 2 : Math.max(late - latest, earliest - late));
        }
      }
      expect(off.length).toBeGreaterThan(30);
      expect(Math.max(...off), type).toBeLessThanOrEqual(0);
    }
  });

  it('a first attempt on arrival that fails is followed as soon, at whatever second it came', async () => {
    for (const arrivesAt of [3, 27, 55]) {
      const cloud = cloudOf(list);
      await cloud.pass(arrivesAt);
      cloud.store.put({ id: 'a', status: 'NEW', queue: 'q', payload: {} });
      void cloud.invoke('q', { arrivals: { batch: 'b', ids: ['a'] } });
      await cloud.pass(300);
      expectTimes(
        cloud.attemptsOf('a'),
        [0, 10, 30, 60].map((second) => arrivesAt + second),
      );
    }
  });

  it("a record's own policy is kept in a queue of another one", async () => {
    const cloud = cloudOf({ type: 'fibonacci' });
    await cloud.insert('a', 'q', { retry: list });
    await cloud.pass(300);
    expectTimes(cloud.attemptsOf('a'), [0, 10, 30, 60]);
  });

  it('in every shard', async () => {
    const cloud = cloudOf(list, { shards: 3 });
    for (let i = 0; i < 9; i++) await cloud.insert(`r${i}`, 'q', { lane: ['q', 'q#1', 'q#2'][i % 3] });
    await cloud.pass(300);
    for (let i = 0; i < 9; i++) expectTimes(cloud.attemptsOf(`r${i}`), [0, 10, 30, 60]);
  });
});

describe('what it costs', () => {
  it('a queue whose records wait a minute or more: no message, and no run of the intake', async () => {
    for (const type of ['fibonacci', 'constant', 'arctan'] as const) {
      const cloud = cloudOf({ type }, { probes: false });
      for (let i = 0; i < 5; i++) await cloud.insert(`r${i}`, 'q');
      await cloud.pass(HOUR);
      expect(cloud.attempts.length).toBeGreaterThan(5);
      expect([cloud.intake.messages, cloud.intake.runs, cloud.requests['pages.query']]).toEqual([0, 0, 61]);
    }
  });

  it('an idle poll of a queue with short waits is one query, and a new process reads once what fails', async () => {
    const pollsOf = async (probes: boolean) => {
      const cloud = cloudOf({ type: 'linear' }, { probes });
      await cloud.pass(600);
      return cloud.requests;
    };
    expect(await pollsOf(false)).toEqual({ 'pages.query': 11 });
    // Here each poll is made by a process of its own.
    expect(await pollsOf(true)).toEqual({ 'pages.query': 11, 'queues.read': 11 });
  });

  it('a message and a short run for each second in which records come due', async () => {
    const cloud = cloudOf({ type: 'list', waits: [10] });
    for (let i = 0; i < 50; i++) await cloud.insert(`r${i}`, 'q');
    await cloud.pass(59);
    expect(cloud.attempts).toHaveLength(100);
    expect(cloud.intake.messages).toBe(1);
    expect(cloud.summaries).toHaveLength(2);
    expect(cloud.seconds).toBeLessThan(2);
  });

  it('as many messages for the records of many runs on arrival', async () => {
    const cloud = cloudOf({ type: 'list', waits: [25, 20] });
    await cloud.pass(5);
    for (let batch = 0; batch < 12; batch++) {
      const ids = [`${batch}-a`, `${batch}-b`];
      for (const id of ids) cloud.store.put({ id, status: 'NEW', queue: 'q', payload: {} });
      void cloud.invoke('q', { arrivals: { batch: `b${batch}`, ids } });
      await cloud.pass(1.5);
      expect(cloud.running).toBeLessThanOrEqual(1);
    }
    await cloud.pass(200);
    for (let batch = 0; batch < 12; batch++) {
      expectTimes(
        cloud.attemptsOf(`${batch}-a`),
        [0, 25, 45].map((second) => 5 + 1.5 * batch + second),
      );
    }
    expect(cloud.intake.messages).toBeLessThanOrEqual(24);
    expect(cloud.seconds).toBeLessThan(5);
  });
});

describe('a run for short waits', () => {
  const retry = { type: 'list', waits: [40], afterwards: 'last' } as const;

  it('whose message is lost loses nothing: the next rule attempts the records', async () => {
    const cloud = cloudOf(retry);
    await cloud.insert('a', 'q');
    cloud.intake.losesMessages = true;
    await cloud.pass(200);
    expect(cloud.attemptsOf('a').map((second) => Math.round(second / 60))).toEqual([0, 1, 2, 3]);
    cloud.intake.losesMessages = false;
    await cloud.pass(600);
    expect(waits(cloud.attemptsOf('a').slice(4)).every((wait) => Math.abs(wait - 40) < 2)).toBe(true);
  });

  it('whose message comes twice attempts each record once', async () => {
    const cloud = cloudOf(retry);
    cloud.intake.copies = 2;
    await cloud.insert('a', 'q');
    await cloud.pass(100);
    expectTimes(cloud.attemptsOf('a'), [0, 40, 80]);
    expect(cloud.summaries.length).toBeGreaterThan(3);
  });

  it('that is lost in an attempt is made up for by the next rule', async () => {
    const cloud = cloudOf(retry, {}, { attemptSeconds: 5 });
    await cloud.insert('a', 'q');
    await cloud.pass(48);
    expect(cloud.running).toBe(1);
    cloud.kill();
    await cloud.pass(600);
    expect(cloud.item('a')?.attempts).toBeGreaterThan(8);
  });

  it('attempts nothing in a queue that was paused meanwhile', async () => {
    const cloud = cloudOf(retry);
    await cloud.insert('a', 'q');
    await cloud.pass(5);
    await cloud.store.queues.setPaused('q', true);
    await cloud.pass(300);
    expect(cloud.attemptsOf('a')).toHaveLength(1);
  });

  it('leaves records that wait for longer to their tick', async () => {
    const cloud = cloudOf({ type: 'fibonacci', jitter: 'none' });
    await cloud.insert('short', 'q', { retry: { type: 'constant', interval: 7 } });
    await cloud.insert('long', 'q');
    await cloud.pass(HOUR / 3);
    expect(cloud.attemptsOf('long').map((second) => Math.round(second / 60))).toEqual([
      0, 1, 2, 4, 7, 12, 20,
    ]);
    expect(cloud.attemptsOf('short').length).toBeGreaterThan(155);
  });

  it('attempts a record in the queue that its failure has moved it to', async () => {
    const toSlow = { retryMode: 'perRecord', retry: { type: 'constant', interval: 20 } } as const;
    const queues: QueuesSettings = { q: { ...toSlow, retryQueue: 'slow' }, slow: toSlow };
    const cloud = new Cloud({ queues, process: never });
    await cloud.insert('a', 'q');
    await cloud.pass(59);
    expectTimes(cloud.attemptsOf('a'), [0, 20, 40]);
    expect(cloud.item('a')).toMatchObject({ queue: 'slow' });
  });

  it('comes to many records whose waits are spread', async () => {
    const policy = { type: 'constant', interval: 30, jitter: 'full', maxAttempts: 4 } as const;
    const cloud = cloudOf(policy, { concurrency: 100 });
    for (let i = 0; i < 500; i++) await cloud.insert(`r${i}`, 'q');
    await cloud.pass(200);
    expect(cloud.attempts).toHaveLength(2_000);
    // No more than there are seconds.
    expect(cloud.intake.messages).toBeLessThan(110);
  });
});

it('queues of one function with different weights have runs of their own for short waits', async () => {
  const list = { retryMode: 'perRecord', retry: { type: 'list', waits: [10, 20] } } as const;
  const queues: QueuesSettings = { critical: list, default: list };
  const cloud = new Cloud({ queues, process: never, event: { queues: { critical: 6, default: 1 } } });
  await cloud.insert('c', 'critical');
  await cloud.insert('d', 'default');
  await cloud.pass(300);
  for (const id of ['c', 'd']) expectTimes(cloud.attemptsOf(id), [0, 10, 30]);
});
