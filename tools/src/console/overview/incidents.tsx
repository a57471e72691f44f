import { age, type Job } from 'dynamo-backlog/engine';
import {
  attemptsText,
  COUNT_SIGNS,
  causeText,
  counted,
  type Incident,
  incidentName,
  incidentText,
  LOOKS,
  type Look,
  minuteText,
  nextProbe,
  type QueueView,
  shortened,
} from 'dynamo-backlog/overview';
import type { AlarmSource } from '../../alarms/alarm-source.js';
import { runbookPage } from '../../runbook.js';
import { MAX_MUTED, muteLink } from '../actions/mute-routes.js';
import type { ConsoleDeps } from '../deps.js';
import { Badge, Count, Fact, Foreign, link, Unknown, When } from '../parts.js';
import { AlarmFact } from './alarm-fact.js';
import { OldestDue } from './cells.js';
import { OnIt } from './on-it.js';

/** Incidents that are shown with their facts; each other one has a line. */
const MAX_WHOLE = 3;
const MAX_QUEUES = 6;

type IncidentDeps = Pick<ConsoleDeps, 'access' | 'alarms' | 'mutes' | 'runbookUrl'>;

const STATE_LOOKS: Readonly<Record<Incident['state'], Look>> = {
  failing: LOOKS.failing,
  unknown: { ...LOOKS.paused, word: 'Not known' },
  recovering: LOOKS.recovering,
  dead: LOOKS.dead,
};

/** The incidents: what is known of each, the queues that it affects, and what to do. */
export function IncidentPanels(props: {
  incidents: readonly Incident[];
  jobs: readonly Job[];
  deps: IncidentDeps;
  now: number;
}) {
  const { incidents, jobs, deps, now } = props;
  // Dead records stand in the row of their queue.
  const shown = incidents.filter(({ state }) => state !== 'dead');
  const others = shown.slice(MAX_WHOLE);
  // The element stays when it is empty, so that the script finds the place for an incident.
  return (
    <div class="cols incidents" data-live="incidents">
      {shown.slice(0, MAX_WHOLE).map((incident) => (
        <IncidentPanel incident={incident} jobs={jobs} deps={deps} now={now} />
      ))}
      {others.length === 0 ? null : (
        <details class="panel fold" data-key="more-incidents">
          <summary>
            <b>{counted(others.length, 'other incident')}</b>
          </summary>
          <ul class="pad sm">
            {others.map((incident) => (
              <li>
                <Foreign text={incidentText(incident, now)} most={300} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function IncidentPanel(props: { incident: Incident; jobs: readonly Job[]; deps: IncidentDeps; now: number }) {
  const { incident, jobs, deps, now } = props;
  const { id, state, since, backAt, queues, queuesBack } = incident;
  const isBack = state === 'recovering';
  const from = isBack ? backAt : since;
  const lasted = lengthOf(incident);
  const { tone, icon, word } = STATE_LOOKS[state];
  return (
    <section class={`panel incident ${tone}`} data-key={id} aria-label={`Incident: ${id}`}>
      <header>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
        <h2>
          <Foreign text={incidentName(incident)} most={110} />
        </h2>
        {from === undefined ? null : (
          <span class="sub sm">
            {isBack ? 'back for' : 'for'} {age(Math.max(0, now - from))}
            {isBack && lasted !== '' ? `, after an outage of ${lasted}` : null}
          </span>
        )}
        <span class="end sm">
          <Actions incident={incident} deps={deps} />
          <label class="btn more">
            <input type="checkbox" class="vh" autocomplete="off" />
            <span class="vh">More about {shortened(incidentName(incident), 110)}</span>
          </label>
        </span>
      </header>
      <div class="cols two pad">
        <Facts incident={incident} jobs={jobs} alarms={deps.alarms} now={now} />
        <Affected queues={[...queues, ...queuesBack]} now={now} />
      </div>
    </section>
  );
}

/** `35 min`: the length of an outage that is over. Empty: not known. */
function lengthOf({ since = Number.NaN, backAt = Number.NaN }: Incident): string {
  return backAt > since ? age(backAt - since) : '';
}

/** Links to what an operator does about it: see the causes, then retry, edit or pause. */
function Actions({
  incident,
  deps: { access, mutes, runbookUrl },
}: {
  incident: Incident;
  deps: IncidentDeps;
}) {
  const queue = incident.queues[0]?.stats.queue ?? '';
  const errorName = awaitedCause(incident);
  return (
    <>
      <a class="btn" href={link('/failures', {})}>
        Causes
      </a>
      <a class="btn" href={link('/records', { queue, status: 'ERROR' })}>
        Records in retry
      </a>
      {errorName === undefined || !access.write ? null : (
        <a class="btn" href={link('/bulk', { do: 'run-now', status: 'ERROR', errorName, whenBack: 'on' })}>
          Retry when it is back…
        </a>
      )}
      <a class="btn" href={link('/queue', { name: queue })}>
        Pause…
      </a>
      {mutes === undefined ? null : (
        <a class="btn" href={muteLink(queuesToMute(incident))}>
          {isMuted(incident) ? 'Unmute…' : 'Mute…'}
        </a>
      )}
      {runbookUrl === undefined ? null : (
        <a class="btn" href={runbookPage(runbookUrl, 'failing')} rel="noreferrer">
          Runbook
        </a>
      )}
    </>
  );
}

/** The queues that fail, as far as one mute takes them. */
function queuesToMute({ queues }: Incident): string[] {
  return queues.slice(0, MAX_MUTED).map(({ stats }) => stats.queue);
}

/** Tells whether no alarm of it that is on notifies. */
function isMuted({ alarms = [] }: Incident): boolean {
  return alarms.length > 0 && alarms.every(({ muted }) => muted !== undefined);
}

/** The whole cause of what fails, for a job that waits until its destination is back. Undefined: there is no one such cause. */
function awaitedCause({ state, destinations, cause }: Incident): string | undefined {
  const [destination, ...others] = destinations;
  if (state !== 'failing' || cause === undefined || destination === undefined || others.length > 0)
    return undefined;
  return causeText({ ...cause, host: cause.host ?? destination });
}

function Facts(props: {
  incident: Incident;
  jobs: readonly Job[];
  alarms: AlarmSource | undefined;
  now: number;
}) {
  const { incident, jobs, alarms, now } = props;
  const { since, lastFailureAt, lastSuccessAt, backAt, breakerSince, lastDueAt } = incident;
  const probe = nextProbe(incident, now);
  const facts: readonly (readonly [label: string, at: number | undefined])[] = [
    ['First failure', since],
    ['Latest failure', lastFailureAt],
    ['Latest success', lastSuccessAt],
    ['Back since', backAt],
    ['Breaker open since', breakerSince],
  ];
  const attempts = attemptsText(incident);
  return (
    <dl class="facts2">
      {facts.map(([label, at]) =>
        at === undefined ? null : (
          <Fact label={label}>
            <When at={at} now={now} />
          </Fact>
        ),
      )}
      {lastFailureAt === undefined || lastSuccessAt !== undefined ? null : (
        <Fact label="Latest success">none since the first failure</Fact>
      )}
      {probe === undefined ? null : (
        <Fact label="Next probe">
          {breakerSince === undefined ? (
            <>
              {probe > now ? `about ${minuteText(probe, now)} UTC` : 'due'}
              <span class="sub">, if no record is due before</span>
            </>
          ) : (
            <When at={probe} now={now} expected />
          )}
        </Fact>
      )}
      {lastDueAt === undefined || lastDueAt <= now ? null : (
        <Fact label="Last record is due">
          <When at={lastDueAt} now={now} expected />
        </Fact>
      )}
      {attempts === '' ? null : <Fact label="Attempts">{attempts} failed</Fact>}
      <OnIt incident={incident} jobs={jobs} now={now} />
      {alarms ? <AlarmFact on={incident.alarms} reason={alarms.reason} now={now} /> : null}
    </dl>
  );
}

function Affected({ queues, now }: { queues: readonly QueueView[]; now: number }) {
  const more = queues.length - MAX_QUEUES;
  return (
    <div>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Affected queue</th>
            {['Waiting', 'In retry', 'Dead', 'Oldest due'].map((name) => (
              <th scope="col" class="r">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queues.slice(0, MAX_QUEUES).map((view) => (
            <AffectedRow view={view} now={now} />
          ))}
        </tbody>
      </table>
      {more > 0 ? <p class="sub sm">and {counted(more, 'other queue')}</p> : null}
    </div>
  );
}

function AffectedRow({ view, now }: { view: QueueView; now: number }) {
  const { stats, inRetry, retryCounted } = view;
  const { queue, pending, dead } = stats;
  const sign = COUNT_SIGNS[stats.counted];
  return (
    <tr>
      <td>
        <a class="bare" href={link('/records', { queue })}>
          <Foreign text={queue} most={60} />
        </a>
      </td>
      <td class="r">
        <Count of={pending} sign={sign} />
      </td>
      <td class="r">
        {inRetry === undefined ? (
          <Unknown why="the index does not tell" />
        ) : (
          <Count of={inRetry} sign={COUNT_SIGNS[retryCounted]} tone="retry" icon="retry" />
        )}
      </td>
      <td class="r">
        <Count of={dead} sign={sign} tone="dead" icon="dead" />
      </td>
      <td class="r nw">
        <OldestDue view={view} now={now} inLine />
      </td>
    </tr>
  );
}
