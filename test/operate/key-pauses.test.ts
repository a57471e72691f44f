import { describe, expect, it } from 'vitest';
import type { PauseOptions } from '../../src/operate/options.js';
import { parseKeyPauses } from '../../src/store/key-pauses.js';
import { Harness, START } from '../worker/harness.js';
import { interrupted, operatorOf } from './support.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const keysOf = async ({ store }: Harness) =>
  parseKeyPauses((await store.queues.read('q')).pausedKeys).pauses.map(({ key }) => key);

it('the pause of a key has its beginning, and what an operator says of it', async () => {
  const harness = new Harness();
  const operator = operatorOf(harness);
  const said = { until: '2h', reason: 'their endpoint is down', by: 'role/ops' };
  expect(await operator.pauseKey('q', 'acme', said)).toBe(true);
  const pause = { key: 'acme', since: iso(0), until: iso(7_200), reason: said.reason, by: said.by };
  const [queue] = (await operator.stats()).queues;
  expect(queue).toMatchObject({ queue: 'q', paused: false, pausedKeys: [pause] });
});

it('a second pause changes end and reason, and keeps the beginning', async () => {
  const harness = new Harness();
  const operator = operatorOf(harness);
  await operator.pauseKey('q', 'acme', { reason: 'asked', by: 'anna' });
  await harness.pass(60);
  expect(await operator.pauseKey('q', 'acme', { by: 'ben' })).toBe(false);
  expect(await operator.pauseKey('q', 'acme', { reason: 'asked' })).toBe(false);
  expect(await operator.pauseKey('q', 'acme', { until: '1h', by: 'ben' })).toBe(true);
  const [queue] = (await operator.stats()).queues;
  expect(queue?.pausedKeys).toEqual([
    { key: 'acme', since: iso(0), until: iso(3_660), reason: 'asked', by: 'ben' },
  ]);
});

it('a pause that is over is none: the next one begins then', async () => {
  const harness = new Harness();
  const operator = operatorOf(harness);
  await operator.pauseKey('q', 'acme', { until: '1h', reason: 'asked' });
  await harness.pass(3_600);
  expect((await operator.stats()).queues[0]?.pausedKeys).toBeUndefined();
  expect(await operator.pauseKey('q', 'acme')).toBe(true);
  expect((await operator.stats()).queues[0]?.pausedKeys).toEqual([{ key: 'acme', since: iso(3_600) }]);
});

it('20 keys at most are paused: those that are over do not count', async () => {
  const harness = new Harness();
  const operator = operatorOf(harness);
  await operator.pauseKey('q', 'short', { until: '1m' });
  for (let i = 0; i < 19; i++) await operator.pauseKey('q', `k${i}`);
  await expect(operator.pauseKey('q', 'one more')).rejects.toThrow(
    'pause: queue "q": 20 keys are paused, and no more can be: resume one ("short", "k0", "k1", …), or pause the queue',
  );
  expect(await operator.pauseKey('q', 'k0', { reason: 'asked' })).toBe(true);
  await harness.pass(60);
  expect(await operator.pauseKey('q', 'one more')).toBe(true);
});

it('of two operators at the same time, both pauses hold', async () => {
  const harness = new Harness();
  let others = 5;
  const between = async () => {
    if (others-- > 0) await operatorOf(harness).pauseKey('q', `k${others}`);
  };
  const store = interrupted(harness.store, { 'queues.notePausedKeys': between });
  expect(await operatorOf(harness, store).pauseKey('q', 'acme')).toBe(true);
  expect((await keysOf(harness)).sort()).toEqual(['acme', 'k0', 'k1', 'k2', 'k3', 'k4']);
});

it('an operator gives up where others change the keys all the time', async () => {
  const harness = new Harness();
  let others = 0;
  const between = () => operatorOf(harness).pauseKey('q', 'other', { reason: `change ${others++}` });
  const store = interrupted(harness.store, { 'queues.notePausedKeys': between });
  await expect(operatorOf(harness, store).pauseKey('q', 'acme')).rejects.toThrow(
    /others change its paused keys/,
  );
});

it('pauses of a queue and of its keys do not touch each other', async () => {
  const harness = new Harness();
  const operator = operatorOf(harness);
  await operator.pauseKey('q', 'acme');
  await operator.pause('q');
  await operator.resume('q');
  expect(await keysOf(harness)).toEqual(['acme']);
  await operator.pause('q');
  await operator.resumeKey('q', 'acme');
  expect((await harness.store.queues.read('q')).paused).toBe(true);
  expect((await harness.store.queues.read('q')).pausedKeys).toBeUndefined();
});

it('a damaged text is replaced', async () => {
  const harness = new Harness();
  await harness.store.queues.notePausedKeys('q', 'damaged', undefined);
  await operatorOf(harness).pauseKey('q', 'acme');
  expect(await keysOf(harness)).toEqual(['acme']);
});

describe('wrong options', () => {
  it.each([
    ['a b', 'acme', {}, /pauseKey: queue: expected letters/],
    ['q', '', {}, /pauseKey: key: expected text of 1 to 256 bytes, got ""/],
    ['q', 'x'.repeat(257), {}, /pauseKey: key: expected text of 1 to 256 bytes/],
    ['q', 7, {}, /pauseKey: key: expected text of 1 to 256 bytes, got 7/],
    ['q', 'acme', { until: iso(0) }, /pause\.until: expected a time that lies ahead/],
    ['q', 'acme', { reason: 'two\nlines' }, /pause\.reason/],
    ['q', 'acme', { for: '2h' }, /pause/],
  ])('are refused, and nothing is paused: %s %.9s %j', async (queue, key, options, message) => {
    const harness = new Harness();
    const operator = operatorOf(harness);
    await expect(operator.pauseKey(queue, key as string, options as PauseOptions)).rejects.toThrow(message);
    expect(await keysOf(harness)).toEqual([]);
  });

  it('of a resume are refused, and the key stays paused', async () => {
    const harness = new Harness();
    const operator = operatorOf(harness);
    await operator.pauseKey('q', 'acme');
    await expect(operator.resumeKey('q', 'acme', { perSecond: 0 })).rejects.toThrow(/resumeKey/);
    await expect(operator.resumeKey('q', '')).rejects.toThrow(/resumeKey: key/);
    expect(await keysOf(harness)).toEqual(['acme']);
  });
});

it('a record that was put off and is discarded says in which lane it may be under attempt', async () => {
  const harness = new Harness();
  const operator = operatorOf(harness);
  await operator.pauseKey('q', 'acme');
  harness.put('a', { key: 'acme' });
  await harness.run(() => {});
  expect(harness.item('a').notBefore).toMatchObject({ lane: '#paused' });
  await operator.discard('a');
  expect(harness.item('a')).toMatchObject({ status: 'DEAD', notBefore: { lane: 'q' } });
});
