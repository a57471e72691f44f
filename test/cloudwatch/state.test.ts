import { describe, expect, it } from 'vitest';
import { MetricData } from '../../tools/src/cloudwatch/metric-data.js';
import { stateAt } from './alarms.js';
import { alarmWith, HOUR, MINUTE, orders, START } from './support.js';

const DAY = 24 * HOUR;

function dataOf(...points: [minutes: number, value: number][]): MetricData {
  const data = new MetricData();
  for (const [minutes, value] of points) data.put({ ...orders, value, at: START + minutes * MINUTE });
  return data;
}

describe('the threshold', () => {
  it.each([
    ['GreaterThanThreshold', ['OK', 'OK', 'ALARM']],
    ['GreaterThanOrEqualToThreshold', ['OK', 'ALARM', 'ALARM']],
    ['LessThanThreshold', ['ALARM', 'OK', 'OK']],
    ['LessThanOrEqualToThreshold', ['ALARM', 'ALARM', 'OK']],
  ])('%s: of 9, 10 and 11, compared with 10', (ComparisonOperator, states) => {
    const alarm = alarmWith({ ComparisonOperator, Threshold: 10 });
    expect([9, 10, 11].map((value) => stateAt(alarm, dataOf([0, value]), START + 5 * MINUTE))).toEqual(
      states,
    );
  });

  it.each([
    ['Sum', 6],
    ['Average', 3],
    ['Maximum', 4],
    ['Minimum', 2],
    ['SampleCount', 2],
  ])('is that of the statistic %s', (Statistic, value) => {
    const data = dataOf([0, 2], [4, 4]);
    const state = (Threshold: number) =>
      stateAt(alarmWith({ Statistic, Threshold }), data, START + 5 * MINUTE);
    expect([state(value - 0.5), state(value)]).toEqual(['ALARM', 'OK']);
  });

  it('is that of a percentile', () => {
    const data = dataOf([0, 2], [1, 4], [2, 100]);
    const state = (ExtendedStatistic: string) =>
      stateAt(
        alarmWith({ Statistic: undefined, ExtendedStatistic, Threshold: 50 }),
        data,
        START + 5 * MINUTE,
      );
    expect([state('p50'), state('p99')]).toEqual(['OK', 'ALARM']);
  });
});

describe('M of N', () => {
  it.each([
    ['1 0 0', 1, 'ALARM'],
    ['0 0 0', 1, 'OK'],
    ['1 0 0', 2, 'OK'],
    ['1 0 1', 2, 'ALARM'],
    ['0 1 1', 2, 'ALARM'],
    ['1 0 1', 3, 'OK'],
    ['1 1 1', 3, 'ALARM'],
    ['1 1 1', undefined, 'ALARM'],
    ['1 0 1', undefined, 'OK'],
    ['1 1 0 0 1', 2, 'OK'],
  ])('%s: %s of 3: %s', (values, DatapointsToAlarm, state) => {
    const points = values.split(' ');
    const data = dataOf(...points.map((value, index): [number, number] => [index * 5, Number(value)]));
    const alarm = alarmWith({ EvaluationPeriods: 3, DatapointsToAlarm });
    expect(stateAt(alarm, data, START + points.length * 5 * MINUTE)).toBe(state);
  });
});

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html and alarm-evaluation-window.html
describe('the window', () => {
  const alarmOver = (changes = {}) => alarmWith({ Threshold: 2, ...changes });
  const wallClock = { EvaluationWindow: { WallClockWindow: {} } };

  it('slides with every minute: two data points across a boundary of the clock count together', () => {
    const data = dataOf([4, 1], [5, 2]);
    const states = (changes = {}) =>
      [5, 6, 10].map((minutes) => stateAt(alarmOver(changes), data, START + minutes * MINUTE));
    expect(states()).toEqual(['OK', 'ALARM', 'OK']);
    expect(states(wallClock)).toEqual(['OK', 'OK', 'OK']);
  });

  it('has no part of the minute that has just begun', () => {
    const data = dataOf([6, 9]);
    expect(stateAt(alarmOver(), data, START + 6 * MINUTE + 59_999)).toBe('OK');
    expect(stateAt(alarmOver(), data, START + 7 * MINUTE)).toBe('ALARM');
  });

  it('has only whole periods of a wall clock, which the caller may ask for as well', () => {
    const data = dataOf([6, 9]);
    for (const [alarm, options] of [
      [alarmOver(wallClock), {}],
      [alarmOver(), { window: 'wallClock' }],
    ] as const) {
      expect(stateAt(alarm, data, START + 9 * MINUTE, options)).toBe('OK');
      expect(stateAt(alarm, data, START + 10 * MINUTE, options)).toBe('ALARM');
    }
  });

  it('of a week of the wall clock starts on Monday', () => {
    const alarm = alarmOver({ Period: 604_800, ...wallClock });
    const midnight = Date.parse('2026-03-02T00:00:00Z');
    expect(stateAt(alarm, dataOf([0, 9]), midnight - MINUTE, { extraPeriods: 0 })).toBe('OK');
    expect(stateAt(alarm, dataOf([0, 9]), midnight, { extraPeriods: 0 })).toBe('ALARM');
  });

  it('of more than a day ends with the full hour', () => {
    // As in AWS's example: the job fails at 10:02, and the alarm knows it at 11:00.
    const data = new MetricData();
    const ten = Date.parse('2026-03-04T10:00:00Z');
    data.put({ ...orders, value: 9, at: ten + 2 * MINUTE });
    const multiDay = alarmOver({ Period: 86_400, EvaluationPeriods: 3, DatapointsToAlarm: 1 });
    const states = [3, 59, 60, 63].map((minutes) => stateAt(multiDay, data, ten + minutes * MINUTE));
    expect(states).toEqual(['OK', 'OK', 'ALARM', 'ALARM']);
    const oneDay = alarmOver({ Period: 86_400 });
    expect(stateAt(oneDay, data, ten + 3 * MINUTE)).toBe('ALARM');
  });

  it('of less than a minute ends every 10 seconds', () => {
    const data = dataOf([0, 9]);
    const alarm = alarmOver({ Period: 10 });
    const states = [9_999, 10_000, 39_999, 40_000].map((after) => stateAt(alarm, data, START + after));
    expect(states).toEqual(['OK', 'ALARM', 'ALARM', 'OK']);
  });

  it('of data that stopped is evaluated again for as long as they are in the evaluation range', () => {
    const data = dataOf([0, 9]);
    const states = [4, 15, 16].map((minutes) => stateAt(alarmOver(), data, START + minutes * MINUTE));
    expect(states).toEqual(['ALARM', 'ALARM', 'OK']);
    expect(stateAt(alarmOver(), data, START + 6 * MINUTE, { extraPeriods: 0 })).toBe('OK');
  });

  it('lies before data only, or has none', () => {
    expect(stateAt(alarmOver(), dataOf([0, 9]), START - DAY)).toBe('OK');
    expect(stateAt(alarmOver({ TreatMissingData: undefined }), dataOf([0, 9]), START - DAY)).toBe(
      'INSUFFICIENT_DATA',
    );
  });
});

describe('an expression', () => {
  const metric = (Id: string, MetricName: string) => ({
    Id,
    MetricStat: { Metric: { Namespace: 'Shop', MetricName }, Period: 300, Stat: 'Sum' },
    ReturnData: false,
  });
  const alarmOn = (Expression: string, changes = {}, ...more: unknown[]) =>
    alarmWith({
      Metrics: [
        { Id: 'watched', Expression, ReturnData: true },
        metric('failed', 'Failed'),
        metric('all', 'All'),
        ...more,
      ],
      Threshold: 50,
      TreatMissingData: undefined,
      ...changes,
    });
  const data = new MetricData();
  const put = (name: string, minutes: number, value: number) =>
    data.put({ namespace: 'Shop', name, value, at: START + minutes * MINUTE });
  put('Failed', 0, 6);
  put('All', 0, 10);
  put('Failed', 5, 3);
  put('All', 5, 10);
  put('All', 10, 10);
  put('Failed', 15, 1);
  put('Failed', 25, 0);
  put('All', 25, 0);
  const states = (alarm: ReturnType<typeof alarmWith>) =>
    [5, 10, 15, 20, 30].map((minutes) => stateAt(alarm, data, START + minutes * MINUTE, { extraPeriods: 0 }));

  it('is evaluated period by period; what was divided by zero is missing', () => {
    expect(states(alarmOn('100 * failed / all'))).toEqual([
      'ALARM',
      'OK',
      'OK',
      'INSUFFICIENT_DATA',
      'INSUFFICIENT_DATA',
    ]);
  });

  it('can rest on other expressions', () => {
    const share = { Id: 'share', Expression: 'failed / all', ReturnData: false };
    const alarm = alarmOn('FILL(share * 100, 99)', {}, share);
    expect(states(alarm)).toEqual(['ALARM', 'OK', 'OK', 'ALARM', 'ALARM']);
  });

  it('raises an alarm for what stopped', () => {
    const stopped = alarmOn('FILL(failed, 0) + FILL(all, 0)', {
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
    });
    expect(states(stopped)).toEqual(['OK', 'OK', 'OK', 'OK', 'ALARM']);
  });
});
