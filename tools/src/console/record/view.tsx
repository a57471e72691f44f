import { type BacklogRecord, occurrenceOf } from 'dynamo-backlog';
import {
  age,
  cancelReasonOf,
  isPending,
  isPutOffByPause,
  jsonOf,
  nameOf,
  notReadyText,
  RECURRING_QUEUE,
  restOf,
} from 'dynamo-backlog/engine';
import { fullClock, type Reading } from 'dynamo-backlog/overview';
import { outsideWait, outsideWaitText } from '../../outside-wait.js';
import { editRefusal, type ShownPayload, shownPayload, shownResult } from '../../shown-payload.js';
import { ACTIONS } from '../actions/catalog.js';
import { outsideEndsFor } from '../actions/outside-ends.js';
import { GroupLines } from '../groups/record-lines.js';
import { type PageContext, page } from '../layout.js';
import type { LineLook } from '../lines/line-looks.js';
import { isBehind, LinePanel } from '../lines/line-panel.js';
import { Fact, Foreign, Icon, link, Panel, type RecordState, StateBadge, When } from '../parts.js';
import { queuePolicy } from '../queue-policy.js';
import { NextAttempt } from '../records/next-attempt.js';
import { recurringLink } from '../recurring/looks.js';
import { Curve } from './curve.js';
import { JsonPanel } from './json-panel.js';
import { MarkKey } from './marks.js';
import { type AttemptPlan, planOf } from './plan.js';
import { Timeline } from './timeline.js';

/** Facts about a record that are not in its item. */
interface RecordSurroundings {
  /** A lease names it. */
  readonly running: boolean;
  /** Its queue is paused. */
  readonly paused: boolean;
  readonly reading: Reading | undefined;
  /** The line that it is in. Undefined: it is in none. */
  readonly line: LineLook;
}

/** One record: why it is not done, when it is attempted next, and when it is given up. */
export function recordPage(
  context: PageContext,
  record: BacklogRecord,
  { running, paused, reading, line }: RecordSurroundings,
) {
  const { deps, now } = context;
  context.noteRecords([record]);
  const plan = planOf(record, queuePolicy(deps, record.queue, reading), now);
  const shown = shownPayload(record, deps.redact);
  const result = shownResult(record, deps.redact);
  return page({
    context,
    title: record.id,
    view: 'Records',
    refreshSeconds: 5,
    children: (
      <>
        <section class="panel" data-live="hero">
          <div class="hero">
            <div>
              <p class="sm">
                <a href="/records">Records</a> /{' '}
                <a href={link('/records', { queue: record.queue })}>
                  <Foreign text={record.queue} most={60} />
                </a>
              </p>
              <h1 class="mono">
                <Foreign text={record.id} most={300} />
              </h1>
              <p>
                <StateBadge state={stateOf(record, running)} /> <Summary record={record} now={now} />
              </p>
              <RecurringLine record={record} now={now} />
              <GroupLines record={record} />
            </div>
            {isBehind(record, line) ? null : (
              <NextBox record={record} plan={plan} now={now} running={running} paused={paused} />
            )}
          </div>
          <Actions context={context} record={record} shown={shown} />
        </section>
        <CurvePanel context={context} record={record} plan={plan} />
        <div class="cols two">
          <Timeline record={record} plan={plan} now={now} running={running} paused={paused} />
          <div class="cols">
            {result === undefined ? null : <JsonPanel title="Result" shown={result} />}
            <JsonPanel title="Payload" shown={shown} raw={link('/record/payload', { id: record.id })} />
            <LinePanel record={record} look={line} now={now} />
            <FactsPanel record={record} now={now} />
          </div>
        </div>
      </>
    ),
  });
}

function stateOf(record: BacklogRecord, running: boolean): RecordState {
  return running && isPending(record) ? 'RUNNING' : record.status;
}

function Summary({ record, now }: { record: BacklogRecord; now: number }) {
  const { failures, attempts, lastError, firstFailureAt, lastFailureAt, deadReason, unknownTaskSince } =
    record;
  const waits = notReadyText(record);
  const outside = outsideWaitText(record, now);
  const cancelReason = cancelReasonOf(record);
  const span = Date.parse(lastFailureAt ?? '') - Date.parse(firstFailureAt ?? '');
  return (
    <span class="sub">
      {deadReason === undefined ? null : (
        <>
          given up: <Foreign text={deadReason} most={200} />.{' '}
        </>
      )}
      {cancelReason === undefined ? null : (
        <>
          Its attempt is told to end, and it is cancelled then, unless it succeeds:{' '}
          <Foreign text={cancelReason} most={200} />.{' '}
        </>
      )}
      {unknownTaskSince === undefined ? null : 'No handler knows its task. '}
      {record.key !== undefined && isPutOffByPause(record, now) ? (
        <>
          It waits, as its key <Foreign text={record.key} most={130} /> is paused.{' '}
        </>
      ) : null}
      {outside === undefined ? null : (
        <>
          It waits <Foreign text={outside} most={400} />.{' '}
        </>
      )}
      {waits === undefined || outside !== undefined ? null : (
        <>
          It waits, <Foreign text={waits} most={200} />.{' '}
        </>
      )}
      {failures === 0
        ? attempts === 0
          ? 'No attempt has ended yet.'
          : attempts === 1 && record.status === 'SUCCESS'
            ? 'Done at its first attempt.'
            : `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, none of them counted as a failure.`
        : `${failures} ${failures === 1 ? 'attempt' : 'attempts'} failed${span > 0 ? ` in ${age(span)}` : ''}`}
      {failures > 0 && lastError ? (
        <>
          , the last with{' '}
          <a class="b" href={link('/records', { queue: record.queue, errorName: lastError.name })}>
            <Foreign text={lastError.name} most={64} />
          </a>
          : <Foreign text={lastError.message} most={160} />
        </>
      ) : null}
    </span>
  );
}

/** The link to the recurring record that it is the schedule of, or that it was inserted for. Nothing, if there is none. */
function RecurringLine({ record, now }: { record: BacklogRecord; now: number }) {
  const occurrence = occurrenceOf(record);
  const name = record.queue === RECURRING_QUEUE ? nameOf(record.id) : occurrence?.name;
  if (name === undefined) return null;
  return (
    <p class="sub">
      {record.queue === RECURRING_QUEUE ? 'The schedule of the recurring record ' : 'An occurrence of '}
      <a href={recurringLink(name)}>
        <Foreign text={name} most={256} />
      </a>
      {record.queue === RECURRING_QUEUE || !occurrence ? null : (
        <>
          , for <When at={occurrence.at.getTime()} now={now} />
        </>
      )}
    </p>
  );
}

function NextBox(props: {
  record: BacklogRecord;
  plan: AttemptPlan;
  now: number;
  running: boolean;
  paused: boolean;
}) {
  const { record, plan, now, running, paused } = props;
  if (plan.next === undefined) return null;
  const most = plan.policy?.maxAttempts ?? Number.POSITIVE_INFINITY;
  const of = Number.isFinite(most) ? ` of ${most}` : '';
  return (
    <div class={`next ${record.status === 'ERROR' ? 'retry' : ''}`}>
      <span class="sm mark">
        <Icon name={record.status === 'ERROR' ? 'retry' : 'new'} />
        <span>
          Attempt {record.attempts + 1}
          {of}{' '}
          {plan.endsOutside ? 'ends outside, within' : running ? 'is running' : plan.next > now ? 'in' : ''}
        </span>
      </span>
      {plan.next > now ? (
        <>
          <time class="big" datetime={new Date(plan.next).toISOString()} data-countdown="">
            {age(plan.next - now)}
          </time>
          <span class="sm sub">{fullClock(plan.next)} UTC</span>
          {paused ? <span class="sm block">its queue is paused</span> : null}
        </>
      ) : (
        <>
          <span class="big">{running ? 'now' : 'due'}</span>
          <span class="sm sub">
            <NextAttempt record={record} now={now} isRunning={running} isPaused={paused} />
          </span>
        </>
      )}
    </div>
  );
}

function Actions(props: { context: PageContext; record: BacklogRecord; shown: ShownPayload }) {
  const { context, record, shown } = props;
  const { access } = context.deps;
  const noEdit = access.write ? editRefusal(shown) : undefined;
  const whyId = access.write ? 'no-edit' : 'read-only';
  const possible = [...outsideEndsFor(record), ...ACTIONS].filter(({ statuses }) =>
    statuses.includes(record.status),
  );
  if (possible.length === 0) {
    return <p class="acts sub sm">It is done: no action applies. To attempt it again, put it again.</p>;
  }
  return (
    <div class="acts">
      {possible.map(({ name, label, icon, danger }, i) => {
        const look = `btn ${i === 0 ? 'pri' : ''} ${danger ? 'danger end' : ''}`;
        const content = (
          <>
            {icon ? <Icon name={icon} /> : null}
            {label}…
          </>
        );
        return access.write && (name !== 'edit' || noEdit === undefined) ? (
          <a class={look} href={link('/record/act', { id: record.id, do: name })}>
            {content}
          </a>
        ) : (
          <button type="button" class={look} disabled aria-describedby={whyId}>
            {content}
          </button>
        );
      })}
      {access.write && noEdit === undefined ? null : (
        <span class="sub sm" id={whyId}>
          {access.write ? noEdit : access.reason}
        </span>
      )}
    </div>
  );
}

function CurvePanel(props: { context: PageContext; record: BacklogRecord; plan: AttemptPlan }) {
  const { context, record, plan } = props;
  // One point is no curve.
  if (plan.past.length + plan.planned.length < 2) return null;
  const kinds = new Set(plan.past.map(({ kind }) => kind));
  const key = [
    ...kinds,
    ...(plan.next === undefined ? [] : ([plan.endsOutside ? 'timesOut' : 'next'] as const)),
    ...(plan.planned.length > 0 ? (['planned'] as const) : []),
    ...(plan.end ? (['givesUp'] as const) : []),
  ];
  return (
    <Panel
      title="On its policy's curve"
      note={policyText(plan, record)}
      end={<MarkKey kinds={key} />}
      live="curve"
    >
      <Curve plan={plan} insertedAt={Date.parse(record.insertedAt)} now={context.now} />
    </Panel>
  );
}

function policyText({ policy }: AttemptPlan, { retry, limits }: BacklogRecord): string {
  if (policy === undefined)
    return 'No monitor has noted the policy of its queue: planned attempts are not drawn';
  const whose = retry ? 'its own' : limits ? "its queue's, with limits of its own" : "its queue's";
  const attempts = Number.isFinite(policy.maxAttempts) ? `, ${policy.maxAttempts} attempts` : '';
  return `${policy.type}, ${whose}${attempts}, ${age(policy.maxAge * 1000)} at most`;
}

function FactsPanel({ record, now }: { record: BacklogRecord; now: number }) {
  const hasEvent = !isPending(record) && record.rev !== undefined;
  const times = [
    ['Inserted', record.insertedAt],
    ['Available', record.availableAt],
    ['First failure', record.firstFailureAt],
    ['Last attempt', record.lastAttemptAt],
    ['Due', record.dueAt],
    ['Not before', restOf(record)],
    ['Removed', record.expiresAt === undefined ? undefined : new Date(record.expiresAt * 1000).toISOString()],
  ] as const;
  const texts = [
    ['Task', record.task],
    ['Policy of its own', jsonOrNothing(record.retry ?? record.limits)],
    ['Lane', record.lane],
    // The token of its wait can be computed of it.
    ['Version', outsideWait(record) ? undefined : record.rev],
    ...Object.entries(record.attributes).map(([name, value]) => [name, jsonOf(value)] as const),
  ] as const;
  return (
    <Panel
      title="Record"
      end={hasEvent ? <a href={link('/record/event', { id: record.id })}>Event</a> : undefined}
    >
      <dl class="facts2">
        {times.map(([label, at]) =>
          at === undefined ? null : (
            <Fact label={label}>
              <When at={at} now={now} />
            </Fact>
          ),
        )}
        {record.key === undefined ? null : (
          <Fact label="Key">
            <a href={link('/records', { key: record.key })}>
              <Foreign text={record.key} most={300} />
            </a>
          </Fact>
        )}
        {texts.map(([label, text]) =>
          text === undefined ? null : (
            <Fact label={label}>
              <code>
                <Foreign text={text} most={300} />
              </code>
            </Fact>
          ),
        )}
      </dl>
      {record.problems.map((problem) => (
        <p class="amberline">
          <Icon name="warn" /> <Foreign text={problem} most={300} />
        </p>
      ))}
    </Panel>
  );
}

function jsonOrNothing(value: unknown): string | undefined {
  return value === undefined ? undefined : jsonOf(value);
}
