import { describe, expect, it } from 'vitest';
import { MetricData } from '../../tools/src/cloudwatch/metric-data.js';
import { alarmsOf, firstAlarm, stateAt, stateChanges } from './alarms.js';
import { alarmWith, HOUR, MINUTE, orders, properties, START, templateOf } from './support.js';

describe('the first alarm', () => {
  const alarms = alarmsOf(
    templateOf({
      Silent: { ...properties, MetricName: 'Silent' },
      Late: { ...properties, EvaluationPeriods: 2 },
      Soon: properties,
      Before: { ...properties, MetricName: 'Before' },
    }),
  );
  const data = new MetricData();
  data.put({ ...orders, name: 'Before', value: 1, at: START - MINUTE });
  for (let minute = 7; minute < 30; minute++) {
    data.put({ ...orders, value: 1, at: START + minute * MINUTE + 30_000 });
  }

  it('comes in the minute after the data that raise it; the others are silent', () => {
    expect(firstAlarm(alarms, data, { from: START, until: START + HOUR })).toEqual([
      { alarm: 'Before', minutes: 0 },
      { alarm: 'Soon', minutes: 8 },
      { alarm: 'Late', minutes: 13 },
    ]);
  });

  it('comes with the end of the period of a wall clock', () => {
    const options = { from: START, until: START + HOUR, window: 'wallClock' } as const;
    expect(firstAlarm(alarms, data, options)).toEqual([
      { alarm: 'Before', minutes: 0 },
      { alarm: 'Soon', minutes: 10 },
      { alarm: 'Late', minutes: 15 },
    ]);
  });

  it('comes before the end, or not at all', () => {
    const soon = alarms.filter(({ id }) => id === 'Soon');
    expect(firstAlarm(soon, data, { from: START, until: START + 8 * MINUTE })).toHaveLength(1);
    expect(firstAlarm(soon, data, { from: START, until: START + 8 * MINUTE - 1 })).toEqual([]);
  });

  it('is known only to those evaluations that there are', () => {
    expect(firstAlarm(alarms, data, { from: START, until: START + HOUR, step: 15 * MINUTE })).toEqual([
      { alarm: 'Before', minutes: 0 },
      { alarm: 'Late', minutes: 15 },
      { alarm: 'Soon', minutes: 15 },
    ]);
    expect(() => firstAlarm(alarms, data, { from: START, until: START + HOUR, step: 0 })).toThrow('a step');
  });
});

describe('the changes of state', () => {
  it('are those that single evaluations show, whatever is made of missing data', () => {
    const data = new MetricData();
    for (const [minutes, value] of [
      [3, 0],
      [9, 1],
      [26, 1],
      [27, 0],
      [80, 0],
      [81, 2],
    ] as const) {
      data.put({ ...orders, value, at: START + minutes * MINUTE });
    }
    let changes = 0;
    for (const TreatMissingData of ['missing', 'ignore', 'breaching', 'notBreaching']) {
      for (const EvaluationPeriods of [1, 2, 3]) {
        const alarm = alarmWith({ TreatMissingData, EvaluationPeriods });
        let state = stateAt(alarm, data, START);
        const found = stateChanges([alarm], data, { from: START, until: START + 3 * HOUR });
        changes += found.length;
        for (let minutes = 1; minutes <= 180; minutes++) {
          state = found.find((change) => change.minutes === minutes)?.state ?? state;
          expect(stateAt(alarm, data, START + minutes * MINUTE)).toBe(state);
        }
      }
    }
    expect(changes).toBeGreaterThan(20);
  });

  it('keep an alarm that missing data do not end', () => {
    const data = new MetricData();
    data.put({ ...orders, value: 1, at: START });
    const alarm = alarmWith({ TreatMissingData: 'ignore' });
    const options = { from: START - MINUTE, until: START + 10 * HOUR };
    expect(stateChanges([alarm], data, options)).toEqual([
      { alarm: 'Alarm', minutes: 2, before: 'INSUFFICIENT_DATA', state: 'ALARM' },
    ]);
  });
});

it('a day of 200 alarms takes a moment', () => {
  const names = Array.from({ length: 200 }, (_, index) => `Metric${index}`);
  const alarms = alarmsOf(
    templateOf(
      Object.fromEntries(
        names.map((MetricName) => [
          MetricName,
          { ...properties, MetricName, EvaluationPeriods: 3, Threshold: 4, Statistic: 'Maximum' },
        ]),
      ),
    ),
  );
  const data = new MetricData();
  for (const name of names) {
    for (let minute = 0; minute < 1440; minute += 5) {
      data.put({ ...orders, name, value: 1, at: START + minute * MINUTE });
    }
  }
  const start = performance.now();
  expect(stateChanges(alarms, data, { from: START, until: START + 24 * HOUR })).toEqual([]);
  // A second on a quiet machine: only a change of the order of growth may fail.
  expect(performance.now() - start).toBeLessThan(10_000);
});
