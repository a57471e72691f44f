import { ConfigurationError } from 'dynamo-backlog';
import { names } from 'dynamo-backlog/overview';
import { type Context, Hono } from 'hono';
import { DEFAULT_MUTE, type QueueMutes } from '../../alarms/queue-mutes.js';
import type { Routes } from '../app-parts.js';
import { readForm } from '../forms.js';
import { capitalized, Foreign, link } from '../parts.js';
import { ownLinksOnly } from '../security.js';
import { noteOf } from './pause-fields.js';
import { pausePage, type SentPause } from './pause-page.js';

type MuteVerb = 'Mute' | 'Unmute';

/** Queues of one mute: each is a rule of its own, and a request or more. */
export const MAX_MUTED = 20;
/** Characters of the names of queues, and of a note. */
const MAX_NAMES = 260;
const MAX_NOTE = 450;

/** Mute and unmute of the alarms of some queues: a page that says what happens, then the form. CloudWatch counts the requests. */
export function muteRoutes({ deps, guard, notes, contextOf }: Routes, mutes: QueueMutes): Hono {
  const app = new Hono();

  /** @param sent the form that was refused, and why. Default: the page is opened. */
  const show = async (request: Context, sent?: SentPause<MuteVerb>) => {
    const queues = queuesOf(request);
    const { noted, problem } = await readNotes(mutes, queues);
    const isMuted = noted.length === queues.length;
    const opened = { verb: isMuted ? 'Unmute' : 'Mute', field: fieldOfNew, problem } as const;
    const { verb } = sent ?? opened;
    const shown = pausePage({
      ...{ context: contextOf(request), view: 'Overview', back: '/', panel: verb, effect: EFFECTS[verb] },
      title: `${verb} alarms of ${names(queues)}`,
      name: (
        <>
          the alarms of <Foreign text={names(queues)} most={MAX_NAMES} />
        </>
      ),
      actionOf: (name) => muteLink(queues, `/${name}`),
      present: noted.map(({ queue, note }) => (
        <p>
          <Foreign text={queue} most={130} />: muted <Foreign text={note} most={MAX_NOTE} />.
        </p>
      )),
      labels: LABELS,
      ...(sent ?? opened),
    });
    return request.html(shown, sent === undefined ? 200 : 422);
  };

  app.use('*', async (request, next) => {
    const { length } = queuesOf(request);
    if (length > 0 && length <= MAX_MUTED) return next();
    return request.text(`Expected 1 to ${MAX_MUTED} names of queues, got ${length}.\n`, 400);
  });

  app.get('/', ownLinksOnly, (request) => show(request));

  app.post('/:state{mute|unmute}', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form || !deps.access.write)
      return 'refusal' in form ? request.text(form.refusal, form.status) : request.text('', 403);
    const { as } = deps.access;
    const verb = request.req.param('state') === 'mute' ? 'Mute' : 'Unmute';
    const note = { until: '', ...noteOf(form, as) };
    const { done, failed } = await changeEach(queuesOf(request), (queue) =>
      verb === 'Mute' ? mutes.mute(queue, note) : mutes.unmute(queue),
    );
    if (done.length > 0) {
      deps.alarms?.forget?.();
      const text = `${verb.toLowerCase()} the alarms of ${names(done.map(({ queue }) => queue))}`;
      const result = done.map((one) => one.text).join('\n');
      deps.onAction({ at: new Date().toISOString(), as, text, result });
    }
    const said = done.map(({ text }) => `${capitalized(text)}.`).join('\n');
    if (failed.length === 0)
      return request.redirect(link('/', { note: notes.write({ ok: true, text: said }) }), 303);
    const [first = ''] = failed;
    const problem = done.length === 0 && failed.length === 1 ? first : [said, ...failed].join('\n').trim();
    return show(request, { verb, field: form.field, problem });
  });
  return app;
}

/** The page that mutes the alarms of these queues, or has them notify again. */
export function muteLink(queues: readonly string[], path = ''): string {
  return `/queue-alarms${path}?${new URLSearchParams(queues.map((queue): [string, string] => ['name', queue]))}`;
}

function queuesOf(request: Context): string[] {
  return [...new Set(request.req.queries('name') ?? [])].filter((name) => name !== '');
}

const fieldOfNew = (name: string) => (name === 'until' ? DEFAULT_MUTE : '');

/** The mutes that are on. Where they cannot be read, the alarms can perhaps be muted all the same. */
async function readNotes(mutes: QueueMutes, queues: readonly string[]) {
  const noted: { readonly queue: string; readonly note: string }[] = [];
  try {
    // One after another: a right that is missing is asked for once.
    for (const queue of queues) {
      const note = await mutes.read(queue);
      if (note !== undefined) noted.push({ queue, note });
    }
    return { noted, problem: undefined };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { noted, problem: `It is not known what is muted. ${error.message}` };
  }
}

/** Changes one queue after another. One that is refused does not keep the others from it. */
async function changeEach(queues: readonly string[], change: (queue: string) => Promise<string>) {
  const done: { readonly queue: string; readonly text: string }[] = [];
  const failed: string[] = [];
  for (const queue of queues) {
    try {
      done.push({ queue, text: await change(queue) });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      if (!failed.includes(error.message)) failed.push(error.message);
    }
  }
  return { done, failed };
}

const LABELS = {
  reason: 'Why, for other operators',
  until: 'Until, such as 16:00Z or 2h, 15 days at most. What is still on then notifies',
};

const EFFECTS = {
  Mute: 'No operator is notified by these alarms until then. They still change their state, and the queue goes on. Alarms that concern other queues as well still notify.',
  Unmute: 'The alarms notify again; those that are on do so at once.',
};
