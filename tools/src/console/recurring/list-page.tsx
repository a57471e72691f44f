import type { RecurringRecord } from 'dynamo-backlog';
import { count, counted, units } from 'dynamo-backlog/overview';
import { NO_FUNCTION, ORIGINS, scheduleText, scheduleWords } from '../../recurring/recurring-words.js';
import { AWS_REFRESH_SECONDS, LOCAL_REFRESH_SECONDS, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Icon, link, Mark, Panel, Unknown, When } from '../parts.js';
import { actLink, goesOn, RecurringBadge, RecurringTrouble, recurringLink } from './looks.js';
import type { RecurringList } from './read.js';

/**
 * The recurring records: one row for each, those in trouble first.
 *
 * @param text a part of their names; empty: all
 */
export function recurringPage(context: PageContext, list: RecurringList, text: string) {
  const { deps } = context;
  const awsSeconds = text === '' ? AWS_REFRESH_SECONDS : undefined;
  return page({
    context,
    title: 'Recurring',
    view: 'Recurring',
    refreshSeconds: deps.runtime ? LOCAL_REFRESH_SECONDS : awsSeconds,
    children: (
      <div class="cols" data-live="recurring">
        <Verdict note={noteOf(list, text)}>
          <Sentence list={list} text={text} />
        </Verdict>
        <Warnings list={list} />
        {list.shown.length === 0 && text === '' ? (
          <None />
        ) : (
          <Rows context={context} list={list} text={text} />
        )}
      </div>
    ),
  });
}

function noteOf({ shown, total, sign, readUnits }: RecurringList, text: string): string {
  const part = shown.length < total ? `the first ${count(shown.length)} of ${sign}${count(total)}` : '';
  const matching = text === '' ? '' : `${sign}${count(total)} with this in their names`;
  return [matching, part, readUnits > 0 ? units(readUnits) : ''].filter(Boolean).join(', ');
}

/** `1 recurring record is dead, 2 fail.` */
function Sentence({ list: { shown, total, sign }, text }: { list: RecurringList; text: string }) {
  const of = (state: RecurringRecord['state']) => shown.filter((one) => one.state === state).length;
  const [dead, failing, paused] = [of('dead'), of('failing'), of('paused')];
  const troubles = [
    dead > 0 ? `${count(dead)} ${dead === 1 ? 'is' : 'are'} dead` : '',
    failing > 0 ? `${count(failing)} ${failing === 1 ? 'fails' : 'fail'}` : '',
  ].filter(Boolean);
  if (troubles.length > 0) {
    return (
      <Mark tone="dead" icon="fail">
        Recurring records: {troubles.join(', ')}.
      </Mark>
    );
  }
  if (shown.length === 0) return text === '' ? 'There is no recurring record.' : 'No name has this in it.';
  const isWhole = shown.length >= total;
  const which = isWhole ? `${sign}${counted(total, 'recurring record')}` : `The first ${count(shown.length)}`;
  const more = paused > 0 ? `, ${count(paused)} of them paused` : '';
  return (
    <Mark tone="ok" icon="ok">
      {which}: none is in trouble{more}.
    </Mark>
  );
}

function Warnings({ list: { isUnserved, isPaused } }: { list: RecurringList }) {
  return (
    <>
      {isUnserved ? (
        <p class="flash dead">
          <Icon name="warn" />
          <span>{sentence(NO_FUNCTION)}</span>
        </p>
      ) : null}
      {isPaused ? (
        <p class="flash dead">
          <Icon name="paused" />
          <span>
            The queue <code>recurring</code> is paused: no occurrence is inserted until{' '}
            <a href="/queue?name=recurring">it is resumed</a>.
          </span>
        </p>
      ) : null}
    </>
  );
}

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

function None() {
  return (
    <section class="panel">
      <div class="blank">
        <p>A recurring record has a schedule: a record is inserted at each of its occurrences.</p>
        <p class="sub">
          The prop recurring of the CDK app defines them, or an application puts its own. From a terminal:
        </p>
        <pre class="cmd">npx backlog recurring put nightly-report --schedule "cron(0 3 * * ? *)"</pre>
      </div>
    </section>
  );
}

function Rows({
  context,
  list: { shown, total },
  text,
}: {
  context: PageContext;
  list: RecurringList;
  text: string;
}) {
  return (
    <Panel title="Recurring records" note="those in trouble first, then by their next occurrence">
      <form class="filters name" method="get" action="/recurring">
        <label class="f">
          Name contains
          <input class="mono" name="text" value={text} maxlength={256} />
        </label>
        <span class="buttons">
          <button class="btn" type="submit">
            Filter
          </button>
          {text === '' ? null : (
            <a class="sm" href="/recurring">
              Clear
            </a>
          )}
        </span>
      </form>
      {shown.length === 0 ? (
        <p class="blank sub">No name has this in it. Names are compared whatever their case.</p>
      ) : (
        <table class="recurring cards">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Name</th>
              <th scope="col">Schedule</th>
              <th scope="col">Queue</th>
              <th scope="col">Next, UTC</th>
              <th scope="col">Last attempt, UTC</th>
              <th scope="col">From</th>
              <th scope="col">
                <span class="vh">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((recurring) => (
              <Row context={context} recurring={recurring} />
            ))}
          </tbody>
        </table>
      )}
      {shown.length >= total ? null : (
        <p class="amberline">
          <Mark tone="amber" icon="warn">
            Only {count(shown.length)} are shown: filter by a part of the name.
          </Mark>{' '}
          <a href={link('/records', { queue: 'recurring', status: 'ERROR' })}>Those that fail</a>
        </p>
      )}
    </Panel>
  );
}

function Row({ context, recurring }: { context: PageContext; recurring: RecurringRecord }) {
  const { name, definition, next, lastAttemptAt, origin } = recurring;
  // On a narrow page, what is not known takes no line.
  const cell = (as: string, value: unknown) => (value === undefined ? `${as} none` : as);
  const { now } = context;
  const words = definition && scheduleWords(definition);
  return (
    <tr data-key={name}>
      <td class="c-state">
        <RecurringBadge recurring={recurring} />
      </td>
      <td class="c-name">
        <a class="id" href={recurringLink(name)}>
          <Foreign text={name} most={80} />
        </a>
        <RecurringTrouble recurring={recurring} now={now} />
      </td>
      <td class={cell('c-schedule', definition)}>
        {definition === undefined ? (
          <Unknown why="its definition cannot be read" />
        ) : (
          <>
            {words === undefined ? null : <span class="block">{words}</span>}
            <code class={words === undefined ? undefined : 'sub'}>
              <Foreign text={scheduleText(definition)} most={90} />
            </code>
          </>
        )}
      </td>
      <td class={cell('c-queue', definition)} data-label="Queue">
        {definition === undefined ? <Unknown /> : <Foreign text={definition.queue ?? 'default'} most={40} />}
      </td>
      <td class={cell('c-next', next)} data-label="Next">
        {next === undefined ? (
          <Unknown why="no occurrence is to come" />
        ) : (
          <When at={next} now={now} expected />
        )}
      </td>
      <td class={cell('c-last', lastAttemptAt)} data-label="Last attempt">
        {lastAttemptAt === undefined ? <Unknown why="none yet" /> : <When at={lastAttemptAt} now={now} />}
      </td>
      <td class="sub sm c-origin" data-label="From">
        {ORIGINS[origin]}
      </td>
      <td class="r sm nw c-ways">
        {context.deps.access.write && goesOn(recurring) ? <RowActions recurring={recurring} /> : null}
      </td>
    </tr>
  );
}

function RowActions({ recurring: { name, state } }: { recurring: RecurringRecord }) {
  const isPaused = state === 'paused';
  return (
    <span class="ways">
      <a class="sub" href={actLink(name, isPaused ? 'resume' : 'pause')}>
        {isPaused ? 'Resume' : 'Pause'}…<span class="vh"> {name}</span>
      </a>
      <a class="sub" href={actLink(name, 'run')}>
        Run now…<span class="vh"> {name}</span>
      </a>
    </span>
  );
}
