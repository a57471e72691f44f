import { describe, expect, it } from 'vitest';
import { MetricData, metricKey } from '../../tools/src/cloudwatch/metric-data.js';

const MINUTE = 60_000;
const START = Date.parse('2026-03-01T12:00:00Z');
const metric = { namespace: 'Shop', name: 'Orders', dimensions: { Table: 't', Queue: 'q' } };

describe('a metric', () => {
  it.each([
    ['Sum', 20],
    ['Average', 5],
    ['Minimum', 2],
    ['Maximum', 9],
    ['SampleCount', 4],
    ['p0', 2],
    ['p25', 2],
    ['p26', 4],
    ['p50', 4],
    ['p75', 5],
    ['p99.9', 9],
    ['p100', 9],
  ])('has the statistic %s', (statistic, value) => {
    const data = new MetricData();
    data.put({ ...metric, values: [5, 9, 2, 4], at: START });
    expect(data.valueBefore({ ...metric, statistic, period: 60 }, START + MINUTE)).toBe(value);
  });

  it.each(['sum', 'tm90', 'p101', 'pp', 'IQM'])('has no statistic %s', (statistic) => {
    expect(() => new MetricData().valueBefore({ ...metric, statistic, period: 60 }, START)).toThrow(
      `unknown statistic "${statistic}"`,
    );
  });

  it('has a value in the periods with data, whichever of them was put first', () => {
    const data = new MetricData();
    data.put({ ...metric, value: 4, at: START + 14 * MINUTE });
    data.put({ ...metric, value: 1, at: new Date(START) });
    data.put({ ...metric, value: 2, at: START + 5 * MINUTE - 1 });
    const periods = data.alignedPeriods(
      { ...metric, statistic: 'Sum', period: 300 },
      START + MINUTE,
      START + 15 * MINUTE,
    );
    expect(periods).toEqual([
      { start: START, value: 3 },
      { start: START + 5 * MINUTE, value: undefined },
      { start: START + 10 * MINUTE, value: 4 },
    ]);
    expect(data.firstAt(metric)).toBe(START);
  });

  it('counts a data point in the period that starts with it, not in the one that ends with it', () => {
    const data = new MetricData();
    const query = { ...metric, statistic: 'Sum', period: 60 };
    data.put({ ...metric, value: 1, at: START });
    expect(data.valueBefore(query, START)).toBeUndefined();
    expect(data.valueBefore(query, START + 1)).toBe(1);
    expect(data.valueBefore(query, START + MINUTE)).toBe(1);
    expect(data.valueBefore(query, START + MINUTE + 1)).toBeUndefined();
  });

  it('has new data as soon as they are put', () => {
    const data = new MetricData();
    const query = { ...metric, statistic: 'Sum', period: 60 };
    expect(data.valueBefore(query, START + MINUTE)).toBeUndefined();
    data.put({ ...metric, value: 1, at: START });
    expect(data.valueBefore(query, START + MINUTE)).toBe(1);
    data.put({ ...metric, value: 2, at: START });
    expect(data.valueBefore(query, START + MINUTE)).toBe(3);
  });

  it.each([
    ['the order of its dimensions does not matter', { dimensions: { Queue: 'q', Table: 't' } }, 7],
    ['another value of a dimension', { dimensions: { Table: 't', Queue: 'other' } }, undefined],
    ['fewer dimensions', { dimensions: { Table: 't' } }, undefined],
    ['no dimensions', { dimensions: undefined }, undefined],
    ['another name', { name: 'orders' }, undefined],
    ['another namespace', { namespace: 'Shops' }, undefined],
    ['its unit', { unit: 'Count' }, 7],
    ['another unit', { unit: 'Seconds' }, undefined],
  ])('is another one with other names: %s', (_, difference, value) => {
    const data = new MetricData();
    data.put({ ...metric, value: 7, unit: 'Count', at: START });
    const query = { ...metric, ...difference, statistic: 'Sum', period: 60 };
    expect(data.valueBefore(query, START + MINUTE)).toBe(value);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('takes no %s', (value) => {
    expect(() => new MetricData().put({ ...metric, value, at: START })).toThrow(
      'metric Orders: expected a finite number',
    );
    expect(() => new MetricData().put({ ...metric, value: 1, at: value })).toThrow('expected a time');
  });
});

describe('data that are kept for a time', () => {
  const HOUR = 60 * MINUTE;
  const kept = () => new MetricData(new Map([[metricKey(metric), HOUR]]));
  const sum = { ...metric, statistic: 'Sum', period: 60 };

  it('are there for that time, and go then', () => {
    const data = kept();
    for (let minute = 0; minute < 300; minute++)
      data.put({ ...metric, value: 1, at: START + minute * MINUTE });
    const end = START + 300 * MINUTE;
    for (let ago = 0; ago < 60; ago++) expect(data.valueBefore(sum, end - ago * MINUTE)).toBe(1);
    expect(data.firstAt(metric)).toBeGreaterThan(end - 3 * HOUR);
  });

  it('are those of the named metrics alone', () => {
    const data = kept();
    data.put({ ...metric, name: 'Others', value: 1, at: START });
    data.put({ ...metric, value: 1, at: START });
    expect(data.names()).toEqual([metricKey(metric)]);
  });

  it('count at once where a value comes for a period that was asked for', () => {
    const data = kept();
    expect(data.valueBefore(sum, START + MINUTE)).toBeUndefined();
    data.put({ ...metric, value: 1, at: START });
    expect(data.valueBefore(sum, START + MINUTE)).toBe(1);
    data.put({ ...metric, value: 2, at: START });
    expect(data.valueBefore(sum, START + MINUTE)).toBe(3);
  });
});
