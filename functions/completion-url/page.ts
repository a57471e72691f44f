import type { CompletionResult, TokenState } from '../../src/client/complete.js';
import { age } from '../../src/support/age.js';
import { type Html, html } from '../widget/html.js';
import type { CompletionLink } from './link.js';
import { STYLE } from './style.js';

/** Most characters of a note. With the label of the answer it fits into a result. */
export const MAX_NOTE_CHARACTERS = 200;

/** The wait that a page is about. */
export interface ShownWait {
  readonly queue?: string | undefined;
  readonly reason?: string | undefined;
  /** The time at which it ends, epoch milliseconds. Absent: the attempt goes on still. */
  readonly until?: number | undefined;
}

const TITLES: Readonly<Record<Exclude<TokenState, 'open'>, readonly [title: string, text: string]>> = {
  answered: ['Answered', 'This question has its answer. There is nothing more to do.'],
  succeeded: ['Already done', 'The work was done in another way. There is nothing more to do.'],
  dead: ['Given up', 'The work was given up, so no answer is needed any more.'],
  oldToken: [
    'Too late',
    'The time for this answer is over, or it was answered before. If the question is asked again, you get a new link.',
  ],
  workChanged: [
    'The question has changed',
    'What you were asked about was changed since. If the question is asked again, you get a new link.',
  ],
  endedBefore: ['Answered', 'Another answer was there first, and it holds.'],
  notFound: ['Not found', 'What you were asked about is not there any more.'],
  notWaiting: ['Too late', 'Nothing waits for this answer.'],
  newer: ['Not possible here', 'A newer version wrote it. Ask those who sent you the link.'],
  changedMeanwhile: ['Not noted', 'It is changed all the time. Try again in a minute.'],
};

/** The page of a link: a form while the attempt can have its end, and otherwise why not. */
export function linkPage(link: CompletionLink, state: TokenState, wait: ShownWait, now: number): string {
  if (state !== 'open') return messagePage(...TITLES[state], link.id);
  const title = link.question ?? wait.reason ?? `Record ${link.id}`;
  const buttons = [...link.answers].map(
    ([label, effect], i) =>
      html`<button name="answer" value="${label}" class="${effect}${i === 0 ? ' first' : ''}">${label}</button>`,
  );
  const body = html`<h1><bdi>${title}</bdi></h1>
<dl>
${fact('Reason', link.question === undefined ? undefined : wait.reason)}
${fact('Record', link.id)}
${fact('Queue', wait.queue)}
${fact('Answer until', wait.until === undefined ? undefined : untilText(wait.until, now))}
${fact('Link for', link.by)}
</dl>
<form method="post">
<label for="note">Note <span>(optional, kept with the answer)</span></label>
<textarea id="note" name="note" rows="3" maxlength="${MAX_NOTE_CHARACTERS}"></textarea>
<div class="buttons">${buttons}</div>
</form>`;
  return page(title, body);
}

/** A line about the record. Nothing, if it is not known. */
function fact(name: string, value: string | undefined): Html | undefined {
  if (value === undefined) return undefined;
  return html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`;
}

function untilText(until: number, now: number): string {
  const [date = '', time = ''] = new Date(until + 500).toISOString().split('T');
  const left = until > now ? `${age(until - now)} left` : 'over, and still open';
  return `${date} ${time.slice(0, 5)} UTC (${left})`;
}

/** The page after an answer. */
export function answeredPage(
  { id, question, answers }: CompletionLink,
  answer: string,
  { accepted, reason }: CompletionResult,
): string {
  if (!accepted) return messagePage(...TITLES[reason ?? 'notWaiting'], id);
  const text =
    answers.get(answer) === 'heartbeat'
      ? 'Noted. The question stays open for longer, and the link stays valid.'
      : 'Thank you, your answer is noted.';
  return messagePage(`Your answer: ${answer}`, text, id, question);
}

/** A page that says one thing. */
export function messagePage(title: string, text: string, id?: string, question?: string): string {
  const about =
    id === undefined ? undefined : html`<dl>${fact('Question', question)}${fact('Record', id)}</dl>`;
  return page(title, html`<h1><bdi>${title}</bdi></h1><p>${text}</p>${about}`);
}

function page(title: string, body: Html): string {
  return `<!doctype html>${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>${title}</title>${STYLE}</head>
<body><main>${body}</main></body></html>`.text
  }`;
}
