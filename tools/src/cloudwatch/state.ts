import { type Alarm, type AlarmState, COMPARISONS, type MetricAlarm, periodOf, watchedOf } from './alarm.js';
import { isTrue } from './alarm-rule.js';
import { evaluate, type Series, type Value } from './expressions.js';
import { type MetricData, type MetricQuery, milliseconds, type Point, type Time } from './metric-data.js';

// When an alarm is evaluated, and of which data:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html and
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html
// What is made of missing data:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html

export interface EvaluationOptions {
  /**
   * CloudWatch retrieves more data points than it needs, in case some are missing. How many more is not published: "The exact
   * number … depends on the length of the alarm period". In AWS's examples it is 2 more, as here by default.
   *
   * More of them delay an alarm that missing data raise. Fewer of them may leave an alarm that needs several data points
   * silent when these are sparse. A test that has to hold either way tries both.
   */
  readonly extraPeriods?: number | undefined;
  /**
   * The window of all alarms. With "wallClock" they look only at whole periods of the clock, as an alarm with a
   * WallClockWindow does: they go off later than with the sliding window that is CloudWatch's default, never
   * earlier. Default: as the template says.
   */
  readonly window?: MetricAlarm['window'] | undefined;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** A week of the clock starts on a Monday: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html */
const FIRST_MONDAY = 4 * DAY;

/**
 * The state of an alarm, given all data until `at`. If missing data keep the state, it is that of the evaluation before, and
 * so on; before any data it is INSUFFICIENT_DATA, the state in which an alarm is created.
 */
export function stateAt(
  alarm: Alarm,
  data: MetricData,
  at: Time,
  options: EvaluationOptions = {},
): AlarmState {
  if (alarm.type === 'composite') {
    return compositeState(alarm.rule, (id) => stateAt(alarmOf(alarm.alarms, id), data, at, options));
  }
  const first = firstDataOf(alarm, data);
  for (let time = milliseconds(at); ; time -= tickOf(alarm)) {
    const state = evaluateMetricAlarm(alarm, data, time, options);
    if (state !== 'as before') return state;
    if (time < first) return 'INSUFFICIENT_DATA';
  }
}

/** "For a composite alarm, this initial time after creation is the only time that the alarm can be in INSUFFICIENT_DATA state." */
export function compositeState(
  rule: Parameters<typeof isTrue>[0],
  stateOf: (id: string) => AlarmState,
): AlarmState {
  return isTrue(rule, stateOf) ? 'ALARM' : 'OK';
}

export function alarmOf(alarms: ReadonlyMap<string, Alarm>, id: string): Alarm {
  const alarm = alarms.get(id);
  if (!alarm) throw new Error(`no alarm ${id}`);
  return alarm;
}

/** One evaluation. */
export function evaluateMetricAlarm(
  alarm: MetricAlarm,
  data: MetricData,
  at: number,
  { extraPeriods = 2, window = alarm.window }: EvaluationOptions,
): AlarmState | 'as before' {
  const end = endOfWindow(alarm, at, window);
  return judge(alarm, pointsOf(alarm, data, end, alarm.evaluationPeriods + extraPeriods));
}

/** The last data points that an alarm watches, the oldest first. */
export function pointsOf(alarm: MetricAlarm, data: MetricData, end: number, count: number): Series {
  const watched = watchedOf(alarm);
  const length = periodOf(alarm) * 1000;
  const pointsOfMetric = (metric: MetricQuery): Series => {
    const points: Point[] = [];
    for (let ago = count - 1; ago >= 0; ago--) points.push(data.valueBefore(metric, end - ago * length));
    return points;
  };
  if ('metric' in watched) return pointsOfMetric(watched.metric);
  const known = new Map<string, Value>();
  const find = (id: string): Value => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const query = alarm.queries.find((one) => one.id === id);
    if (!query) throw new Error(`alarm ${alarm.id}: no metric or expression ${id}`);
    const value = 'metric' in query ? pointsOfMetric(query.metric) : evaluate(query.expression, surroundings);
    known.set(id, value);
    return value;
  };
  const surroundings = {
    valueOf: (id: string) => find(id),
    metricIds: alarm.queries.flatMap((query) => ('metric' in query ? [query.id] : [])),
    length: count,
    period: length / 1000,
  };
  const points = find(watched.id);
  if (!Array.isArray(points)) throw new Error(`alarm ${alarm.id}: expected one time series to watch`);
  return points;
}

/**
 * The end of an evaluation's window. A sliding one moves on with every evaluation: "at the end of minute 5 the
 * alarm evaluates based on data from minutes 1 to 5. Then at the end of minute 6 … from minutes 2 to 6." So no
 * period of an alarm is ever cut short, and the minute that has just begun does not count. An alarm over more than
 * a day is evaluated once per hour, with the data up to the full hour.
 */
function endOfWindow(alarm: MetricAlarm, at: number, window: MetricAlarm['window']): number {
  const period = periodOf(alarm) * 1000;
  if (window === 'wallClock') {
    const first = period === WEEK ? FIRST_MONDAY : 0;
    return first + Math.floor((at - first) / period) * period;
  }
  const tick = tickOf(alarm);
  return Math.floor(at / tick) * tick;
}

/** Milliseconds between two evaluations of an alarm by CloudWatch. */
function tickOf(alarm: MetricAlarm): number {
  const period = periodOf(alarm) * 1000;
  if (period < MINUTE) return MINUTE / 6;
  return period * alarm.evaluationPeriods > DAY ? HOUR : MINUTE;
}

function firstDataOf({ queries }: MetricAlarm, data: MetricData): number {
  const firsts = queries.map((query) => ('metric' in query ? data.firstAt(query.metric) : undefined));
  return Math.min(...firsts.map((first) => first ?? Number.POSITIVE_INFINITY));
}

/**
 * The state by the data points of the evaluation range, the oldest first. With enough of them, the most recent
 * ones decide. Otherwise all of them count, and as few missing ones as possible are filled in.
 */
function judge(
  {
    comparison,
    threshold,
    evaluationPeriods,
    datapointsToAlarm,
    missingData,
  }: Pick<
    MetricAlarm,
    'comparison' | 'threshold' | 'evaluationPeriods' | 'datapointsToAlarm' | 'missingData'
  >,
  points: readonly Point[],
): AlarmState | 'as before' {
  const breaches = (value: number) => COMPARISONS[comparison](value, threshold);
  const existing = points.filter((value) => value !== undefined);
  const missing = Math.max(0, evaluationPeriods - existing.length);
  const breaching = existing.slice(-evaluationPeriods).filter(breaches).length;
  const filled = breaching + (missingData === 'breaching' ? missing : 0);
  if (filled >= datapointsToAlarm) return 'ALARM';
  if (missingData === 'breaching' || missingData === 'notBreaching') return 'OK';
  if (breaching < existing.length) return 'OK';
  // All that exists breaches, if anything exists, but it is too little.
  if (missingData === 'ignore') return 'as before';
  return oldestAge(points) >= datapointsToAlarm ? 'ALARM' : 'INSUFFICIENT_DATA';
}

/**
 * The age of the oldest data point in periods. It is 1 for a point of the most recent period, and 0 if there is no point.
 *
 * The page says: ALARM "when the oldest available breaching datapoint … is at least as old as the value of Datapoints to Alarm,
 * and all other more recent data points are breaching or missing." While the oldest one is younger, the page only says that the
 * alarm "does not go immediately into ALARM state". An earlier edition of its tables had INSUFFICIENT_DATA there.
 */
function oldestAge(points: readonly Point[]): number {
  const oldest = points.findIndex((value) => value !== undefined);
  return oldest === -1 ? 0 : points.length - oldest;
}
