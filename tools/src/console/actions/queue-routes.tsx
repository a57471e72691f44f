import { BacklogOperator, ConfigurationError } from 'dynamo-backlog';
import { type StoreTypes, Tables } from 'dynamo-backlog/engine';
import { type OverviewStats, pauseNote, waitText } from 'dynamo-backlog/overview';
import { Hono } from 'hono';
import type { Routes } from '../app-parts.js';
import { readForm, type SentForm } from '../forms.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Icon, link, Panel, When } from '../parts.js';

/** Characters of a name, a time and a reason. */
const MAX_NOTE = 450;

/** Pause and resume of a queue: a page that says what happens, then the form. */
export function queueRoutes({ deps, guard, notes, reader, contextOf }: Routes): Hono {
  const app = new Hono();
  const operator = new BacklogOperator(deps.backlog);
  const { store } = new Tables(deps.backlog).open();

  app.get('/', async (request) => {
    const queue = request.req.query('name') ?? '';
    const state = await store.queues.read(queue);
    const { counts } = await reader.read();
    const stats = counts?.stats.queues.find((one) => one.queue === queue);
    return request.html(queuePage({ context: contextOf(request), queue, state, stats }));
  });

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
      return request.text(error.message, 422);
    }
  });
  return app;
}

/** The options of a pause, as the form has them. */
function noteOf({ field }: Exclude<SentForm, { refusal: string }>, by: string) {
  const [until, reason] = [field('until').trim(), field('reason').trim()];
  return { by, ...(until === '' ? {} : { until }), ...(reason === '' ? {} : { reason }) };
}

function NoteFields() {
  return (
    <>
      <label class="f">
        Why, for other operators
        <input name="reason" maxlength={200} autofocus />
      </label>
      <label class="f">
        No alarm before, such as 16:00Z or 2h. It stays paused until you resume it
        <input name="until" />
      </label>
    </>
  );
}

function queuePage(props: {
  context: PageContext;
  queue: string;
  state: StoreTypes.QueueState;
  stats: OverviewStats | undefined;
}) {
  const { context, queue, state, stats } = props;
  const { paused, pausedAt } = state;
  const { access } = context.deps;
  const verb = paused ? 'Resume' : 'Pause';
  return page({
    context,
    title: `${verb} ${queue}`,
    view: 'Overview',
    children: (
      <>
        <Verdict>
          {verb} <Foreign text={queue} most={130} />?
        </Verdict>
        <Panel title={verb} note="nothing is changed until you confirm">
          <ActionForm
            context={context}
            action={link(`/queue/${verb.toLowerCase()}`, { name: queue })}
            class="blank"
          >
            {pausedAt === undefined ? null : (
              <p>
                Paused <When at={pausedAt} now={context.now} />
                <Foreign text={pauseNote(state, context.now)} most={MAX_NOTE} />.
              </p>
            )}
            <p>
              {paused
                ? 'All records that became due meanwhile are attempted in their order. The rate limit of the queue still applies.'
                : 'Attempts that have begun are finished; no further attempt begins after the current page, which takes a minute at most. Records still come in. Due times do not move, and ages grow.'}
            </p>
            {paused ? null : <NoteFields />}
            {stats === undefined ? null : <p class="sub">{waitText(stats)}.</p>}
            <p class="buttons">
              <button class="btn pri" type="submit" disabled={!access.write}>
                <Icon name={paused ? 'run' : 'paused'} />
                {verb}
              </button>
              <a class="btn" href="/">
                Keep it as it is
              </a>
              {access.write ? null : <span class="sub sm">{access.reason}</span>}
            </p>
          </ActionForm>
        </Panel>
      </>
    ),
  });
}
