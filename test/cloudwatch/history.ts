import type { Alarm, AlarmState } from '../../tools/src/cloudwatch/alarm.js';
import { alarmsIn } from '../../tools/src/cloudwatch/alarm-rule.js';
import { type MetricData, milliseconds, type Time } from '../../tools/src/cloudwatch/metric-data.js';
import {
  alarmOf,
  compositeState,
  type EvaluationOptions,
  evaluateMetricAlarm,
  stateAt,
} from '../../tools/src/cloudwatch/state.js';

export interface HistoryOptions extends EvaluationOptions {
  readonly from: Time;
  /** The last evaluation is then. */
  readonly until: Time;
  /** Between two evaluations, in milliseconds. Default: a minute, as CloudWatch does for periods of a minute or more. */
  readonly step?: number | undefined;
}

export interface StateChange {
  /** The logical id of the alarm. */
  readonly alarm: string;
  /** Minutes after `from`. */
  readonly minutes: number;
  readonly before: AlarmState;
  readonly state: AlarmState;
}

/** When each alarm went to ALARM for the first time; at 0 minutes if it was in it already. Those that never did are absent. */
export function firstAlarm(
  alarms: readonly Alarm[],
  data: MetricData,
  options: HistoryOptions,
): { alarm: string; minutes: number }[] {
  const { atFirst, changes } = play(alarms, data, options);
  const first = new Map<string, number>();
  for (const [alarm, state] of atFirst) if (state === 'ALARM') first.set(alarm, 0);
  for (const { alarm, minutes, state } of changes) {
    if (state === 'ALARM' && !first.has(alarm)) first.set(alarm, minutes);
  }
  return alarms
    .flatMap(({ id }) => {
      const minutes = first.get(id);
      return minutes === undefined ? [] : [{ alarm: id, minutes }];
    })
    .sort((a, b) => a.minutes - b.minutes);
}

/** All changes of state after `from`, in the order of time. */
export function stateChanges(
  alarms: readonly Alarm[],
  data: MetricData,
  options: HistoryOptions,
): StateChange[] {
  const asked = new Set(alarms.map(({ id }) => id));
  return play(alarms, data, options).changes.filter(({ alarm }) => asked.has(alarm));
}

/** Evaluates these alarms and those that they depend on. Each evaluation starts from the state before it. */
function play(
  alarms: readonly Alarm[],
  data: MetricData,
  options: HistoryOptions,
): { atFirst: ReadonlyMap<string, AlarmState>; changes: StateChange[] } {
  const { step = 60_000 } = options;
  if (!(step > 0)) throw new RangeError(`expected a step of more than 0 milliseconds, got ${step}`);
  const from = milliseconds(options.from);
  const until = milliseconds(options.until);
  const atFirst = new Map<string, AlarmState>();
  const changes: StateChange[] = [];
  // The state of each alarm at each evaluation. One alarm after the other is faster than one minute after the other.
  const histories = new Map<string, AlarmState[]>();
  for (const alarm of inOrder(alarms)) {
    let state = stateAt(alarm, data, from, options);
    atFirst.set(alarm.id, state);
    const history = [state];
    for (let at = from + step; at <= until; at += step) {
      const evaluation = history.length;
      const next =
        alarm.type === 'composite'
          ? compositeState(alarm.rule, (id) => histories.get(id)?.[evaluation] ?? 'INSUFFICIENT_DATA')
          : evaluateMetricAlarm(alarm, data, at, options);
      if (next !== 'as before' && next !== state) {
        changes.push({ alarm: alarm.id, minutes: (at - from) / 60_000, before: state, state: next });
        state = next;
      }
      history.push(state);
    }
    histories.set(alarm.id, history);
  }
  return { atFirst, changes: changes.sort((a, b) => a.minutes - b.minutes) };
}

/** Alarms in an order in which those that a composite one depends on come before it. */
function inOrder(alarms: readonly Alarm[]): Alarm[] {
  const ordered = new Set<Alarm>();
  const add = (alarm: Alarm, path: readonly string[]): void => {
    if (ordered.has(alarm)) return;
    if (path.includes(alarm.id)) throw new Error(`alarm ${alarm.id}: its rule depends on itself`);
    if (alarm.type === 'composite') {
      for (const id of alarmsIn(alarm.rule)) add(alarmOf(alarm.alarms, id), [...path, alarm.id]);
    }
    ordered.add(alarm);
  };
  for (const alarm of alarms) add(alarm, []);
  return [...ordered];
}
