import { describe, expect, it } from 'vitest';
import {
  type BusyKey,
  busyKeysText,
  findBusy,
  hashOfKey,
  isVacant,
  laneOfBusy,
  lanesToRead,
  MAX_BUSY_KEYS,
  parseBusyKeys,
  withBusy,
} from '../../src/record/busy-keys.js';
import { laneFor, ownLaneOf, parseRecord } from '../../src/record/index.js';
import { KeyMeter } from '../../src/record/key-meter.js';
import { KeyTimes } from '../../src/record/key-times.js';

const NOW = Date.UTC(2026, 2, 1);
const HOUR = 3_600_000;

describe('the key of a record', () => {
  const keyOf = (key: unknown) => parseRecord({ id: 'a', status: 'NEW', key }, NOW);

  it('is text of 1 to 256 bytes', () => {
    expect(keyOf('tenant-7')).toMatchObject({ key: 'tenant-7', attributes: {} });
    expect(keyOf('ü'.repeat(128)).key).toBe('ü'.repeat(128));
  });

  it.each([
    ['too long', 'ü'.repeat(129)],
    ['empty', ''],
    ['a number', 7],
    ['a map', { tenant: 7 }],
    ['a set', new Set(['a'])],
    ['null', null],
  ])('is none where it is %s: the attribute is the producer’s own, and no trouble', (_, value) => {
    const record = keyOf(value);
    expect(record).not.toHaveProperty('key');
    expect(record.attributes).toEqual({ key: value });
    expect(record.problems).toEqual([]);
  });
});

describe('the meter of keys', () => {
  it('lets ten records of a key come at once, and one a second after them', () => {
    const meter = new KeyMeter();
    const busy = Array.from({ length: 12 }, () => meter.add('a', NOW));
    expect(busy.indexOf(true)).toBe(10);
    expect(meter.add('b', NOW)).toBe(false);
    const steady = new KeyMeter();
    for (let second = 0; second < 1_000; second++) {
      expect(steady.add('a', NOW + second * 1_000)).toBe(false);
    }
  });

  it('forgives a key after an hour, however many records came', () => {
    const meter = new KeyMeter();
    for (let i = 0; i < 20_000; i++) meter.add('a', NOW);
    expect(meter.add('a', NOW + HOUR / 2)).toBe(true);
    expect(meter.add('a', NOW + 1.5 * HOUR)).toBe(false);
  });

  it('knows ten thousand keys, and forgets the one that was not met for longest', () => {
    const meter = new KeyMeter();
    for (let i = 0; i < 10; i++) meter.add('first', NOW);
    for (let i = 0; i < 9_999; i++) meter.add(`key-${i}`, NOW);
    expect(meter.add('first', NOW)).toBe(true);
    for (let i = 0; i < 10_000; i++) meter.add(`other-${i}`, NOW);
    expect(meter.add('first', NOW)).toBe(false);
  });
});

describe('the times of keys', () => {
  it('make a key busy whose attempts take more than its part, by five seconds, while these are under way', () => {
    const times = new KeyTimes(1);
    times.add('a', 1, NOW);
    times.add('a', 1, NOW);
    expect(times.add('a', 1, NOW + 5_000)).toBe(false);
    expect(times.add('a', 1, NOW + 5_001)).toBe(true);
    expect(times.add('b', 1, NOW + 5_001)).toBe(false);
  });

  it('let a key have its part under way all the time', () => {
    const times = new KeyTimes(2);
    times.add('a', 1, NOW);
    times.add('a', 1, NOW);
    expect(times.add('a', -1, NOW + HOUR)).toBe(false);
  });

  it('take short attempts for nothing, and forgive long ones after an hour', () => {
    const times = new KeyTimes(0.5);
    for (let i = 0; i < 10; i++) times.add('a', 1, NOW);
    for (let i = 0; i < 10; i++) expect(times.add('a', -1, NOW + 200)).toBe(false);
    for (let i = 0; i < 10; i++) times.add('a', 1, NOW + HOUR);
    for (let i = 0; i < 10; i++) expect(times.add('a', -1, NOW + 9 * HOUR)).toBe(true);
    expect(times.add('a', 1, NOW + 9.9 * HOUR)).toBe(true);
    times.add('a', -1, NOW + 9.9 * HOUR);
    expect(times.add('a', 1, NOW + 10 * HOUR)).toBe(false);
  });

  it('take a clock that is set back for one that stands', () => {
    const times = new KeyTimes(0.5);
    for (let i = 0; i < 10; i++) times.add('a', 1, NOW);
    expect(times.add('a', -1, NOW - HOUR)).toBe(false);
    const wide = new KeyTimes(10);
    wide.add('b', 1, NOW);
    expect(wide.add('b', -1, NOW - HOUR)).toBe(false);
  });
});

describe('busy keys', () => {
  const [a, b] = [hashOfKey('a'), hashOfKey('b')];
  const all = (count: number, shards?: number, until = NOW) =>
    withBusy(
      [],
      Array.from({ length: count }, (_, i) => hashOfKey(`key-${i}`)),
      until,
      shards,
    );

  it('get the lanes of shards that the queue does not use, from the last one down', () => {
    const busy = withBusy([], [a, b], NOW);
    expect(busy.map((one) => laneOfBusy(one, 'orders'))).toEqual(['orders#31', 'orders#30']);
    expect(new Set(all(MAX_BUSY_KEYS).map(({ shard }) => shard)).size).toBe(MAX_BUSY_KEYS);
    expect(Math.min(...all(MAX_BUSY_KEYS).map(({ shard }) => shard))).toBe(8);
    expect(Math.min(...all(100, 20).map(({ shard }) => shard))).toBe(20);
  });

  it('are read back as they were noted, to the minute', () => {
    const busy = withBusy([], [a, b], NOW);
    expect(parseBusyKeys(busyKeysText(busy))).toEqual(busy);
    expect(Buffer.byteLength(busyKeysText(all(MAX_BUSY_KEYS)) ?? '')).toBeLessThanOrEqual(420);
    expect(busyKeysText([])).toBeUndefined();
  });

  it.each(['', 'x', 'v:a', 'w:a:1', '0:a:1', 'v:a:1:1', 'v::1', `v:${'a'.repeat(30)}:1`, '{"a":1}', 'v:A:1'])(
    'are none where the item has %j',
    (text) => expect(parseBusyKeys(text)).toEqual([]),
  );

  it('have no lane that is one of a shard', () => {
    expect(parseBusyKeys('v:a:1,8:b:1', 16).map(({ shard }) => shard)).toEqual([31]);
    expect(lanesToRead('q', 2, 'v:a:1,1:b:1')).toEqual(['q', 'q#1', 'q#31']);
  });

  it('keep their lane for an hour, and longer if they are busy then', () => {
    const [first] = withBusy([], [a], NOW);
    expect(first?.until).toBe(NOW + HOUR);
    expect(withBusy([first as BusyKey], [a], NOW + HOUR / 2)).toEqual([
      { ...first, until: NOW + 1.5 * HOUR },
    ]);
    expect(isVacant(first as BusyKey, NOW + HOUR)).toBe(false);
    expect(isVacant(first as BusyKey, NOW + 2 * HOUR)).toBe(true);
  });

  it('share lanes where there are more of them than lanes, and take that of a key which is not busy any more', () => {
    const full = all(MAX_BUSY_KEYS);
    const more = withBusy(full, [a], NOW);
    expect(more).toHaveLength(MAX_BUSY_KEYS);
    expect(more.map(({ hash }) => hash)).toEqual(full.map(({ hash }) => hash));
    expect(findBusy(more, a, NOW)).toBeDefined();
    expect(findBusy(full.slice(1), a, NOW)).toBeUndefined();
    const later = withBusy(full, [a], NOW + 1.2 * HOUR);
    expect(later.filter(({ hash }) => hash === a)).toHaveLength(1);
    expect(later).toHaveLength(MAX_BUSY_KEYS);
  });

  it('take a lane that is not needed any more before they share one', () => {
    const old = all(MAX_BUSY_KEYS);
    const [unused, ...others] = old.map(({ hash }) => hash);
    const renewed = withBusy(old, others, NOW + HOUR);
    const more = withBusy(renewed, [a], NOW + 1.5 * HOUR);
    expect(more.map(({ hash }) => hash)).toEqual([a, ...others]);
    expect(more[0]?.shard).toBe(renewed.find(({ hash }) => hash === unused)?.shard);
  });

  it('leave no dead record in a lane that nothing reads: one that is redriven goes to a lane of its queue', () => {
    const dead = { id: 'a', queue: 'q', lane: 'q#31/dead' };
    expect(ownLaneOf({ ...dead, key: 'a' })).toBe('q');
    expect(ownLaneOf({ ...dead, key: 'a' }, 4)).toBe(laneFor(dead, 4));
    expect(ownLaneOf(dead)).toBe('q#31');
    expect(ownLaneOf({ ...dead, lane: 'q#31', key: 'a' })).toBe('q#31');
  });
});
