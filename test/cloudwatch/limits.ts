import {
  type Alarm,
  type AlarmQuery,
  type CompositeAlarm,
  type MetricAlarm,
  periodOf,
} from '../../tools/src/cloudwatch/alarm.js';
import { alarmsIn } from '../../tools/src/cloudwatch/alarm-rule.js';
import { idsIn } from '../../tools/src/cloudwatch/expressions.js';
import { MetricData } from '../../tools/src/cloudwatch/metric-data.js';
import { alarmOf, pointsOf } from '../../tools/src/cloudwatch/state.js';

// What CloudWatch refuses when an alarm is deployed:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html and API_PutCompositeAlarm.html

const HOUR = 3600;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const HIGH_RESOLUTION = [10, 20, 30];
const WALL_CLOCK_PERIODS = [60, 300, HOUR, DAY, WEEK];
const MAX_METRICS = 10;
const MAX_ALARMS_IN_A_RULE = 100;

/** Throws for an alarm that CloudWatch would not take. */
export function checkAlarm(alarm: Alarm): void {
  if (alarm.type === 'composite') checkComposite(alarm);
  else checkMetricAlarm(alarm);
}

function checkMetricAlarm(alarm: MetricAlarm): void {
  const { evaluationPeriods, datapointsToAlarm } = alarm;
  checkQueries(alarm);
  const period = periodOf(alarm);
  mustHold(
    alarm,
    HIGH_RESOLUTION.includes(period) || (period > 0 && period % 60 === 0),
    `a period is 10, 20 or 30 seconds or a multiple of 60: ${period}`,
  );
  mustHold(
    alarm,
    alarm.window === 'sliding' || WALL_CLOCK_PERIODS.includes(period),
    `a wall clock window has a period of a minute, 5 minutes, an hour, a day or a week: ${period} s`,
  );
  mustHold(
    alarm,
    Number.isInteger(evaluationPeriods) && evaluationPeriods >= 1,
    `EvaluationPeriods is a positive integer: ${evaluationPeriods}`,
  );
  mustHold(
    alarm,
    Number.isInteger(datapointsToAlarm) && datapointsToAlarm >= 1 && datapointsToAlarm <= evaluationPeriods,
    `DatapointsToAlarm is from 1 to EvaluationPeriods: ${datapointsToAlarm} of ${evaluationPeriods}`,
  );
  const longest = period < HOUR ? DAY : WEEK;
  mustHold(
    alarm,
    period * evaluationPeriods <= longest,
    `${evaluationPeriods} periods of ${period} s are more than ${longest === DAY ? 'a day' : '7 days'}`,
  );
}

function checkQueries(alarm: MetricAlarm): void {
  const { queries } = alarm;
  const metrics = queries.filter((query) => 'metric' in query);
  mustHold(
    alarm,
    metrics.length <= MAX_METRICS,
    `an expression has at most ${MAX_METRICS} metrics: ${metrics.length}`,
  );
  const returned = queries.filter(({ returnData }) => returnData);
  mustHold(
    alarm,
    returned.length === 1,
    `one metric or expression has ReturnData: ${returned.map(({ id }) => id).join(', ') || 'none'}`,
  );
  const ids = queries.map(({ id }) => id);
  mustHold(alarm, new Set(ids).size === ids.length, `an id is used once: ${ids.join(', ')}`);
  for (const id of ids) {
    mustHold(alarm, /^[a-z][A-Za-z0-9_]*$/.test(id), `an id starts with a small letter: ${id}`);
  }
  const periods = new Set(metrics.map(({ metric }) => metric.period));
  mustHold(
    alarm,
    periods.size <= 1,
    `all metrics of an expression have the same period: ${[...periods].join(', ')} s`,
  );
  for (const query of queries) checkReferences(alarm, query, []);
  try {
    // Throws if it returns a number, or an array of time series.
    pointsOf(alarm, new MetricData(), 0, 3);
  } catch (error) {
    mustHold(alarm, false, (error as Error).message);
  }
}

function checkReferences(alarm: MetricAlarm, query: AlarmQuery, path: readonly string[]): void {
  if (!('expression' in query)) return;
  mustHold(alarm, !path.includes(query.id), `the expression ${query.id} depends on itself`);
  for (const id of idsIn(query.expression)) {
    const named = alarm.queries.find((one) => one.id === id);
    if (named) checkReferences(alarm, named, [...path, query.id]);
    else mustHold(alarm, false, `"${query.expression.text}" names ${id}, which does not exist`);
  }
}

function checkComposite(alarm: CompositeAlarm): void {
  const named = new Set(alarmsIn(alarm.rule));
  mustHold(
    alarm,
    named.size <= MAX_ALARMS_IN_A_RULE,
    `a rule names at most ${MAX_ALARMS_IN_A_RULE} alarms: ${named.size}`,
  );
  checkCycle(alarm, alarm, []);
}

function checkCycle(checked: Alarm, alarm: Alarm, path: readonly string[]): void {
  mustHold(
    checked,
    !path.includes(alarm.id),
    `rules depend on each other: ${[...path, alarm.id].join(' → ')}`,
  );
  if (alarm.type !== 'composite') return;
  for (const id of alarmsIn(alarm.rule)) {
    checkCycle(checked, alarmOf(alarm.alarms, id), [...path, alarm.id]);
  }
}

function mustHold({ id }: Alarm, holds: boolean, rule: string): void {
  if (!holds) throw new Error(`alarm ${id}: ${rule}`);
}
