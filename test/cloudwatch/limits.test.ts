import { describe, expect, it } from 'vitest';
import { alarmsOf, checkAlarm } from './alarms.js';
import { alarmWith, properties, templateOf } from './support.js';

const wallClock = { EvaluationWindow: { WallClockWindow: {} } };

describe('an alarm of a metric', () => {
  it.each([
    [{ Period: 10, EvaluationPeriods: 8640 }],
    [{ Period: 20 }],
    [{ Period: 30 }],
    [{ Period: 60, EvaluationPeriods: 1440 }],
    [{ Period: 3540, EvaluationPeriods: 24 }],
    [{ Period: 3600, EvaluationPeriods: 168 }],
    [{ Period: 86_400, EvaluationPeriods: 7 }],
    [{ Period: 604_800, ...wallClock }],
    [{ EvaluationPeriods: 3, DatapointsToAlarm: 3 }],
  ])('is taken: %j', (changes) => {
    checkAlarm(alarmWith(changes));
  });

  it.each([
    [{ Period: 0 }, 'a period is 10, 20 or 30 seconds or a multiple of 60: 0'],
    [{ Period: 40 }, 'a period is 10, 20 or 30 seconds or a multiple of 60: 40'],
    [{ Period: 90 }, 'a period is 10, 20 or 30 seconds or a multiple of 60: 90'],
    [{ Period: 10, EvaluationPeriods: 8641 }, '8641 periods of 10 s are more than a day'],
    [{ Period: 60, EvaluationPeriods: 1441 }, '1441 periods of 60 s are more than a day'],
    [{ Period: 3540, EvaluationPeriods: 25 }, '25 periods of 3540 s are more than a day'],
    [{ Period: 3600, EvaluationPeriods: 169 }, '169 periods of 3600 s are more than 7 days'],
    [{ Period: 86_400, EvaluationPeriods: 8 }, '8 periods of 86400 s are more than 7 days'],
    [{ EvaluationPeriods: 0 }, 'EvaluationPeriods is a positive integer: 0'],
    [{ EvaluationPeriods: 1.5 }, 'EvaluationPeriods is a positive integer: 1.5'],
    [{ DatapointsToAlarm: 2 }, 'DatapointsToAlarm is from 1 to EvaluationPeriods: 2 of 1'],
    [{ DatapointsToAlarm: 0 }, 'DatapointsToAlarm is from 1 to EvaluationPeriods: 0 of 1'],
    [{ Period: 900, ...wallClock }, 'a wall clock window has a period of a minute'],
  ])('is refused: %j', (changes, message) => {
    expect(() => checkAlarm(alarmWith(changes))).toThrow(`alarm Alarm: ${message}`);
  });
});

describe('an alarm of an expression', () => {
  const metric = (Id: string, Period = 300) => ({
    Id,
    MetricStat: { Metric: { Namespace: 'Shop', MetricName: Id }, Period, Stat: 'Sum' },
    ReturnData: false,
  });
  const expression = (Expression: string, Id = 'e1', ReturnData = true) => ({ Id, Expression, ReturnData });
  const metrics = (count: number) => Array.from({ length: count }, (_, index) => metric(`m${index + 1}`));

  it.each([
    [[expression('SUM(METRICS())'), ...metrics(10)]],
    [[expression('SUM([m1, m2]) / MAX(m2)'), ...metrics(2)]],
    [[expression('e2 * 2'), expression('m1 + 1', 'e2', false), metric('m1')]],
    [[expression('FILL(m1, REPEAT)'), metric('m1')]],
    [[{ ...metric('m1'), ReturnData: undefined }]],
  ])('is taken: %j', (Metrics) => {
    checkAlarm(alarmWith({ Metrics }));
  });

  it.each([
    [[expression('SUM(METRICS())'), ...metrics(11)], 'an expression has at most 10 metrics: 11'],
    [[expression('SUM(m1)'), metric('m1')], 'expected one time series to watch'],
    [[expression('METRICS()'), ...metrics(2)], 'expected one time series to watch'],
    [[expression('[m1, m2] * 2'), ...metrics(2)], 'expected one time series to watch'],
    [[expression('SUM([m1, 2])'), metric('m1')], '"SUM([m1, 2])": 2 is no time series'],
    [metrics(2), 'one metric or expression has ReturnData: none'],
    [[expression('m1'), expression('m1', 'e2'), metric('m1')], 'has ReturnData: e1, e2'],
    [[expression('m1'), metric('m1'), metric('m1')], 'an id is used once: e1, m1, m1'],
    [[expression('M1'), metric('M1')], 'an id starts with a small letter: M1'],
    [[expression('m1 + m2'), metric('m1'), metric('m2', 60)], 'have the same period: 300, 60 s'],
    [[expression('m1 + m2'), metric('m1')], '"m1 + m2" names m2, which does not exist'],
    [[expression('e2'), expression('e1', 'e2', false)], 'the expression e1 depends on itself'],
  ])('is refused: %j', (Metrics, message) => {
    expect(() => checkAlarm(alarmWith({ Metrics }))).toThrow(message);
    expect(() => checkAlarm(alarmWith({ Metrics }))).toThrow('alarm Alarm: ');
  });
});

describe('a composite alarm', () => {
  const check = (composites: Record<string, { AlarmRule: string }>, alarms = 1) => {
    const ids = Array.from({ length: alarms }, (_, index) => `Own${index}`);
    const template = templateOf(Object.fromEntries(ids.map((id) => [id, properties])), composites);
    for (const alarm of alarmsOf(template)) checkAlarm(alarm);
  };
  const anyOf = (count: number) =>
    Array.from({ length: count }, (_, index) => `ALARM(Own${index})`).join(' OR ');

  it('is taken', () => {
    check({ A: { AlarmRule: 'ALARM(B) OR ALARM(Own0)' }, B: { AlarmRule: 'ALARM(Own0)' } });
    check({ A: { AlarmRule: anyOf(100) } }, 100);
  });

  it.each([
    ['of itself', { A: { AlarmRule: 'ALARM(A)' } }, 'alarm A: rules depend on each other: A → A'],
    [
      'of one that names it',
      { A: { AlarmRule: 'ALARM(Own0) OR ALARM(B)' }, B: { AlarmRule: 'NOT OK(A)' } },
      'alarm A: rules depend on each other: A → B → A',
    ],
    ['of too many', { A: { AlarmRule: anyOf(101) } }, 'alarm A: a rule names at most 100 alarms: 101'],
  ])('is refused: %s', (_, composites, message) => {
    expect(() => check(composites as Record<string, { AlarmRule: string }>, 101)).toThrow(message);
  });
});
