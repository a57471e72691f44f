import { age } from 'dynamo-backlog/engine';
import { clockText, counted } from 'dynamo-backlog/overview';
import type { AlarmEpisode, AlarmsStatus } from '../../local/alarms/alarm-watch.js';
import { Foreign, Mark, Panel } from '../parts.js';

const MAX_EPISODES = 6;

/** The alarms of the app: which would have gone off in AWS, and when. */
export function AlarmsPanel({ alarms, now }: { alarms: AlarmsStatus; now: number }) {
  const { since, watched, unknown, episodes } = alarms;
  const isOn = (episode: AlarmEpisode) => episode.until === undefined;
  const newestFirst = episodes.toReversed();
  const shown = [...newestFirst.filter(isOn), ...newestFirst.filter((one) => !isOn(one))].slice(
    0,
    MAX_EPISODES,
  );
  const others = episodes.length - shown.length;
  return (
    <Panel
      title="Alarms"
      note={`${counted(watched, 'alarm')} evaluated each minute, as CloudWatch would`}
      live="alarms"
    >
      {shown.length === 0 ? (
        <p class="pad sub">None has gone off since {clockText(Date.parse(since), now)}.</p>
      ) : (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Alarm</th>
              <th scope="col">State</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((episode) => (
              <EpisodeRow episode={episode} now={now} />
            ))}
          </tbody>
        </table>
      )}
      {others > 0 ? <p class="pad sub sm">{counted(others, 'earlier time')} left out.</p> : null}
      {unknown.length === 0 ? null : (
        <details class="pad sm" data-key="unknown-alarms">
          <summary>{counted(unknown.length, 'alarm')} not evaluated here</summary>
          <p class="sub">
            Only AWS has the metrics, or the kind is not known here:{' '}
            <Foreign text={unknown.join(', ')} most={1_000} />
          </p>
        </details>
      )}
    </Panel>
  );
}

function EpisodeRow({ episode, now }: { episode: AlarmEpisode; now: number }) {
  const { name, description, from, until } = episode;
  const began = Date.parse(from);
  const end = until === undefined ? now : Date.parse(until);
  const lasted = age(Math.max(0, end - began));
  return (
    <tr>
      <td class="full">
        <Foreign text={name} most={120} />
      </td>
      <td class="sm">
        {until === undefined ? (
          <Mark tone="dead" icon="warn">
            <b>On</b> since {clockText(began, now)}, {lasted}
          </Mark>
        ) : (
          <span class="sub">
            {clockText(began, now)} to {clockText(end, now)}, {lasted}
          </span>
        )}
      </td>
      <td class="sm sub full">
        <Foreign text={description} most={300} />
      </td>
    </tr>
  );
}
