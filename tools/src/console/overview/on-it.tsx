import { type Job, selectedQueues } from 'dynamo-backlog/engine';
import type { Incident } from 'dynamo-backlog/overview';
import { actionWords, countsText } from '../../jobs/job-words.js';
import { Fact, Foreign, When } from '../parts.js';

const MAX_SHOWN = 3;

/** Something that an operator has done about an incident. */
interface Deed {
  readonly by: string;
  readonly what: string;
  /** The backlog's time, epoch milliseconds. */
  readonly at: number;
}

/** The operators who have paused one of its queues, or begun a job on one, since its first failure. */
export function OnIt(props: { incident: Incident; jobs: readonly Job[]; now: number }) {
  const { incident, jobs, now } = props;
  const deeds = [...pausesOf(incident), ...jobsOf(incident, jobs)].sort((a, b) => b.at - a.at);
  if (deeds.length === 0) {
    const isMuted = incident.alarms?.some(({ muted }) => muted !== undefined) === true;
    return (
      <Fact label="Operators on it">
        {isMuted ? 'a mute, and no pause or job since' : 'not known: no pause, no job since'}
      </Fact>
    );
  }
  return (
    <Fact label="Operators on it">
      {deeds.slice(0, MAX_SHOWN).map(({ by, what, at }) => (
        <div>
          <b>
            <Foreign text={by} most={40} />
          </b>{' '}
          <Foreign text={what} most={100} /> <When at={at} now={now} />
        </div>
      ))}
    </Fact>
  );
}

function pausesOf({ queues, since }: Incident): Deed[] {
  return queues.flatMap(({ stats: { queue, paused, pausedAt = '', pausedBy } }) => {
    const at = Date.parse(pausedAt);
    const isSince = paused && at >= (since ?? 0);
    return isSince && pausedBy !== undefined ? [{ by: pausedBy, what: `paused ${queue}`, at }] : [];
  });
}

function jobsOf({ queues, since }: Incident, jobs: readonly Job[]): Deed[] {
  const names = new Set(queues.map(({ stats }) => stats.queue));
  return jobs.flatMap((job) => {
    const { by, which, createdAt, state } = job;
    const at = Date.parse(createdAt);
    if (!selectedQueues(which).some((queue) => names.has(queue)) || !(at >= (since ?? 0))) return [];
    return [{ by, what: `${actionWords(job).label}, ${state}, ${countsText(job)}`, at }];
  });
}
