import { describe, expect, it } from 'vitest';
import { exactly, isExact, nearestTick, noEarlierThan } from '../../src/policies/tick.js';

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);
const text = (time: number) => new Date(time).toISOString().slice(11, -1);

describe('a due time that is kept to the second', () => {
  it('is known by its millisecond', () => {
    expect(isExact('2026-01-01T12:00:35.001Z')).toBe(true);
    for (const time of ['12:00:35.000', '12:00:35.010', '12:00:35.011', '00:01:00.100'])
      expect(isExact(`2026-01-01T${time}Z`)).toBe(false);
  });

  it('is in the second in which the wait ends', () => {
    for (const end of ['12:00:35.000', '12:00:35.400', '12:00:35.999'])
      expect(text(exactly(at(end), at('12:00:00.000')))).toBe('12:00:35.001');
  });

  it('is in the next second, if it may not be earlier than a time in this one', () => {
    expect(text(exactly(at('12:00:35.400'), at('12:00:35.001')))).toBe('12:00:35.001');
    expect(text(exactly(at('12:00:35.400'), at('12:00:35.400')))).toBe('12:00:36.001');
    expect(
      ['12:00:35.000', '12:00:35.001', '12:00:35.002'].map((time) => text(noEarlierThan(at(time)))),
    ).toEqual(['12:00:35.001', '12:00:35.001', '12:00:36.001']);
  });
});

describe('a due time of the nearest tick', () => {
  it('is half a tick early, but not before the earliest one', () => {
    expect(text(nearestTick(at('12:10:00.000'), at('12:00:00.000'), 60))).toBe('12:09:30.000');
    expect(text(nearestTick(at('12:10:00.000'), at('12:09:50.000'), 60))).toBe('12:09:50.000');
  });

  it('never looks like one that is kept to the second', () => {
    expect(text(nearestTick(at('12:10:00.001'), at('12:00:00.000'), 60))).toBe('12:09:30.002');
    expect(text(nearestTick(at('12:10:00.000') + 0.5, at('12:00:00.000'), 60))).toBe('12:09:30.002');
  });
});
