import { type Job, selectedQueues } from 'dynamo-backlog/engine';
import type { Incident } from 'dynamo-backlog/overview';
import { actionWords, countsText } from './job-words.js';

/** Something that an operator has done about an incident. Its texts are foreign. */
export interface Deed {
  readonly by: string;
  readonly what: string;
  /** The backlog's time, epoch milliseconds. */
  readonly at: number;
}

/** The pauses of its queues, and the jobs on one of them, since its first failure: the latest first. */
export function deedsOf(incident: Incident, jobs: readonly Job[]): Deed[] {
  return [...pausesOf(incident), ...jobsOf(incident, jobs)].sort((a, b) => b.at - a.at);
}

function pausesOf({ queues, queuesBack, since }: Incident): Deed[] {
  return [...queues, ...queuesBack].flatMap(({ stats: { queue, paused, pausedAt = '', pausedBy } }) => {
    const at = Date.parse(pausedAt);
    const isSince = paused && at >= (since ?? 0);
    return isSince && pausedBy !== undefined ? [{ by: pausedBy, what: `paused ${queue}`, at }] : [];
  });
}

function jobsOf({ queues, queuesBack, since }: Incident, jobs: readonly Job[]): Deed[] {
  const names = new Set([...queues, ...queuesBack].map(({ stats }) => stats.queue));
  return jobs.flatMap((job) => {
    const { by, which, createdAt, state } = job;
    const at = Date.parse(createdAt);
    if (!selectedQueues(which).some((queue) => names.has(queue)) || !(at >= (since ?? 0))) return [];
    return [{ by, what: `${actionWords(job).label}, ${state}, ${countsText(job)}`, at }];
  });
}
