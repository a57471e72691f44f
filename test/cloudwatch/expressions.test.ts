import { describe, expect, it } from 'vitest';
import { evaluate, parseExpression, SeriesList, type Value } from '../../tools/src/cloudwatch/expressions.js';
import type { Point } from '../../tools/src/cloudwatch/metric-data.js';

const _: Point = undefined;

function result(text: string, metrics: Record<string, Point[]> = {}): Value {
  const length = Object.values(metrics)[0]?.length ?? 3;
  return evaluate(parseExpression(text), {
    valueOf: (id) => {
      const points = metrics[id];
      if (!points) throw new Error(`no ${id}`);
      return points;
    },
    metricIds: Object.keys(metrics),
    length,
    period: 300,
  });
}

describe('operators', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['16 / 4 / 2', 2],
    ['2 * 3 ^ 2', 18],
    ['-2 + 5', 3],
    ['-2 * -3', 6],
    ['3 - -2', 5],
    ['.5 + 1.25', 1.75],
    ['1 + 1 > 1', 1],
    ['1 >= 1', 1],
    ['1 > 1', 0],
    ['1 <= 1', 1],
    ['1 < 1', 0],
    ['2 == 2', 1],
    ['2 != 2', 0],
    ['1 > 0 AND 0 > 1', 0],
    ['1 > 0 && 1 > 0', 1],
    ['1 > 0 OR 0 > 1 AND 0 > 1', 1],
    ['0 > 1 || 1 > 0', 1],
  ])('%s = %s', (text, value) => {
    expect(result(text)).toBe(value);
  });

  // The tables: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
  it.each([
    ['metric1 < metric2', [0, 0, 1, 0]],
    ['metric1 >= 30', [1, 0, 0, 0]],
    ['metric1 > 15 AND metric2 > 15', [1, 0, 0, 0]],
  ])("take a missing point of one series for 0, as in AWS's table: %s", (text, values) => {
    expect(result(text, { metric1: [30, 20, 0, 0], metric2: [20, _, 20, _] })).toEqual(values);
  });

  it.each([
    ['a + b', [11, 2, 30, _]],
    ['a - b', [-9, 2, -30, _]],
    ['a * b', [10, 0, 0, _]],
    ['b / a', [10, 0, _, _]],
    ['a / b', [0.1, _, 0, _]],
    ['100 * a', [100, 200, _, _]],
    ['a / 0', [_, _, _, _]],
    ['-a', [-1, -2, _, _]],
    ['a > 1', [0, 1, _, _]],
    ['a > 1 OR b > 1', [1, 1, 1, _]],
    ['b != 0', [1, _, 1, _]],
  ])('have a point where one of their series has one, unless it was divided by zero: %s', (text, values) => {
    expect(result(text, { a: [1, 2, _, _], b: [10, _, 30, _] })).toEqual(values);
  });
});

describe('functions', () => {
  it.each([
    ['IF(metric1, metric2, metric3)', [30, 0, 20, _, _]],
    ['IF(metric1, 5, metric3)', [5, 5, 20, _, _]],
    ['IF(metric1, metric2, 5)', [30, 0, 5, 5, _]],
    ['IF(metric1, metric2)', [30, 0, _, _, _]],
    ['IF(metric1 == 0, 1, 0)', [0, 0, 1, 1, _]],
    ['IF(1, metric3)', [0, 0, 20, _, 20]],
    ['IF(0, metric3)', [_, _, _, _, _]],
    ['IF(0, metric3, metric2)', [30, _, 0, 0, 30]],
  ])("choose, as in AWS's tables: %s", (text, values) => {
    const metrics = { metric1: [1, 1, 0, 0, _], metric2: [30, _, 0, 0, 30], metric3: [0, 0, 20, _, 20] };
    expect(result(text, metrics)).toEqual(values);
  });

  it.each([
    ['FILL(a, 0)', [0, 4, 0, 0, -1.5]],
    ['FILL(a, -1)', [-1, 4, -1, -1, -1.5]],
    ['FILL(a, REPEAT)', [_, 4, 4, 4, -1.5]],
    ['FILL(a, b)', [1, 4, _, 1, -1.5]],
    ['FILL(none, 0)', [0, 0, 0, 0, 0]],
    ['FILL(none, REPEAT)', [_, _, _, _, _]],
    ['ABS(a)', [_, 4, _, _, 1.5]],
    ['CEIL(a)', [_, 4, _, _, -1]],
    ['FLOOR(a)', [_, 4, _, _, -2]],
    ['DIFF(a)', [_, _, _, _, -5.5]],
    ['DIFF(b)', [_, 1, _, -1, 5]],
    ['RATE(a) * 900', [_, _, _, _, -5.5]],
    ['SUM([a, b])', [1, 6, _, 1, 4.5]],
    ['MAX([a, b])', [1, 4, _, 1, 6]],
    ['MIN([a, b])', [1, 2, _, 1, -1.5]],
    ['AVG([a, b])', [0.5, 3, _, 0.5, 2.25]],
    ['SUM([a, b]) / AVG(b)', [0.4, 2.4, _, 0.4, 1.8]],
    ['SUM(METRICS())', [1, 6, _, 1, 4.5]],
    ['SUM(METRICS("b"))', [1, 2, _, 1, 6]],
    ['SUM(METRICS() * 2)', [2, 12, _, 2, 9]],
    ['b - MIN(b)', [0, 1, _, 0, 5]],
    ['TIME_SERIES(MAX(b))', [6, 6, 6, 6, 6]],
    ['b * PERIOD(b)', [300, 600, _, 300, 1800]],
    ['FILL(a, 0) + FILL(b, 0) > 4', [0, 1, 0, 0, 1]],
  ])('%s', (text, values) => {
    expect(result(text, { a: [_, 4, _, _, -1.5], b: [1, 2, _, 1, 6], none: [_, _, _, _, _] })).toEqual(
      values,
    );
  });

  it('make an array of time series of one', () => {
    expect(result('FILL(METRICS(), 0)', { a: [1, _], b: [_, 2] })).toEqual(
      new SeriesList([
        [1, 0],
        [0, 2],
      ]),
    );
  });
});

describe('an error names the expression', () => {
  it.each([
    ['ANOMALY_DETECTION_BAND(a)', 'unknown function ANOMALY_DETECTION_BAND'],
    ['sum([a])', 'unknown function sum'],
    ["SEARCH('{A}', 'Sum')", 'unknown function SEARCH'],
    ['a +', 'expected an operand, got its end'],
    ['(a', 'expected ), got its end'],
    ['a a', 'expected its end, got a'],
    ['a $ 1', 'cannot read " $ 1"'],
    ['[a, 1]', '1 is no time series'],
    ['FILL(a, LINEAR)', 'FILL with LINEAR is not known here'],
    ['FILL(a)', 'FILL takes two operands'],
    ['IF(a)', 'IF takes two or three operands'],
    ['[a] + [a]', 'an operator takes one array of time series, not two'],
    ['IF([a], 1)', 'IF takes no array of time series'],
    ['ABS(a, a)', 'expected one operand, got 2'],
    ['"text" + a', '"text" is no operand'],
  ])('%s: %s', (text, message) => {
    expect(() => result(text, { a: [1] })).toThrow(`"${text}": ${message}`);
  });
});
