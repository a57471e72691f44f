import { describe, expect, it } from 'vitest';
import type { PauseOptions } from '../../src/operate/options.js';
import { Harness, START, succeed, YOUNG } from '../worker/harness.js';
import { operatorOf } from './support.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();

it('a paused queue is attempted no further than the page at hand, and goes on when it is resumed', async () => {
  const harness = new Harness();
  const operator = operatorOf(harness);
  for (let i = 0; i < 100; i++) harness.put(`r${i}`);
  const running = harness.start(() => harness.sleep(10), { concurrency: 5 });
  await harness.pass(15);
  expect(await operator.pause('q')).toBe(true);
  expect(await operator.pause('q')).toBe(false);
  const pausedAt = harness.time.now;
  const summary = await harness.time.until(running);
  expect(summary).toMatchObject({ ended: 'paused' });
  // A page is no larger than what fits into a minute at the worst: of 5 at once that take 30 s, ten.
  expect(summary.attempted).toBeLessThanOrEqual(20);
  expect((harness.time.now - pausedAt) / 1000).toBeLessThanOrEqual(60);
  expect((await harness.store.queues.read('q')).pausedAt).toBe(iso(15));
  expect(await harness.run(succeed)).toMatchObject({ attempted: 0, ended: 'paused' });
  expect(await operator.resume('q')).toBe(true);
  expect(await operator.resume('q')).toBe(false);
  expect(await harness.run(succeed)).toMatchObject({ succeeded: 100 - summary.attempted });
});

it('no record of a paused queue is attempted on arrival, or by any tier; other queues go on', async () => {
  const harness = new Harness();
  const operator = operatorOf(harness);
  await operator.pause('q');
  harness.put('placed');
  harness.store.put({ id: 'bare', status: 'NEW', queue: 'q', payload: 1 });
  const arrivals = { batch: 'b', ids: ['bare'] };
  expect(await harness.run(succeed, { arrivals })).toMatchObject({ attempted: 0, ended: 'paused' });
  expect(await harness.run(succeed, { band: YOUNG })).toMatchObject({ attempted: 0, ended: 'paused' });
  await operator.resume('q');
  await operator.pause('another');
  expect(await harness.run(succeed)).toMatchObject({ succeeded: 2 });
});

it('arrivals of a queue that is paused meanwhile are attempted no further than the claim at hand', async () => {
  const harness = new Harness();
  const ids = Array.from({ length: 20 }, (_, i) => `r${i}`);
  for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: 1 });
  const running = harness.start(() => harness.sleep(20), { concurrency: 1, arrivals: { batch: 'b', ids } });
  await harness.pass(1);
  await operatorOf(harness).pause('q');
  const { attempted, leftOver, ended } = await harness.time.until(running);
  expect({ ended, left: attempted + leftOver }).toEqual({ ended: 'paused', left: 20 });
  expect(attempted).toBeLessThanOrEqual(3);
});

it('the name of a queue has to be one', async () => {
  await expect(operatorOf(new Harness()).pause('a b')).rejects.toThrow(/pause: queue: expected letters/);
  await expect(operatorOf(new Harness()).resume('')).rejects.toThrow(/resume: queue/);
});

describe('what a pause says', () => {
  it.each([
    [new Date(START + 60_000), 60],
    [iso(90), 90],
    ['2h', 7_200],
    ['00:15Z', 900],
    ['00:00 UTC', 86_400],
  ])('is until when it is announced: %s', async (until, seconds) => {
    const harness = new Harness();
    await operatorOf(harness).pause('q', { until });
    expect((await harness.store.queues.read('q')).pausedUntil).toBe(iso(seconds));
  });

  it.each([
    [{ until: iso(0) }, /pause\.until: expected a time that lies ahead, such as "16:00Z"/],
    [{ until: '25:00Z' }, /pause\.until/],
    [{ until: '2026-12-24T18:00:00' }, /pause\.until/],
    [{ until: '0s' }, /pause\.until/],
    [{ reason: 'x'.repeat(201) }, /pause\.reason: expected a text of up to 200 characters on one line/],
    [{ reason: '' }, /pause\.reason/],
    [{ reason: 'two\nlines' }, /pause\.reason/],
    [{ by: 'a\u202eb' }, /pause\.by/],
    [{ for: '2h' }, /pause/],
  ])('is refused, and the queue is not paused: %j', async (options, message) => {
    const harness = new Harness();
    await expect(operatorOf(harness).pause('q', options as PauseOptions)).rejects.toThrow(message);
    expect((await harness.store.queues.read('q')).paused).toBe(false);
  });

  it('is in the statistics, and gone after the resume', async () => {
    const harness = new Harness();
    const operator = operatorOf(harness);
    await operator.pause('q', { reason: 'stocktaking', until: '2h', by: 'role/ops' });
    const note = { pausedUntil: iso(7_200), pauseReason: 'stocktaking', pausedBy: 'role/ops' };
    expect((await operator.stats()).queues).toMatchObject([{ queue: 'q', paused: true, ...note }]);
    await operator.resume('q');
    const [queue = {}] = (await operator.stats()).queues;
    expect(Object.keys(queue).filter((name) => name in note)).toEqual([]);
  });
});
