import { age } from 'dynamo-backlog/engine';
import { counted, type EndedIncident, incidentName, minuteText, names } from 'dynamo-backlog/overview';
import { Foreign } from '../parts.js';

/** Most incidents that are listed. */
const MAX_SHOWN = 20;

/** The incidents that ended in the last day, in a fold: the latest first. */
export function EndedIncidents({ ended, now }: { ended: readonly EndedIncident[]; now: number }) {
  const [last] = ended;
  const more = ended.length - MAX_SHOWN;
  // The element stays when it is empty, so that the script finds the place for an incident.
  return (
    <div class="cols incidents" data-live="ended">
      {last === undefined ? null : (
        <details class="panel fold" data-key="ended">
          <summary>
            <b>Ended in the last 24 hours</b>{' '}
            <span class="sub sm">
              {counted(ended.length, 'incident')}, the last at {minuteText(last.endedAt, now)} UTC after{' '}
              {age(last.endedAt - last.since)}
            </span>
          </summary>
          <table class="lines">
            <thead>
              <tr>
                <th scope="col">Incident</th>
                {['From, UTC', 'To, UTC', 'Lasted'].map((name) => (
                  <th scope="col" class="r">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {ended.slice(0, MAX_SHOWN).map((one) => (
                <Row ended={one} now={now} />
              ))}
            </tbody>
          </table>
          {more > 0 ? <p class="pad sub sm">and {counted(more, 'earlier incident')}</p> : null}
        </details>
      )}
    </div>
  );
}

function Row({ ended, now }: { ended: EndedIncident; now: number }) {
  const { destinations, queues, since, endedAt } = ended;
  return (
    <tr>
      <td class="name">
        <Foreign text={incidentName(ended)} most={110} />
        {destinations.length === 1 ? (
          <span class="sub sm block">
            <Foreign text={names(queues.map(({ stats }) => stats.queue))} most={110} />
          </span>
        ) : null}
      </td>
      <td class="r nw">{minuteText(since, now)}</td>
      <td class="r nw">{minuteText(endedAt, now)}</td>
      <td class="r nw">{age(endedAt - since)}</td>
    </tr>
  );
}
