import { describe, expect, it } from 'vitest';
import { type AlarmState, MISSING_DATA } from '../../tools/src/cloudwatch/alarm.js';
import { MetricData } from '../../tools/src/cloudwatch/metric-data.js';
import { stateAt } from './alarms.js';
import { alarmWith, MINUTE, orders, START } from './support.js';

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html

const PERIOD = 5 * MINUTE;
const KEPT = 'as before';

/** The most recent point is the last one; before them the alarm was in the state that the data of then gave it. */
function stateOf(points: string, missingData: string, datapointsToAlarm: number, before?: 0 | 1): AlarmState {
  const data = new MetricData();
  const values = points.split(' ');
  for (const [index, sign] of values.entries()) {
    if (sign !== '-') data.put({ ...orders, value: sign === 'X' ? 1 : 0, at: START + index * PERIOD });
  }
  // Just as many as it needs to decide, and too early for the range that is evaluated.
  if (before !== undefined) {
    for (const ago of [1, 2, 3]) data.put({ ...orders, value: before, at: START - ago * PERIOD });
  }
  const alarm = alarmWith({
    EvaluationPeriods: 3,
    DatapointsToAlarm: datapointsToAlarm,
    TreatMissingData: missingData,
  });
  return stateAt(alarm, data, START + values.length * PERIOD);
}

type Row = [points: string, missing: string, ignore: string, breaching: string, notBreaching: string];

/** Both tables have an evaluation range of 5. */
const allOfThree: Row[] = [
  ['0 - X - X', 'OK', 'OK', 'OK', 'OK'],
  ['0 - - - -', 'OK', 'OK', 'OK', 'OK'],
  ['- - - - -', 'INSUFFICIENT_DATA', KEPT, 'ALARM', 'OK'],
  ['0 X X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['- - X - -', 'ALARM', KEPT, 'ALARM', 'OK'],
  // Of the text below the tables, and of an earlier edition of them, which had a state in its place.
  ['- - - - X', 'INSUFFICIENT_DATA', KEPT, 'ALARM', 'OK'],
  ['- - - X -', 'INSUFFICIENT_DATA', KEPT, 'ALARM', 'OK'],
  ['X - - - -', 'ALARM', KEPT, 'ALARM', 'OK'],
  ['- - - X 0', 'OK', 'OK', 'OK', 'OK'],
  ['- - X - 0', 'OK', 'OK', 'OK', 'OK'],
];

const twoOfThree: Row[] = [
  ['0 - X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 0 X 0 X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 - X - -', 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - - 0', 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - X -', 'ALARM', KEPT, 'ALARM', 'OK'],
  // A row of an earlier edition of the tables.
  ['- - - - X', 'INSUFFICIENT_DATA', KEPT, 'ALARM', 'OK'],
  // The text: "the two oldest data points in the evaluation range are not needed because none of the 3 most recent … are missing".
  ['X X X 0 0', 'OK', 'OK', 'OK', 'OK'],
  ['- X X - -', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
];

describe.each([
  ['3 of 3', 3, allOfThree],
  ['2 of 3', 2, twoOfThree],
] as const)("AWS's table of %s", (_, datapointsToAlarm, rows) => {
  const cases = rows.flatMap(([points, ...states]) =>
    MISSING_DATA.map((missingData, index) => [points, missingData, states[index] ?? ''] as const),
  );

  it.each(cases)('%s, %s: %s', (points, missingData, expected) => {
    const before = expected === KEPT ? 'INSUFFICIENT_DATA' : expected;
    expect(stateOf(points, missingData, datapointsToAlarm)).toBe(before);
  });
});

describe('a state that is kept', () => {
  it.each([
    [0, 'OK'],
    [1, 'ALARM'],
  ] as const)('is that of the data before (%s: %s)', (before, state) => {
    expect(stateOf('- - - - - - -', 'ignore', 3, before)).toBe(state);
    expect(stateOf('- - - - - - -', 'missing', 3, before)).toBe('INSUFFICIENT_DATA');
    expect(stateOf('- - - - - 0 -', 'ignore', 3, before)).toBe('OK');
  });

  it('is that of hours ago', () => {
    const data = new MetricData();
    data.put({ ...orders, value: 1, at: START });
    const alarm = alarmWith({ TreatMissingData: 'ignore' });
    expect(stateAt(alarm, data, START - MINUTE)).toBe('INSUFFICIENT_DATA');
    expect(stateAt(alarm, data, START + 30 * 60 * MINUTE)).toBe('ALARM');
  });

  it("is the default for metrics of AWS/DynamoDB, which can be overridden; for others it isn't", () => {
    const states = ['AWS/DynamoDB', 'AWS/SQS'].flatMap((Namespace) =>
      [undefined, 'missing'].map((TreatMissingData) => {
        const data = new MetricData();
        data.put({ ...orders, namespace: Namespace, value: 1, at: START });
        return stateAt(alarmWith({ Namespace, TreatMissingData }), data, START + 60 * MINUTE);
      }),
    );
    expect(states).toEqual(['ALARM', 'INSUFFICIENT_DATA', 'INSUFFICIENT_DATA', 'INSUFFICIENT_DATA']);
  });
});

describe('the evaluation range', () => {
  it.each([
    [0, 5],
    [2, 15],
    [4, 25],
  ])(
    'with %s more periods delays an alarm that missing data raise to %s minutes',
    (extraPeriods, minutes) => {
      const data = new MetricData();
      data.put({ ...orders, value: 7, at: START - 1 });
      const alarm = alarmWith({
        ComparisonOperator: 'LessThanThreshold',
        Threshold: 1,
        TreatMissingData: 'breaching',
      });
      const stateAfter = (after: number) => stateAt(alarm, data, START + after * MINUTE, { extraPeriods });
      expect(stateAfter(minutes - 1)).toBe('OK');
      expect(stateAfter(minutes)).toBe('ALARM');
    },
  );

  it('lets sparse data points count together that are not in consecutive periods', () => {
    const data = new MetricData();
    data.put({ ...orders, value: 1, at: START });
    data.put({ ...orders, value: 1, at: START + 2 * PERIOD });
    const alarm = alarmWith({ EvaluationPeriods: 2 });
    expect(stateAt(alarm, data, START + 3 * PERIOD)).toBe('ALARM');
    expect(stateAt(alarm, data, START + 3 * PERIOD, { extraPeriods: 0 })).toBe('OK');
  });
});
