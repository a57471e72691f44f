import { BacklogOperator, ConfigurationError } from 'dynamo-backlog';
import { endKeyPause, keyPausesNow, Tables } from 'dynamo-backlog/engine';
import { keyPauseNote } from 'dynamo-backlog/overview';
import { type Context, Hono } from 'hono';
import type { Routes } from '../app-parts.js';
import { readForm } from '../forms.js';
import { Foreign, link } from '../parts.js';
import { noteOf } from './pause-fields.js';
import { Paused, pausePage, type SentPause } from './pause-page.js';

/** Pause and resume of one key of a queue: a page that says what happens, then the form. A resume begins a job. */
export function keyRoutes({ deps, guard, notes, reader, runner, contextOf }: Routes): Hono {
  const app = new Hono();
  const operator = new BacklogOperator(deps.backlog);
  const tables = new Tables(deps.backlog);
  const { store } = tables.open();
  const named = (request: Context) => ({
    queue: request.req.query('name') ?? '',
    key: request.req.query('key') ?? '',
  });

  /** @param sent the form that was refused, and why. Default: the page is opened. */
  const show = async (request: Context, sent?: SentPause) => {
    const { queue, key } = named(request);
    const { pausedKeys } = await store.queues.read(queue);
    const pause = keyPausesNow(pausedKeys, tables.clock.now()).find((one) => one.key === key);
    const opened = { verb: pause ? 'Resume' : 'Pause', field: () => '' } as const;
    const context = contextOf(request);
    const { verb } = sent ?? opened;
    const name = (
      <>
        <Foreign text={key} most={130} /> in <Foreign text={queue} most={130} />
      </>
    );
    const shown = pausePage({
      ...{ context, view: 'Failures', title: `${verb} a key of ${queue}`, panel: `${verb} a key`, name },
      actionOf: (state) => link(`/queue-key/${state}`, { name: queue, key }),
      back: '/failures',
      present: pause && (
        <Paused since={pause.since} note={keyPauseNote(pause, context.now)} now={context.now} />
      ),
      ...{ effect: EFFECTS[verb], labels: LABELS },
      ...(sent ?? opened),
    });
    return request.html(shown, sent === undefined ? 200 : 422);
  };

  /** Ends the pause. The job makes due what runs have put off. */
  const resume = async (queue: string, key: string) => {
    const resumed = await endKeyPause(store, queue, key, tables.clock.now());
    const job = await runner.begin({ action: 'runNow', which: { queue, key, keyPaused: true } });
    return `${key} in ${queue} ${resumed ? 'goes on' : 'was not paused'}. Job ${job.id} makes due what has waited.`;
  };

  const pause = async (queue: string, key: string, note: ReturnType<typeof noteOf>) => {
    const changed = await operator.pauseKey(queue, key, note);
    return `${key} in ${queue} is paused ${changed ? 'now' : 'already'}.`;
  };

  app.get('/', (request) => show(request));

  app.post('/:state{pause|resume}', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form || !deps.access.write)
      return 'refusal' in form ? request.text(form.refusal, form.status) : request.text('', 403);
    const { queue, key } = named(request);
    const isPause = request.req.param('state') === 'pause';
    try {
      const result = await (isPause ? pause(queue, key, noteOf(form, deps.access.as)) : resume(queue, key));
      const text = `${isPause ? 'pause' : 'resume'} ${key} in ${queue}`;
      deps.onAction({ at: new Date().toISOString(), as: deps.access.as, text, result });
      reader.forget();
      return request.redirect(link('/failures', { note: notes.write({ ok: true, text: result }) }), 303);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return show(request, { verb: isPause ? 'Pause' : 'Resume', field: form.field, problem: error.message });
    }
  });
  return app;
}

const LABELS = {
  reason: 'Why, for other operators',
  until: 'Until, such as 16:00Z or 2h: it goes on by itself then. Empty: until you resume it',
};

const EFFECTS = {
  Pause:
    'Attempts that have begun are finished. After the current page, which takes a minute at most, no attempt of this key begins. Its records still come in, and wait; those of other keys go on.',
  Resume:
    'A job makes due what has waited for this. Records that wait for another reason stay as they are. What a run puts off within this minute waits for an hour at most.',
};
