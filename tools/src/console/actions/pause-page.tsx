import type { Child } from 'hono/jsx';
import { SubmitButtons } from '../action-form.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Panel, When } from '../parts.js';
import type { Field } from './catalog.js';
import { Problem } from './confirm.js';
import { PauseFields, pauseProblem } from './pause-fields.js';

/** Characters of a name, a time and a reason. */
const MAX_NOTE = 450;

/** An action on a queue, on one of its keys, or on its alarms: the first one begins something, the second one ends it. */
export type PauseVerb = 'Pause' | 'Resume' | 'Mute' | 'Unmute';

/** A page that was opened, or the form of it that was refused. */
export interface SentPause<Verb extends PauseVerb = 'Pause' | 'Resume'> {
  readonly verb: Verb;
  /** The values that were filled in before. */
  readonly field: Field;
  /** The reason why the form was refused. Default: it was not sent yet. */
  readonly problem?: string | undefined;
}

interface PausePageProps extends SentPause<PauseVerb> {
  readonly context: PageContext;
  readonly view: 'Overview' | 'Failures';
  readonly title: string;
  /** The title of the panel. */
  readonly panel: string;
  /** The queue, its key, or its alarms. */
  readonly name: Child;
  /** The address without the verb that the form is sent to. */
  readonly actionOf: (verb: string) => string;
  /** The address of the page to which the form is closed. */
  readonly back: string;
  /** The pause or the mute that is on. Undefined: there is none. */
  readonly present: Child;
  /** The text of what happens. */
  readonly effect: string;
  readonly labels: { readonly reason: string; readonly until: string };
  /** Text of what waits. Default: nothing is said of that. */
  readonly waiting?: string | undefined;
}

/** `Paused 3 min ago by ann`: a pause that is on. */
export function Paused({ since, note, now }: { since: string; note: string; now: number }) {
  return (
    <p>
      Paused <When at={since} now={now} />
      <Foreign text={note} most={MAX_NOTE} />.
    </p>
  );
}

/** The page on which a queue, or one of its keys, is paused or resumed, or alarms are muted or notify again. */
export function pausePage({ context, view, title, panel, name, present, verb, ...props }: PausePageProps) {
  const { actionOf, back, effect, labels, waiting, field, problem } = props;
  const { access } = context.deps;
  const begins = verb === 'Pause' || verb === 'Mute';
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
            {present}
            <p>{effect}</p>
            {problem !== undefined && pauseProblem(problem).of === undefined ? (
              <Problem text={problem} />
            ) : null}
            {begins ? <PauseFields labels={labels} field={field} problem={problem} /> : null}
            {waiting === undefined ? null : <p class="sub">{waiting}.</p>}
            <SubmitButtons access={access} label={verb} icon={begins ? 'paused' : 'run'} back={back} />
          </ActionForm>
        </Panel>
      </>
    ),
  });
}
