import { toIso } from 'dynamo-backlog/engine';
import type { AlarmOn } from 'dynamo-backlog/overview';
import type { Alarm, AlarmState } from '../../cloudwatch/alarm.js';
import { ownAlarm, watchedBy } from '../../cloudwatch/own-alarm.js';
import type { LocalAlarms } from '../template/local-app.js';
import { type Measured, readMetrics } from './measured.js';
import { WatchedAlarms } from './watched-alarms.js';

const MINUTE_MS = 60_000;
/** The backlog's time that is made up for at most, when its clock has leapt: a day. */
const MAX_BEHIND_MS = 1_440 * MINUTE_MS;
/** Episodes that are over and are kept. */
const MAX_OVER = 50;

/** The alarms of an app, as its runtime has evaluated them. Times are the backlog's, ISO-8601. */
export interface AlarmsStatus {
  /** Time of the first evaluation. */
  readonly since: string;
  /** Alarms that are evaluated. */
  readonly watched: number;
  /** Names of those that are not: their metrics are AWS's own, or of a kind that is not known here. */
  readonly unknown: readonly string[];
  /** Times in which an alarm was on, in the order of their beginnings. */
  readonly episodes: readonly AlarmEpisode[];
}

/** A time in which an alarm was on, or is. */
export interface AlarmEpisode {
  readonly name: string;
  readonly description: string;
  /** Absent: the construct did not make the alarm. */
  readonly level?: AlarmOn['level'] | undefined;
  /** The table and the queue of the metric that it watches. Absent: it watches another one, or one of all queues. */
  readonly table?: string | undefined;
  readonly queue?: string | undefined;
  readonly from: string;
  /** Absent: it is on. */
  readonly until?: string | undefined;
}

export interface AlarmWatchOptions {
  /** The alarms of each stack. */
  readonly alarms: readonly LocalAlarms[];
  /** The backlog's time, epoch milliseconds. */
  readonly now: () => number;
  readonly onChange?: ((episode: AlarmEpisode) => void) | undefined;
}

/** Evaluates the alarms of an app each minute of the backlog's time, as CloudWatch would with the same metrics. */
export class AlarmWatch {
  readonly #options: AlarmWatchOptions;
  #stacks: readonly WatchedAlarms[];
  #evaluatedAt: number;
  readonly #on = new Map<Alarm, AlarmEpisode>();
  #over: readonly AlarmEpisode[] = [];
  #since: number;

  constructor(options: AlarmWatchOptions) {
    this.#options = options;
    this.#since = options.now();
    this.#evaluatedAt = this.#since;
    this.#stacks = options.alarms.map((alarms) => new WatchedAlarms(alarms, this.#evaluatedAt));
  }

  /** Watches these alarms from now on. If they are other ones than before, they begin without data. */
  replace(alarms: readonly LocalAlarms[]): void {
    if (alarms.length === this.#stacks.length && this.#stacks.every((stack, i) => stack.are(alarms[i])))
      return;
    this.look();
    this.#stacks = alarms.map((one) => new WatchedAlarms(one, this.#evaluatedAt));
    this.#since = this.#evaluatedAt;
    this.#on.clear();
    this.#over = [];
  }

  /** Takes a line that a function has logged, which may have metrics in it. */
  addLine(line: string): void {
    this.add(readMetrics(line));
  }

  /** Takes what the runtime itself has measured. */
  add(metrics: readonly Measured[]): void {
    const at = this.#options.now();
    for (const { data } of this.#stacks) for (const metric of metrics) data.put({ ...metric, at });
  }

  /** Evaluates the minutes that have ended. */
  look(): void {
    const now = this.#options.now();
    const from = Math.max(this.#evaluatedAt, now - MAX_BEHIND_MS);
    for (let at = nextMinute(from); at <= now; at += MINUTE_MS) {
      this.#evaluatedAt = at;
      for (const stack of this.#stacks)
        for (const [alarm, state] of stack.evaluate(at)) this.#note(alarm, state, at);
    }
  }

  status(): AlarmsStatus {
    this.look();
    return {
      watched: this.#stacks.reduce((sum, { count }) => sum + count, 0),
      unknown: this.#stacks.flatMap(({ unknown }) => unknown),
      since: toIso(this.#since),
      episodes: [...this.#over, ...this.#on.values()].sort((a, b) => (a.from < b.from ? -1 : 1)),
    };
  }

  #note(alarm: Alarm, state: AlarmState, time: number): void {
    const before = this.#on.get(alarm);
    const isOn = state === 'ALARM';
    if (isOn === (before !== undefined)) return;
    const at = toIso(time);
    const episode = before ? { ...before, until: at } : { ...factsOf(alarm), from: at };
    if (before) this.#over = [...this.#over, episode].slice(-MAX_OVER);
    if (before) this.#on.delete(alarm);
    else this.#on.set(alarm, episode);
    this.#options.onChange?.(episode);
  }
}

function factsOf(alarm: Alarm): Omit<AlarmEpisode, 'from'> {
  const { name, description } = alarm;
  const queries = alarm.type === 'metric' ? alarm.queries : [];
  const metrics = queries.flatMap((query) => ('metric' in query ? [query.metric] : []));
  return { name, description, level: ownAlarm(description)?.level, ...watchedBy(metrics) };
}

function nextMinute(time: number): number {
  return (Math.floor(time / MINUTE_MS) + 1) * MINUTE_MS;
}
