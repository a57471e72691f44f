import type { Child } from 'hono/jsx';
import { SubmitButtons } from '../action-form.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Panel, When } from '../parts.js';
import type { Field } from './catalog.js';
import { Problem } from './confirm.js';
import { PauseFields, pauseProblem } from './pause-fields.js';

/** Characters of a name, a time and a reason. */
const MAX_NOTE = 450;

/** A page that was opened, or the form of it that was refused. */
export interface SentPause {
  readonly verb: 'Pause' | 'Resume';
  /** The values that were filled in before. */
  readonly field: Field;
  /** The reason why the form was refused. Default: it was not sent yet. */
  readonly problem?: string | undefined;
}

interface PausePageProps extends SentPause {
  readonly context: PageContext;
  readonly view: 'Overview' | 'Failures';
  readonly title: string;
  /** The title of the panel. */
  readonly panel: string;
  /** The queue, or its key. */
  readonly name: Child;
  /** The address without the verb that the form is sent to. */
  readonly actionOf: (verb: string) => string;
  /** The address of the page to which the form is closed. */
  readonly back: string;
  /** The pause that is on: since when, and what an operator said. Undefined: it is not paused. */
  readonly pause: { readonly since: string; readonly note: string } | undefined;
  /** The text of what happens. */
  readonly effects: { readonly Pause: string; readonly Resume: string };
  readonly labels: { readonly reason: string; readonly until: string };
  /** Text of what waits. Default: nothing is said of that. */
  readonly waiting?: string | undefined;
}

/** The page on which a queue, or one of its keys, is paused or resumed. */
export function pausePage({ context, view, title, panel, name, pause, verb, ...props }: PausePageProps) {
  const { actionOf, back, effects, labels, waiting, field, problem } = props;
  const { access } = context.deps;
  const isPause = verb === 'Pause';
  return page({
    context,
    title,
    view,
    children: (
      <>
        <Verdict>
          {verb} {name}?
        </Verdict>
        <Panel title={panel} note="nothing is changed until you confirm">
          <ActionForm context={context} action={actionOf(verb.toLowerCase())} class="blank">
            {pause === undefined ? null : (
              <p>
                Paused <When at={pause.since} now={context.now} />
                <Foreign text={pause.note} most={MAX_NOTE} />.
              </p>
            )}
            <p>{effects[verb]}</p>
            {problem !== undefined && pauseProblem(problem).of === undefined ? (
              <Problem text={problem} />
            ) : null}
            {isPause ? <PauseFields labels={labels} field={field} problem={problem} /> : null}
            {waiting === undefined ? null : <p class="sub">{waiting}.</p>}
            <SubmitButtons access={access} label={verb} icon={isPause ? 'paused' : 'run'} back={back} />
          </ActionForm>
        </Panel>
      </>
    ),
  });
}
