import { BacklogOperator, ConfigurationError } from 'dynamo-backlog';
import { type StoreTypes, Tables } from 'dynamo-backlog/engine';
import { type OverviewStats, pauseNote, waitText } from 'dynamo-backlog/overview';
import { type Context, Hono } from 'hono';
import type { Routes } from '../app-parts.js';
import { readForm, type SentForm } from '../forms.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Icon, link, Panel, When } from '../parts.js';
import type { Field } from './catalog.js';
import { Problem } from './confirm.js';
import { PauseFields, pauseProblem } from './pause-fields.js';

/** Characters of a name, a time and a reason. */
const MAX_NOTE = 450;

/** Pause and resume of a queue: a page that says what happens, then the form. */
export function queueRoutes({ deps, guard, notes, reader, contextOf }: Routes): Hono {
  const app = new Hono();
  const operator = new BacklogOperator(deps.backlog);
  const { store } = new Tables(deps.backlog).open();

  /** @param sent the form that was refused, and why. Default: the page is opened. */
  const show = async (request: Context, sent?: Pick<QueuePageProps, 'verb' | 'field' | 'problem'>) => {
    const queue = request.req.query('name') ?? '';
    const state = await store.queues.read(queue);
    const { counts } = await reader.read();
    const stats = counts?.stats.queues.find((one) => one.queue === queue);
    const opened = { verb: state.paused ? 'Resume' : 'Pause', field: () => '' } as const;
    const shown = queuePage({ context: contextOf(request), queue, state, stats, ...(sent ?? opened) });
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

/** The options of a pause, as the form has them. */
export function noteOf({ field }: Exclude<SentForm, { refusal: string }>, by: string) {
  const [until, reason] = [field('until').trim(), field('reason').trim()];
  return { by, ...(until === '' ? {} : { until }), ...(reason === '' ? {} : { reason }) };
}

const PAUSE_LABELS = {
  reason: 'Why, for other operators',
  until: 'No alarm before, such as 16:00Z or 2h. It stays paused until you resume it',
};

interface QueuePageProps {
  readonly context: PageContext;
  readonly queue: string;
  readonly state: StoreTypes.QueueState;
  readonly stats: OverviewStats | undefined;
  readonly verb: 'Pause' | 'Resume';
  /** The values that were filled in before. */
  readonly field: Field;
  /** The reason why the form was refused. Default: it was not sent yet. */
  readonly problem?: string | undefined;
}

function queuePage({ context, queue, state, stats, verb, field, problem }: QueuePageProps) {
  const { pausedAt } = state;
  const { access } = context.deps;
  const isPause = verb === 'Pause';
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
              {isPause
                ? 'Attempts that have begun are finished; no further attempt begins after the current page, which takes a minute at most. Records still come in. Due times do not move, and ages grow.'
                : 'All records that became due meanwhile are attempted in their order. The rate limit of the queue still applies.'}
            </p>
            {problem !== undefined && pauseProblem(problem).of === undefined ? (
              <Problem text={problem} />
            ) : null}
            {isPause ? <PauseFields labels={PAUSE_LABELS} field={field} problem={problem} /> : null}
            {stats === undefined ? null : <p class="sub">{waitText(stats)}.</p>}
            <p class="buttons">
              <button class="btn pri" type="submit" disabled={!access.write}>
                <Icon name={isPause ? 'paused' : 'run'} />
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
