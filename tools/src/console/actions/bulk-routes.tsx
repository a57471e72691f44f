import { BacklogOperator, ConfigurationError, type Selection } from 'dynamo-backlog';
import { selectedQueues } from 'dynamo-backlog/engine';
import { type Context, Hono } from 'hono';
import type { Routes } from '../app-parts.js';
import { readForm } from '../forms.js';
import { paceOf } from '../jobs/pace.js';
import { page, Verdict } from '../layout.js';
import { link } from '../parts.js';
import { type FilterText, filterLink, parseFilter, readFilter } from '../records/filter.js';
import { filterText } from '../records/filter-words.js';
import { bulkConfirmPage, PROBE } from './bulk-pages.js';
import { ACTIONS, type ConsoleAction, type Field } from './catalog.js';
import { type BulkPlan, dryRun, Plans } from './plan.js';

/** Actions that many records can have at a time. An edit belongs to one. */
const BULK = ['run-now', 'redrive', 'snooze', 'move', 'change-policy', 'discard'];

/** Actions on many records, each a stored job: on those that a filter finds, or that were ticked. Always a dry run first. */
export function bulkRoutes({ deps, guard, notes, reader, runner, contextOf }: Routes): Hono {
  const app = new Hono();
  const operator = new BacklogOperator(deps.backlog);
  const plans = new Plans();
  const queues = () => (deps.queues?.() ?? []).map(({ name }) => name);
  const refuse = (request: Context, text: string, status: 400 | 403 | 404 | 422) =>
    request.html(
      page({ context: contextOf(request), title: 'Not possible', children: <Verdict>{text}</Verdict> }),
      status,
    );

  const confirm = (request: Context, plan: BulkPlan, field: Field = () => '', problem?: string) => {
    const action = bulkAction(plan.action);
    if (!action) return refuse(request, NO_ACTION, 404);
    const name = plans.add(plan);
    const props = { context: contextOf(request), action, plan, name, queues: queues(), field, problem };
    return request.html(bulkConfirmPage(props), problem === undefined ? 200 : 422);
  };

  const trialOf = (action: ConsoleAction, which: BulkPlan['which']) => {
    // The fields of the form are not known yet: what a dry run counts does not depend on them.
    const change = action.prepare((name) => TRIAL[name] ?? '', runner.origin().by);
    return dryRun(operator, change, which);
  };

  app.get('/bulk', async (request) => {
    if (!deps.access.write) return refuse(request, `No action is possible: ${deps.access.reason}`, 403);
    const action = bulkAction(request.req.query('do'));
    if (!action) return refuse(request, NO_ACTION, 404);
    const text = readFilter((name) => request.req.query(name));
    if (deps.redact && text.where !== '') return refuse(request, HIDDEN, 403);
    try {
      const which = await selectionOf(text, action);
      const trial = await trialOf(action, which);
      const where = filterText(text);
      const plan: BulkPlan = {
        ...{ action: action.name, which, where, list: filterLink('/records', text), trial },
        awaited: action.startsAttempts ? await awaitedBy(which) : undefined,
      };
      // The link of an incident asks for the wait.
      return confirm(
        request,
        plan,
        (name) => (name === 'whenBack' ? request.req.query(name) : undefined) ?? '',
      );
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return refuse(request, error.message, 422);
    }
  });

  /** The selection of a filter: without a queue, all queues that hold records, so that no table is read. */
  const selectionOf = async (text: FilterText, action: ConsoleAction): Promise<BulkPlan['which']> => {
    const { selection, statuses } = parseFilter(text);
    const { counts, error } = await reader.read();
    if (!counts) throw error;
    const holding = counts.stats.queues.filter(({ pending, dead }) => pending + dead > 0);
    const queue = selection.queue ?? holding.map((one) => one.queue);
    const status = statuses.filter((one) => action.statuses.includes(one));
    return status.length === 0 || queue.length === 0 ? [] : ({ ...selection, queue, status } as Selection);
  };

  /** The destination or the queue whose failure a job can wait for. */
  const awaitedBy = async (which: BulkPlan['which']): Promise<string | undefined> => {
    const found = await runner.jobs.awaited(which);
    if ('refusal' in found) return undefined;
    return found.destination ?? selectedQueues(which)[0];
  };

  app.post('/bulk/ticked', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return refuse(request, form.refusal, form.status);
    const action = bulkAction(form.field('do'));
    if (!action) return refuse(request, NO_ACTION, 404);
    const which = [...new Set(form.all('id'))].filter((id) => id !== '');
    const trial = await trialOf(action, which);
    return confirm(request, { action: action.name, which, where: 'the ticked records', trial });
  });

  app.post('/bulk', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return refuse(request, form.refusal, form.status);
    const plan = plans.take(form.field('plan'));
    const action = bulkAction(plan?.action);
    if (!plan || !action)
      return refuse(request, 'This has been started already, or is too old: begin again.', 422);
    const { field } = form;
    const isArmed = field('whenBack') === 'on';
    const { result, isLeast } = plan.trial;
    try {
      const pace = paceOf(field('pace'));
      const change = action.prepare(field, runner.origin().by);
      const job = await runner.begin({
        ...{ action: change.action, options: change.options, which: plan.which },
        ...{ probe: field('probe') === 'on' ? PROBE : undefined, whenBack: isArmed ? '1d' : undefined },
        ...{ perSecond: pace === Number.POSITIVE_INFINITY ? undefined : pace },
        ...{ total: result.changed, isTotalLeast: isLeast || undefined },
      });
      const state = isArmed ? 'waits until that is back' : 'is at work';
      const text = `Job ${job.id} ${state}. It goes on while you look at other pages.`;
      return request.redirect(link('/jobs', { note: notes.write({ ok: true, text }) }), 303);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return confirm(request, plan, field, error.message);
    }
  });
  return app;
}

const NO_ACTION = 'There is no such action.';
const HIDDEN =
  'Parts of payloads are hidden here, and a job would select by what is behind them: take the payload out of the filter, or tick the records.';

/** Fields of a dry run: a record that is put off for a year is put off for longer than any other. */
const TRIAL: Readonly<Record<string, string>> = { delay: '365d', to: 'another-queue', policy: 'none' };

function bulkAction(name: string | undefined): ConsoleAction | undefined {
  return ACTIONS.find((action) => action.name === name && BULK.includes(action.name));
}
