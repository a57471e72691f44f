import { count, counted, records, units } from 'dynamo-backlog/overview';
import { concernedBy, resultText } from '../../cli/operate/report.js';
import { LoggedAs } from '../action-form.js';
import { Pace } from '../jobs/pace.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { capitalized, Foreign, Icon, Panel, recordLink } from '../parts.js';
import type { ConsoleAction, Field } from './catalog.js';
import { Problem } from './confirm.js';
import { type BulkPlan, trialText } from './plan.js';

const DEFAULT_PACE = 20;
/** Write units of most actions for a small record: docs/operate.md has the table. */
const WRITE_UNITS = 3;

interface BulkConfirmProps {
  readonly context: PageContext;
  readonly action: ConsoleAction;
  readonly plan: BulkPlan;
  /** The name under which the plan is kept. */
  readonly name: string;
  readonly queues: readonly string[];
  readonly field: Field;
  readonly problem?: string | undefined;
}

/** The page before an action on many records: the dry run has been made. */
export function bulkConfirmPage(props: BulkConfirmProps) {
  const { context, action, plan, name, queues, field, problem } = props;
  const { result, looked, isLeast } = plan.trial;
  const given = field('pace');
  const pace = given === '0' ? 0 : Number(given) || DEFAULT_PACE;
  const atLeast = isLeast ? 'at least ' : '';
  const waits = action.startsAttempts && plan.awaited !== undefined && field('whenBack') === 'on';
  const [before, after] = action.ask;
  const asked = `${before}${trialText(plan.trial)}${waits ? '' : after}`;
  const isNone = concernedBy(result) === 0 && !isLeast;
  return page({
    context,
    title: asked,
    view: 'Records',
    children: (
      <>
        <Verdict note={`The dry run looked at ${records(looked)} and cost ${units(result.readUnits)}.`}>
          {isNone ? (
            `No record would be ${action.done}.`
          ) : waits ? (
            <>
              {asked} when <Foreign text={plan.awaited ?? ''} most={100} /> is back?
            </>
          ) : (
            `${asked}?`
          )}
        </Verdict>
        <Panel title={action.label} note="nothing is changed until you confirm">
          <ActionForm context={context} action="/bulk" class="blank">
            <p>
              <Foreign text={`${capitalized(plan.where)}.`} most={400} />{' '}
              {plan.list === undefined ? null : <a href={plan.list}>Look at them</a>}
            </p>
            <p>{action.explain}</p>
            <pre class="cmd">
              <bdi>{resultText(result, { ask: action.label, done: action.done }, true)}</bdi>
            </pre>
            {isLeast ? (
              <p class="sub sm">
                The dry run ends at {count(result.changed)} of {records(looked)}: the job goes on to the last
                one that matches.
              </p>
            ) : null}
            {plan.list !== undefined && action.name === 'redrive' ? (
              <p class="sub sm">
                Discarded and cancelled records are left out: tick those that are wanted again.
              </p>
            ) : null}
            {problem ? <Problem text={problem} /> : null}
            <input type="hidden" name="plan" value={name} />
            <div class="rows">
              {action.fields?.({ record: undefined, queues, field })}
              <Pace chosen={pace} total={result.changed} atLeast={atLeast}>
                Pace: a spike of load can take a destination down again
              </Pace>
              <Begin action={action} plan={plan} field={field} />
            </div>
            <p class="sub sm">
              {isLeast ? 'At least' : 'About'} {counted(result.changed * WRITE_UNITS, 'write unit')} for
              records of up to 1 KB. Records that an attempt changes meanwhile are left alone.
            </p>
            <p class="buttons">
              <button class={`btn ${action.danger ? 'danger' : 'pri'}`} type="submit" disabled={isNone}>
                {action.icon ? <Icon name={action.icon} /> : null}
                {asked}
              </button>
              <a class="btn" href={plan.list ?? '/records'}>
                Keep them as they are
              </a>
              <LoggedAs access={context.deps.access} />
            </p>
          </ActionForm>
        </Panel>
        {Array.isArray(plan.which) && plan.which.length > 0 ? <Ticked ids={plan.which} /> : null}
      </>
    ),
  });
}

/** Records that can be tried before the others. */
export const PROBE = 5;

/** The ways in which an action that starts attempts can begin. */
function Begin({ action, plan, field }: Pick<BulkConfirmProps, 'action' | 'plan' | 'field'>) {
  const { trial, awaited } = plan;
  if (!action.startsAttempts) return null;
  return (
    <>
      {trial.isLeast || trial.result.changed > PROBE ? (
        <label class="choice">
          <input type="checkbox" name="probe" checked={field('probe') === 'on'} />
          <span>{PROBE} as a probe, then the rest: the job stops if one of them fails again</span>
        </label>
      ) : null}
      {awaited === undefined ? null : (
        <label class="choice">
          <input type="checkbox" name="whenBack" checked={field('whenBack') === 'on'} />
          <span>
            Not before <Foreign text={awaited} most={100} /> works again, as it fails now; given up after a
            day
          </span>
        </label>
      )}
    </>
  );
}

const SHOWN = 30;

function Ticked({ ids }: { ids: readonly string[] }) {
  const note = ids.length > SHOWN ? `the first ${SHOWN} of ${count(ids.length)}` : 'all of them';
  return (
    <Panel title="Records" note={note}>
      <ul class="ids">
        {ids.slice(0, SHOWN).map((id) => (
          <li>
            <a class="mono" href={recordLink(id)}>
              <Foreign text={id} most={60} />
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
