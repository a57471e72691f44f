import { BacklogOperator, ConfigurationError } from 'dynamo-backlog';
import { Tables } from 'dynamo-backlog/engine';
import { pauseNote, waitText } from 'dynamo-backlog/overview';
import { type Context, Hono } from 'hono';
import type { Routes } from '../app-parts.js';
import { readForm } from '../forms.js';
import { Foreign, link } from '../parts.js';
import { noteOf } from './pause-fields.js';
import { Paused, pausePage, type SentPause } from './pause-page.js';

/** Pause and resume of a queue: a page that says what happens, then the form. */
export function queueRoutes({ deps, guard, notes, reader, contextOf }: Routes): Hono {
  const app = new Hono();
  const operator = new BacklogOperator(deps.backlog);
  const { store } = new Tables(deps.backlog).open();

  /** @param sent the form that was refused, and why. Default: the page is opened. */
  const show = async (request: Context, sent?: SentPause) => {
    const queue = request.req.query('name') ?? '';
    const state = await store.queues.read(queue);
    const { counts } = await reader.read();
    const stats = counts?.stats.queues.find((one) => one.queue === queue);
    const opened = { verb: state.paused ? 'Resume' : 'Pause', field: () => '' } as const;
    const { pausedAt } = state;
    const context = contextOf(request);
    const { verb } = sent ?? opened;
    const shown = pausePage({
      ...{ context, view: 'Overview', title: `${verb} ${queue}`, panel: verb, back: '/' },
      name: <Foreign text={queue} most={130} />,
      actionOf: (name) => link(`/queue/${name}`, { name: queue }),
      present:
        pausedAt === undefined ? undefined : (
          <Paused since={pausedAt} note={pauseNote(state, context.now)} now={context.now} />
        ),
      ...{ effect: EFFECTS[verb], labels: LABELS, waiting: stats && waitText(stats) },
      ...(sent ?? opened),
    });
    return request.html(shown, sent === undefined ? 200 : 422);
  };

  app.get('/', (request) => show(request));

  app.post('/:state{pause|resume}', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form || !deps.access.write)
      return 'refusal' in form ? request.text(form.refusal, form.status) : request.text('', 403);
    const queue = request.req.query('name') ?? '';
    const isPause = request.req.param('state') === 'pause';
    try {
      const changed = await (isPause
        ? operator.pause(queue, noteOf(form, deps.access.as))
        : operator.resume(queue));
      const result = `${queue} is ${isPause ? 'paused' : 'not paused'}${changed ? ' now' : ' already'}.`;
      const text = `${isPause ? 'pause' : 'resume'} ${queue}`;
      deps.onAction({ at: new Date().toISOString(), as: deps.access.as, text, result });
      reader.forget();
      return request.redirect(link('/', { note: notes.write({ ok: true, text: result }) }), 303);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return show(request, { verb: isPause ? 'Pause' : 'Resume', field: form.field, problem: error.message });
    }
  });
  return app;
}

const LABELS = {
  reason: 'Why, for other operators',
  until: 'No alarm before, such as 16:00Z or 2h. It stays paused until you resume it',
};

const EFFECTS = {
  Pause:
    'Attempts that have begun are finished; no further attempt begins after the current page, which takes a minute at most. Records still come in. Due times do not move, and ages grow.',
  Resume:
    'All records that became due meanwhile are attempted in their order. The rate limit of the queue still applies.',
};
