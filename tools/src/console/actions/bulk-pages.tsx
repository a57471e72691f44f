import type { ActionResult } from 'dynamo-backlog';
import { age } from 'dynamo-backlog/engine';
import { count, counted, records, units } from 'dynamo-backlog/overview';
import { resultText } from '../../cli/operate/report.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Icon, link, Panel, recordLink } from '../parts.js';
import type { ConsoleAction, Field } from './catalog.js';
import { Problem } from './confirm.js';
import type { BulkPlan, Job } from './jobs.js';

/** Changes per second that an operator can choose; 0: as fast as it goes. */
const PACES = [5, 20, 50, 100, 0] as const;
const DEFAULT_PACE = 20;
/** Write units of most actions for a small record: docs/operate.md has the table. */
const WRITE_UNITS = 3;

interface BulkConfirmProps {
  readonly context: PageContext;
  readonly action: ConsoleAction;
  readonly plan: BulkPlan;
  /** The name under which the plan is kept. */
  readonly name: string;
  /** The result of the dry run. */
  readonly trial: ActionResult;
  readonly queues: readonly string[];
  readonly field: Field;
  readonly problem?: string | undefined;
}

/** The page before an action on many records: the dry run has been made. */
export function bulkConfirmPage(props: BulkConfirmProps) {
  const { context, action, plan, name, trial, queues, field, problem } = props;
  const pace = Number(field('pace') || DEFAULT_PACE);
  const writes = trial.changed * WRITE_UNITS;
  const asked = action.ask.join(records(trial.changed));
  return page({
    context,
    title: asked,
    view: 'Records',
    children: (
      <>
        <Verdict note={`The dry run examined ${records(plan.examined)} and cost ${units(trial.readUnits)}.`}>
          {trial.changed === 0 ? `No record would be ${action.done}.` : `${asked}?`}
        </Verdict>
        <Panel title={action.label} note="nothing is changed until you confirm">
          <ActionForm context={context} action="/bulk" class="blank">
            <p>
              <Foreign text={`${records(plan.ids.length)} ${plan.where}.`} most={400} />
            </p>
            <p>{action.explain}</p>
            <pre class="cmd">
              <bdi>{resultText(trial, { ask: action.label, done: action.done }, true)}</bdi>
            </pre>
            {plan.more ? (
              <p class="mark amber">
                <Icon name="warn" />
                <span>More records may match: these are the first ones. Repeat for the rest.</span>
              </p>
            ) : null}
            {problem ? <Problem text={problem} /> : null}
            <input type="hidden" name="plan" value={name} />
            <div class="rows">
              {action.fields?.({ record: undefined, queues, field })}
              <label class="f">
                Pace: a spike of load can take a destination down again
                <select name="pace">
                  {PACES.map((perSecond) => (
                    <option value={String(perSecond)} selected={perSecond === pace}>
                      {paceText(perSecond, trial.changed)}
                    </option>
                  ))}
                </select>
              </label>
            </div>
            <p class="sub sm">
              About {counted(writes, 'write unit')} for records of up to 1 KB. Records that an attempt changes
              meanwhile are left alone.{' '}
              {context.deps.access.write ? (
                <>
                  Logged as <Foreign text={context.deps.access.as} most={60} />.
                </>
              ) : null}
            </p>
            <p class="buttons">
              <button
                class={`btn ${action.danger ? 'danger' : 'pri'}`}
                type="submit"
                disabled={trial.changed === 0}
              >
                {action.icon ? <Icon name={action.icon} /> : null}
                {asked}
              </button>
              <a class="btn" href="/records">
                Keep them as they are
              </a>
            </p>
          </ActionForm>
        </Panel>
        <Panel
          title="Records"
          note={plan.ids.length > SHOWN ? `the first ${SHOWN} of ${count(plan.ids.length)}` : 'all of them'}
        >
          <ul class="ids">
            {plan.ids.slice(0, SHOWN).map((id) => (
              <li>
                <a class="mono" href={recordLink(id)}>
                  <Foreign text={id} most={60} />
                </a>
              </li>
            ))}
          </ul>
        </Panel>
      </>
    ),
  });
}
const SHOWN = 30;

function paceText(perSecond: number, total: number): string {
  if (perSecond === 0) return 'as fast as it goes';
  const milliseconds = (1000 * total) / perSecond;
  return `${perSecond} a second: ${milliseconds < 1000 ? 'under a second' : age(milliseconds)}`;
}

/** The page of an action on many records that is under way, or done. */
export function jobPage(props: { context: PageContext; job: Job; name: string; action: string }) {
  const { context, job, name, action } = props;
  const isOver = job.result !== undefined || job.error !== undefined;
  return page({
    context,
    title: isOver ? 'Done' : 'At work',
    view: 'Records',
    ...(isOver ? {} : { refreshSeconds: 1 }),
    children: (
      <div data-live="job" class="cols">
        <Verdict>
          {isOver
            ? job.error === undefined
              ? `Done: ${count(job.result?.changed ?? 0)} of ${records(job.total)} changed.`
              : 'It stopped.'
            : `${count(job.changed)} of ${records(job.total)} changed so far …`}
        </Verdict>
        <section class="panel">
          <div class="blank">
            <p>
              <Foreign text={job.text} most={300} />
            </p>
            {job.error === undefined ? null : <Problem text={job.error} />}
            {job.result === undefined ? null : (
              <pre class="cmd">
                <bdi>{resultText(job.result, { ask: action, done: 'changed' }, false)}</bdi>
              </pre>
            )}
            {isOver ? (
              <p class="buttons">
                <a class="btn pri" href="/">
                  Overview
                </a>
                <a class="btn" href="/failures">
                  Failures
                </a>
              </p>
            ) : (
              <>
                <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(100 * job.looked) / Math.max(1, job.total)} height="4" />
                </svg>
                <p class="sub sm">
                  It goes on while you look at other pages. Without JavaScript: load this page again.
                </p>
                <ActionForm context={context} action={link('/job/stop', { id: name })}>
                  <button class="btn" type="submit">
                    Stop after the writes under way
                  </button>
                </ActionForm>
              </>
            )}
          </div>
        </section>
      </div>
    ),
  });
}
