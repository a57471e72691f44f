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

/** The button in the row of a queue: it resumes the queue after a question, or leads to the choice of an end. */
export function actionButton(action: Action, queue: string, endpoints: Endpoints): Html | undefined {
  if (action === 'pause') return queueButton('Pause…', { action, queue }, endpoints);
  const question = `Resume ${queue}? What is due is attempted at the next run.`;
  return queueButton('Resume', { action, queue }, endpoints, question);
}

/** A button that acts on a queue. CloudWatch asks the question, and calls the function with the rights of the viewer. */
export function queueButton(
  word: string,
  given: { readonly action: Action; readonly queue: string; readonly end?: string },
  { overview, actions }: Endpoints,
  question?: string,
): Html | undefined {
  return button(word, `${word} ${given.queue}`, actions, { ...given, overview }, question);
}

export function overviewButton({ overview }: Endpoints): Html | undefined {
  const word = 'Back to the overview';
  return button(word, word, overview, {});
}

/** A button of the custom widget. Undefined: its function is not known. */
function button(
  word: string,
  label: string,
  endpoint: string | undefined,
  parameters: object,
  question?: string,
): Html | undefined {
  if (endpoint === undefined) return undefined;
  const confirmation = question ? html` confirmation="${question}"` : undefined;
  return html`<button type="button" aria-label="${label}">${word}</button><cwdb-action action="call" display="widget" endpoint="${endpoint}"${confirmation}>${json(parameters)}</cwdb-action>`;
}

/** JSON in which no character means anything to HTML, whichever way it is read. */
function json(value: unknown): Html {
  const asCode = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return new Html(JSON.stringify(value).replace(/[&<>']/g, asCode));
}
