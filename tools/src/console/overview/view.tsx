import { age } from 'dynamo-backlog/engine';
import {
  type CountsReader,
  counted,
  endedIncidents,
  explainRead,
  incidentsOf,
  SENTENCE_ICONS,
  sentenceOf,
  signsText,
  snapshotOf,
  units,
} from 'dynamo-backlog/overview';
import { withAlarms } from '../../alarms/alarm-source.js';
import { ReadError } from '../errors.js';
import { type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Icon, Mark, Panel } from '../parts.js';
import { AlarmsPanel } from '../runtime/alarms-panel.js';
import { EndedIncidents } from './ended.js';
import { IncidentPanels } from './incidents.js';
import { QueuesPanel } from './queues.js';
import { RulesPanel } from './rules.js';
import { RunsPanel } from './runs.js';

/** The overview: what is wrong, and the state of the queues. */
export async function overview(context: PageContext, reader: CountsReader) {
  const { deps, now } = context;
  const { counts, error } = await reader.read();
  // A page waits for no alarm: those that are not known yet come with its next update.
  const snapshot = await withAlarms(snapshotOf(deps, counts, now), deps.alarms, 0);
  const reason = error === undefined ? undefined : explainRead(error);
  const { tone, title, details } = sentenceOf(snapshot, reason);
  const wall = deps.backlog.clock?.wall() ?? Date.now();
  const note = counts
    ? [
        `read ${age(wall - counts.readAt)} ago`,
        ...(counts.readUnits > 0 ? [units(counts.readUnits)] : []),
        ...signsText(snapshot.queues ?? [], now),
      ].join(', ')
    : 'no counts';
  return page({
    context,
    title: 'Overview',
    view: 'Overview',
    refreshSeconds: 5,
    children: (
      <>
        <Verdict note={note} details={details.length > 0 ? details.slice(0, 6).join(' ') : null}>
          <Mark tone={tone === 'unknown' ? 'grey' : tone} icon={SENTENCE_ICONS[tone]}>
            <Foreign text={title} most={400} />
          </Mark>
        </Verdict>
        {reason === undefined ? null : <ReadError reason={reason} stale={counts !== undefined} />}
        <IncidentPanels
          incidents={incidentsOf(snapshot.queues ?? [], snapshot.alarms)}
          jobs={context.jobs()}
          deps={deps}
          now={now}
        />
        {snapshot.queues && snapshot.queues.length > 0 ? (
          <QueuesPanel context={context} queues={snapshot.queues} />
        ) : null}
        {snapshot.queues?.length === 0 ? <NoQueues context={context} /> : null}
        <EndedIncidents ended={endedIncidents(snapshot.queues ?? [])} now={now} />
        {deps.runtime ? (
          <div class="cols two" data-live="runtime">
            <RulesPanel context={context} rules={snapshot.rules} />
            <RunsPanel context={context} />
          </div>
        ) : null}
        <Alarms context={context} />
        {deps.runtime ? <RuntimeFacts context={context} /> : null}
      </>
    ),
  });
}

function Alarms({ context: { deps, now } }: { context: PageContext }) {
  const alarms = deps.runtime?.status().alarms;
  return alarms ? <AlarmsPanel alarms={alarms} now={now} /> : null;
}

function NoQueues({ context }: { context: PageContext }) {
  return (
    <Panel title="Nothing there yet">
      <div class="blank">
        <p class="sub">
          No run has served a queue of this backlog, and no operator has paused one. Put a record in:
        </p>
        <pre class="cmd">{`aws dynamodb put-item --table-name ${context.deps.backlog.table} --item file://record.json`}</pre>
      </div>
    </Panel>
  );
}

function RuntimeFacts({ context }: { context: PageContext }) {
  const status = context.deps.runtime?.status();
  if (!status) return null;
  const attempting = status.rules.filter(({ queues }) => queues.length > 0);
  const isDisabled = attempting.length > 0 && attempting.every(({ enabled }) => !enabled);
  return (
    <p class="sub sm facts-line" data-live="facts">
      <span>local runtime of {status.app}</span>
      <span>
        DynamoDB <code>{status.endpoint}</code>, table {status.tables.join(', ')}
      </span>
      {isDisabled ? (
        <span class="mark dead">
          <Icon name="warn" />
          <b>delivers nowhere: the app's rules are disabled</b>
        </span>
      ) : null}
      {isDisabled || status.deliverTo === undefined ? null : (
        <span>
          delivers to <code>{status.deliverTo}</code>
        </span>
      )}
      <span>{counted(status.totals.runs, 'run')} since the start</span>
      <span>
        logs in <code>{status.logs}</code>
      </span>
    </p>
  );
}
