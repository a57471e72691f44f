import { type Alarm, type AlarmState, type MetricAlarm, periodOf } from '../../cloudwatch/alarm.js';
import { MetricData, metricKey } from '../../cloudwatch/metric-data.js';
import { compositeState, evaluateMetricAlarm } from '../../cloudwatch/state.js';
import type { LocalAlarms } from '../template/local-app.js';
import { isMeasured } from './measured.js';

/** Periods that an evaluation may look at beside those of the alarm. */
const MORE_PERIODS = 3;

/** The alarms of a stack, with the data that they watch. */
export class WatchedAlarms {
  readonly data: MetricData;
  /** Names of alarms that are not evaluated: their data are not known here, or their kind is not. */
  readonly unknown: readonly string[];
  readonly #alarms: ReadonlyMap<string, Alarm>;
  readonly #text: string;
  readonly #states = new Map<Alarm, AlarmState>();
  /** Alarms that missing data raise, with the time from which on data are missing rather than not there yet. */
  readonly #notBefore: ReadonlyMap<Alarm, number>;

  constructor(given: LocalAlarms, startedAt: number) {
    this.#text = textOf(given);
    const known = given.alarms.filter(canBeEvaluated);
    const others = given.alarms.filter((alarm) => !known.includes(alarm));
    this.unknown = [...given.unknown, ...others.map(({ name }) => name)];
    this.#alarms = new Map(known.map((alarm) => [alarm.id, alarm]));
    const metricAlarms = known.filter((alarm) => alarm.type === 'metric');
    this.data = new MetricData(keptOf(metricAlarms));
    const raised = metricAlarms.filter(isRaisedByNothing);
    this.#notBefore = new Map(raised.map((alarm) => [alarm, startedAt + windowOf(alarm)]));
  }

  /** The number of alarms that are evaluated. */
  get count(): number {
    return this.#alarms.size;
  }

  /** Tells whether these are the same alarms. */
  are(others: LocalAlarms | undefined): boolean {
    return others !== undefined && textOf(others) === this.#text;
  }

  /** The states after the minute that ends then. Each evaluation starts from the one before it. */
  evaluate(at: number): ReadonlyMap<Alarm, AlarmState> {
    const done = new Set<string>();
    const stateOf = (id: string): AlarmState => {
      const alarm = this.#alarms.get(id);
      if (!alarm) return 'INSUFFICIENT_DATA';
      const before = this.#states.get(alarm) ?? 'INSUFFICIENT_DATA';
      if (done.has(id)) return before;
      done.add(id);
      const state =
        alarm.type === 'composite' ? compositeState(alarm.rule, stateOf) : this.#evaluate(alarm, at);
      const next = state === 'as before' ? before : state;
      this.#states.set(alarm, next);
      return next;
    };
    for (const id of this.#alarms.keys()) stateOf(id);
    return this.#states;
  }

  #evaluate(alarm: MetricAlarm, at: number): AlarmState | 'as before' {
    if (at < (this.#notBefore.get(alarm) ?? 0)) return 'as before';
    return evaluateMetricAlarm(alarm, this.data, at, {});
  }
}

/** All of them as text. A composite one refers to the others. */
function textOf({ alarms, unknown }: LocalAlarms): string {
  return JSON.stringify([unknown, alarms.map((alarm) => ({ ...alarm, alarms: undefined }))]);
}

/** A metric alarm needs data that are known here, and nothing that fails when it is evaluated. */
function canBeEvaluated(alarm: Alarm): boolean {
  if (alarm.type === 'composite') return true;
  if (!alarm.queries.every((query) => !('metric' in query) || isMeasured(query.metric))) return false;
  try {
    evaluateMetricAlarm(alarm, new MetricData(), 0, {});
    return true;
  } catch {
    return false;
  }
}

function isRaisedByNothing(alarm: MetricAlarm): boolean {
  return evaluateMetricAlarm(alarm, new MetricData(), 0, {}) === 'ALARM';
}

/** Milliseconds. */
function windowOf(alarm: MetricAlarm): number {
  return periodOf(alarm) * 1000 * alarm.evaluationPeriods;
}

function keptOf(alarms: readonly MetricAlarm[]): ReadonlyMap<string, number> {
  const kept = new Map<string, number>();
  for (const alarm of alarms) {
    const keptMs = windowOf(alarm) + MORE_PERIODS * periodOf(alarm) * 1000;
    for (const query of alarm.queries) {
      if (!('metric' in query)) continue;
      const key = metricKey(query.metric);
      kept.set(key, Math.max(kept.get(key) ?? 0, keptMs));
    }
  }
  return kept;
}
