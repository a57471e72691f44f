import { isLost, type Job } from 'dynamo-backlog/engine';
import type { IconName, Tone } from '../parts.js';

/** The state of a job as a page shows it, those that need attention most first. */
const LOOKS = {
  lost: { tone: 'amber', icon: 'warn', word: 'Process lost' },
  stopped: { tone: 'amber', icon: 'warn', word: 'Stopped' },
  running: { tone: 'run', icon: 'run', word: 'Running' },
  armed: { tone: 'new', icon: 'new', word: 'Armed' },
  done: { tone: 'ok', icon: 'ok', word: 'Done' },
  cancelled: { tone: 'grey', icon: 'paused', word: 'Cancelled' },
} as const satisfies Record<string, { tone: Tone; icon: IconName; word: string }>;

type JobLook = keyof typeof LOOKS;

/** @param wall real time, epoch milliseconds */
export function lookOf(job: Job, wall: number) {
  return LOOKS[nameOf(job, wall)];
}

function nameOf(job: Job, wall: number): JobLook {
  return isLost(job, wall) ? 'lost' : job.state;
}

/** Times of a page. */
export interface Times {
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** Real time, epoch milliseconds. */
  readonly wall: number;
  /** Seconds of the backlog that pass in a real one. */
  readonly speed: number;
}

const ORDER = Object.keys(LOOKS) as readonly JobLook[];

/** The rank of a job among others: 0 needs attention most. @param wall real time, epoch milliseconds */
export function urgency(job: Job, wall: number): number {
  return ORDER.indexOf(nameOf(job, wall));
}

/** Real time after its end for which a job is shown on other pages: one that is stopped is not done. */
const SHOWN_MS = { done: 60_000, cancelled: 60_000, stopped: 3_600_000 };

/** The job that needs attention most: at work, or ended a moment ago. Of several alike the first. */
export function mostUrgent(jobs: readonly Job[], times: Times): Job | undefined {
  const rank = (job: Job) => urgency(job, times.wall);
  return jobs
    .filter((job) => isCurrent(job, times))
    .reduce<Job | undefined>((best, job) => (best && rank(best) <= rank(job) ? best : job), undefined);
}

function isCurrent({ state, endedAt = '', undoneBy }: Job, { now, speed }: Times): boolean {
  if (state === 'running' || state === 'armed') return true;
  return undoneBy === undefined && now - Date.parse(endedAt) < SHOWN_MS[state] * speed;
}

/** The time at which a job at a pace ends, at the earliest if its total is a lower bound. Undefined: not known. */
export function endOf(job: Job, { now, wall, speed }: Times): number | undefined {
  const { state, perSecond, total, probe, probePassed, counts } = job;
  if (state !== 'running' || isLost(job, wall) || perSecond === undefined || total === undefined)
    return undefined;
  if (total <= counts.changed || (probe !== undefined && !probePassed)) return undefined;
  return now + ((total - counts.changed) / perSecond) * 1000 * speed;
}
