import type { RecurringRecord } from 'dynamo-backlog';
import { count, counted, records } from 'dynamo-backlog/overview';
import type { Child } from 'hono/jsx';
import { SubmitButtons } from '../action-form.js';
import type { Field } from '../actions/catalog.js';
import { Problem } from '../actions/confirm.js';
import { pauseProblem } from '../actions/pause-fields.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, link, Panel } from '../parts.js';
import type { RecurringAction } from './catalog.js';
import { BackfillFields } from './detail-page.js';
import { actLink, RecurringBadge, RecurringTrouble, recurringLink } from './looks.js';

interface ActProps {
  readonly context: PageContext;
  readonly recurring: RecurringRecord;
  /** The values that were filled in before. */
  readonly field: Field;
  /** The reason why it was refused. Default: it was not sent yet. */
  readonly problem?: string | undefined;
}

/** The page before an action on a recurring record. */
export function actPage({ action, ...props }: ActProps & { readonly action: RecurringAction }) {
  const { context, recurring, field, problem } = props;
  const { name } = recurring;
  return frame(
    props,
    { title: action.label, behind: action.behind },
    <ActionForm context={context} action={actLink(name, action.name)} class="blank">
      <Line recurring={recurring} now={context.now} />
      <p>{action.explain(recurring)}</p>
      {problem === undefined || pauseProblem(problem).of !== undefined ? null : <Problem text={problem} />}
      {action.fields?.(field, problem)}
      <Buttons context={context} name={name} label={action.label} icon={action.icon} />
    </ActionForm>,
  );
}

const EXAMPLES = 10;

/** The page before a back-fill: the records that it would insert are counted. */
export function backfillPage(
  props: ActProps & {
    readonly trial: { readonly ids: readonly string[]; readonly present: number } | undefined;
  },
) {
  const { context, recurring, field, problem, trial } = props;
  const { name } = recurring;
  const [from, to] = [field('from'), field('to')];
  const ids = trial?.ids ?? [];
  return frame(
    props,
    { title: 'Back-fill', behind: trial === undefined ? '' : ` with ${records(ids.length)}` },
    <>
      {trial === undefined ? null : (
        <ActionForm context={context} action={link('/recurring/backfill', { name })} class="blank">
          <Line recurring={recurring} now={context.now} />
          <p>
            {ids.length === 0 ? 'No record is missing' : `${records(ids.length)} would be inserted`} from{' '}
            <Foreign text={from} most={40} /> to <Foreign text={to} most={40} />.
            {trial.present > 0
              ? ` ${counted(trial.present, 'record')} of that time ${trial.present === 1 ? 'is' : 'are'} there already.`
              : ''}
            {ids.length === 0 ? '' : ' They are due at once: the rate limit of their queue still applies.'}
          </p>
          {ids.length === 0 ? null : (
            <ul class="mono sm ids">
              {ids.slice(0, EXAMPLES).map((id) => (
                <li>
                  <Foreign text={id} most={120} />
                </li>
              ))}
              {ids.length > EXAMPLES ? <li class="sub">and {count(ids.length - EXAMPLES)} more</li> : null}
            </ul>
          )}
          <input type="hidden" name="from" value={from} />
          <input type="hidden" name="to" value={to} />
          {ids.length === 0 ? (
            <p class="buttons">
              <a class="btn" href={recurringLink(name)}>
                Back
              </a>
            </p>
          ) : (
            <Buttons context={context} name={name} label={`Insert ${records(ids.length)}`} icon="run" />
          )}
        </ActionForm>
      )}
      {trial === undefined ? (
        <form class="blank" method="get" action="/recurring/backfill">
          <input type="hidden" name="name" value={name} />
          {problem === undefined ? null : <Problem text={problem} />}
          <BackfillFields from={from} to={to} />
          <p class="buttons">
            <button class="btn pri" type="submit">
              Count them
            </button>
            <a class="btn" href={recurringLink(name)}>
              Back
            </a>
          </p>
        </form>
      ) : null}
    </>,
  );
}

function frame(
  { context, recurring: { name } }: ActProps,
  { title, behind }: { readonly title: string; readonly behind: string },
  content: Child,
) {
  return page({
    context,
    title: `${title}: ${name}`,
    view: 'Recurring',
    children: (
      <>
        <Verdict>
          {title.replace(' now', '')} <Foreign text={name} most={256} />
          {behind}?
        </Verdict>
        <Panel title={title} note="nothing is changed until you confirm">
          {content}
        </Panel>
      </>
    ),
  });
}

function Line({ recurring, now }: { recurring: RecurringRecord; now: number }) {
  return (
    <div>
      <RecurringBadge recurring={recurring} />{' '}
      <a href={recurringLink(recurring.name)}>
        <Foreign text={recurring.name} most={256} />
      </a>
      <RecurringTrouble recurring={recurring} now={now} />
    </div>
  );
}

function Buttons(props: {
  context: PageContext;
  name: string;
  label: string;
  icon: RecurringAction['icon'];
}) {
  const { context, name, label, icon } = props;
  const { access } = context.deps;
  return <SubmitButtons access={access} label={label} icon={icon} back={recurringLink(name)} />;
}
