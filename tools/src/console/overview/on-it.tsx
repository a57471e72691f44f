import type { Job } from 'dynamo-backlog/engine';
import type { Incident } from 'dynamo-backlog/overview';
import { deedsOf } from '../../jobs/deeds.js';
import { Fact, Foreign, When } from '../parts.js';

const MAX_SHOWN = 3;

/** The operators who have paused one of its queues, or begun a job on one, since its first failure. */
export function OnIt(props: { incident: Incident; jobs: readonly Job[]; now: number }) {
  const { incident, jobs, now } = props;
  const deeds = deedsOf(incident, jobs);
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
