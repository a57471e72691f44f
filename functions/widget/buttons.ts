import { Html, html } from './html.js';

/** The actions of the buttons. */
export const ACTIONS = ['pause', 'resume'] as const;
export type Action = (typeof ACTIONS)[number];

/** The two functions, by ARN. */
export interface Endpoints {
  /** The function that draws the overview. Undefined: it is not known, so there is no way back to the overview. */
  readonly overview: string | undefined;
  /** The function that acts. Undefined: the overview is read-only. */
  readonly actions: string | undefined;
}

const WORDS: Readonly<Record<Action, string>> = { pause: 'Pause', resume: 'Resume' };
const CONFIRMATIONS: Readonly<Record<Action, (queue: string) => string>> = {
  pause: (queue) =>
    `Pause ${queue}? No further attempt begins. Its records wait until an operator resumes it.`,
  resume: (queue) => `Resume ${queue}? What is due is attempted at the next run.`,
};

/** A button of the custom widget. CloudWatch asks before it calls the function, with the rights of the viewer. */
export function actionButton(
  action: Action,
  queue: string,
  { overview, actions }: Endpoints,
): Html | undefined {
  if (actions === undefined) return undefined;
  const parameters = { action, queue, ...(overview === undefined ? {} : { overview }) };
  return html`<button type="button" aria-label="${WORDS[action]} ${queue}">${WORDS[action]}</button><cwdb-action action="call" display="widget" endpoint="${actions}" confirmation="${CONFIRMATIONS[action](queue)}">${json(parameters)}</cwdb-action>`;
}

export function overviewButton({ overview }: Endpoints): Html | undefined {
  if (overview === undefined) return undefined;
  return html`<button type="button">Back to the overview</button><cwdb-action action="call" display="widget" endpoint="${overview}">{}</cwdb-action>`;
}

/** JSON in which no character means anything to HTML, whichever way it is read. */
function json(value: unknown): Html {
  const asCode = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return new Html(JSON.stringify(value).replace(/[&<>']/g, asCode));
}
