import { minuteText } from './format.js';

/** An alarm of a backlog that is on. Its texts were written by others, and may be long. */
export interface AlarmOn {
  /** Its name as the docs have it: `Failures-orders`. */
  readonly id: string;
  /** Its name in CloudWatch, or in the app of a local runtime. */
  readonly name: string;
  /** Its severity. */
  readonly level: 'page' | 'ticket';
  /** The queue that it watches. Undefined: it watches all queues, or no queue. */
  readonly queue: string | undefined;
  /** The time at which it went on, epoch milliseconds. */
  readonly since: number;
  /** The mute that keeps it from notifying. Undefined: there is none, or it is not known. */
  readonly muted?:
    | {
        /** Its end, epoch milliseconds. Undefined: it has a schedule of its own. */
        readonly until?: number | undefined;
        /** The name of the operator, and the reason: `by ann, "the bank is down"`. It may be empty. */
        readonly note: string;
      }
    | undefined;
}

/** The alarms of these queues, and those that are of no queue: pages first, then by time. */
export function alarmsOfQueues(alarms: readonly AlarmOn[], queues: readonly string[]): AlarmOn[] {
  return alarms
    .filter(({ queue }) => queue === undefined || queues.includes(queue))
    .sort((one, other) => rank(one) - rank(other) || one.since - other.since);
}

function rank({ level }: AlarmOn): number {
  return level === 'page' ? 0 : 1;
}

/** `page Failures-orders since 14:13 UTC, muted until 16:00 UTC, by ann, "the bank is down"` */
export function alarmText({ level, id, since, muted }: AlarmOn, now: number): string {
  const mute = muted ? `, muted ${muteText(muted, now)}` : '';
  return `${level} ${id} since ${minuteText(since, now)} UTC${mute}`;
}

/** `until 16:00 UTC, by ann, "the bank is down"`: the end of a mute, and its words. */
export function muteText({ until, note }: NonNullable<AlarmOn['muted']>, now: number): string {
  const end = until === undefined ? 'by a schedule of its own' : `until ${minuteText(until, now)} UTC`;
  return note === '' ? end : `${end}, ${note}`;
}
