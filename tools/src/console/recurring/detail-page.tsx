import type { RedactPayload } from 'dynamo-backlog';
import { age, jsonOf, nextOccurrences, type Tables } from 'dynamo-backlog/engine';
import { fullClock } from 'dynamo-backlog/overview';
import type { Child } from 'hono/jsx';
import type { ReadSchedule } from '../../recurring/find-schedules.js';
import { type OccurrenceWithRecord, pastOccurrences } from '../../recurring/past-occurrences.js';
import { inZone, ORIGINS, scheduleWords } from '../../recurring/recurring-words.js';
import { shownOwnPayload } from '../../recurring/shown-definition.js';
import { ActLink, WhyReadOnly } from '../action-form.js';
import { type PageContext, page } from '../layout.js';
import { Fact, Foreign, Icon, link, Panel, recordLink, StateBadge, Unknown, When } from '../parts.js';
import { JsonPanel } from '../record/json-panel.js';
import { RECURRING_ACTIONS } from './catalog.js';
import { actLink, RecurringBadge, RecurringTrouble } from './looks.js';

const NEXT = 5;
const LAST = 10;
const REFRESH_SECONDS = 10;

/** One recurring record: its definition, its next occurrences, and the records of the last ones. */
export async function recurringDetail(context: PageContext, schedule: ReadSchedule, tables: Tables) {
  const { deps, now } = context;
  const { record, recurring } = schedule;
  const { store } = tables.open();
  const past = await pastOccurrences(record, { store, now, count: LAST });
  const next = nextOccurrences(record, now, NEXT);
  const { definition, name } = recurring;
  const queue = definition?.queue ?? 'default';
  return page({
    context,
    title: name,
    view: 'Recurring',
    refreshSeconds: REFRESH_SECONDS,
    children: (
      <>
        <section class="panel" data-live="hero">
          <div class="hero">
            <div>
              <p class="sm">
                <a href="/recurring">Recurring</a> /{' '}
                <a href={link('/records', { queue })}>
                  <Foreign text={queue} most={60} />
                </a>
              </p>
              <h1 class="mono">
                <Foreign text={name} most={256} />
              </h1>
              <p>
                <RecurringBadge recurring={recurring} />{' '}
                <span class="sub">{definition && scheduleWords(definition)}</span>
              </p>
              <RecurringTrouble recurring={recurring} now={now} />
            </div>
            <NextBox at={next[0]} context={context} timeZone={definition?.timeZone} />
          </div>
          <Actions context={context} schedule={schedule} />
        </section>
        <div class="cols two">
          <div class="cols" data-live="occurrences">
            <NextPanel times={next} now={now} timeZone={definition?.timeZone} />
            <PastPanel past={past} now={now} timeZone={definition?.timeZone} />
          </div>
          <div class="cols">
            <DefinitionPanel schedule={schedule} now={now} />
            <PayloadPanel schedule={schedule} redact={deps.redact} />
            {definition === undefined ? null : <BackfillPanel context={context} name={name} />}
          </div>
        </div>
      </>
    ),
  });
}

function NextBox(props: { at: number | undefined; context: PageContext; timeZone: string | undefined }) {
  const { at, context, timeZone } = props;
  if (at === undefined) return null;
  const local = inZone(at, timeZone);
  return (
    <div class="next">
      <span class="sm mark">
        <Icon name="new" />
        <span>Next occurrence {at > context.now ? 'in' : 'is'}</span>
      </span>
      {at > context.now ? (
        <time class="big" datetime={new Date(at).toISOString()} data-countdown="">
          {age(at - context.now)}
        </time>
      ) : (
        <span class="big">due</span>
      )}
      <span class="sm sub">{fullClock(at)} UTC</span>
      {local === undefined ? null : (
        <span class="sm sub">
          {local} in {timeZone}
        </span>
      )}
    </div>
  );
}

function Actions({ context, schedule: { recurring } }: { context: PageContext; schedule: ReadSchedule }) {
  const { access } = context.deps;
  const possible = RECURRING_ACTIONS.filter(({ isFor }) => isFor(recurring));
  return (
    <div class="acts">
      {possible.map(({ name, label, icon }) => (
        <ActLink
          access={access}
          href={actLink(recurring.name, name)}
          look={name === 'resume' ? 'btn pri' : 'btn'}
          label={label}
          icon={icon}
        />
      ))}
      <WhyReadOnly access={access} />
      <a class="end sm" href={recordLink(recurring.id)}>
        Its record
      </a>
    </div>
  );
}

function NextPanel(props: { times: readonly number[]; now: number; timeZone: string | undefined }) {
  const { times, now, timeZone } = props;
  return (
    <Panel title="Next occurrences" note={zoneNote(timeZone)}>
      {times.length === 0 ? (
        <p class="pad sub">None, as long as it stays as it is.</p>
      ) : (
        <ol class="occurrences">
          {times.map((at) => (
            <li data-key={String(at)}>
              <When at={at} now={now} expected />
              <Local at={at} timeZone={timeZone} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function zoneNote(timeZone: string | undefined) {
  return timeZone === undefined ? (
    'UTC'
  ) : (
    <>
      UTC, and <Foreign text={timeZone} most={60} />
    </>
  );
}

function Local({ at, timeZone }: { at: number; timeZone: string | undefined }): Child {
  const local = inZone(at, timeZone);
  return local === undefined ? null : <span class="sub local">{local}</span>;
}

function PastPanel(props: {
  past: readonly OccurrenceWithRecord[];
  now: number;
  timeZone: string | undefined;
}) {
  const { past, now, timeZone } = props;
  return (
    <Panel title="Last occurrences" note="with the states of their records">
      {past.length === 0 ? (
        <p class="pad sub">None since it was made.</p>
      ) : (
        <ol class="occurrences">
          {past.map(({ at, id, record, wasPaused }) => (
            <li data-key={id}>
              <When at={at} now={now} />
              <Local at={at} timeZone={timeZone} />
              <span class="end">
                {record === undefined ? (
                  <span class="sub sm">
                    {wasPaused ? 'paused' : 'no record: passed over, or removed since'}
                  </span>
                ) : (
                  <>
                    <StateBadge state={record.status} />
                    <a href={recordLink(id)}>
                      Record<span class="vh"> {id}</span>
                    </a>
                  </>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

const MISSED = {
  one: 'the newest is made up for',
  all: 'all are made up for',
  skip: 'none that is 5 minutes late',
} as const;

function DefinitionPanel({ schedule: { recurring }, now }: { schedule: ReadSchedule; now: number }) {
  const { definition, origin, lastAttemptAt } = recurring;
  if (definition === undefined) return null;
  const { schedule, timeZone = 'UTC', queue = 'default', task, key, retry, missed = 'one' } = definition;
  const { startAt, endAt, jitter } = definition;
  const code = (text: string) => (
    <code>
      <Foreign text={text} most={300} />
    </code>
  );
  const facts: readonly (readonly [label: string, value: Child])[] = [
    ['Schedule', code(schedule)],
    ['Time zone', <Foreign text={timeZone} most={60} />],
    ['Queue', <Foreign text={queue} most={130} />],
    ['Task', task === undefined ? null : code(task)],
    ['Key', key === undefined ? null : code(key)],
    ['Policy', retry === undefined ? null : code(jsonOf(retry))],
    ['Missed occurrences', MISSED[missed]],
    ['None before', startAt === undefined ? null : <When at={startAt} now={now} />],
    ['None after', endAt === undefined ? null : <When at={endAt} now={now} />],
    ['Spread over', jitter === undefined ? null : age(jitter * 1000)],
    ['From', ORIGINS[origin]],
    [
      'Last attempt',
      lastAttemptAt === undefined ? <Unknown why="none yet" /> : <When at={lastAttemptAt} now={now} />,
    ],
  ];
  return (
    <Panel title="Definition">
      <dl class="facts2">
        {facts.map(([label, value]) => (value === null ? null : <Fact label={label}>{value}</Fact>))}
      </dl>
    </Panel>
  );
}

function PayloadPanel({ schedule, redact }: { schedule: ReadSchedule; redact: RedactPayload | undefined }) {
  const shown = shownOwnPayload(schedule, redact);
  return shown === undefined ? null : <JsonPanel title="Payload" shown={shown} />;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const minuteIso = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`;

/** The form that asks for the occurrences of a time that has passed. It only counts them. */
function BackfillPanel({ context, name }: { context: PageContext; name: string }) {
  const { access } = context.deps;
  const to = Math.floor(context.now / MINUTE_MS) * MINUTE_MS;
  return (
    <Panel title="Back-fill" note="inserts what is missing of a time that has passed">
      <form class="blank" method="get" action="/recurring/backfill">
        <input type="hidden" name="name" value={name} />
        <BackfillFields from={minuteIso(to - DAY_MS)} to={minuteIso(to)} />
        <p class="sub sm">
          ISO-8601 with its zone, such as <span class="nw">2026-12-01T00:00Z</span> or{' '}
          <span class="nw">2026-12-01T00:00+01:00</span>.
        </p>
        <p class="buttons">
          <button class="btn" type="submit" disabled={!access.write}>
            Count them
          </button>
          <span class="sub sm">{access.write ? 'Nothing is inserted yet.' : access.reason}</span>
        </p>
      </form>
    </Panel>
  );
}

/** The fields of a time that has passed. */
export function BackfillFields({ from, to }: { from: string; to: string }) {
  return (
    <div class="rows pair">
      <label class="f">
        From
        <input class="mono" name="from" value={from} required />
      </label>
      <label class="f">
        To
        <input class="mono" name="to" value={to} required />
      </label>
    </div>
  );
}
