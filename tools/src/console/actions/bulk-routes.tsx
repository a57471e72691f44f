import { type ActionResult, BacklogOperator, ConfigurationError } from 'dynamo-backlog';
import { Tables } from 'dynamo-backlog/engine';
import { records } from 'dynamo-backlog/overview';
import { type Context, Hono } from 'hono';
import { resultText } from '../../cli/operate/report.js';
import type { Routes } from '../app-parts.js';
import { readForm } from '../forms.js';
import { page, Verdict } from '../layout.js';
import { link } from '../parts.js';
import { type FilterText, parseFilter, readFilter } from '../records/filter.js';
import { filterText } from '../records/filter-words.js';
import { searchRecords } from '../records/search.js';
import { bulkConfirmPage, jobPage } from './bulk-pages.js';
import { ACTIONS, type ConsoleAction } from './catalog.js';
import { type BulkPlan, type Job, Kept, startJob } from './jobs.js';

/** Records that one action on a filter changes at most, and reads to find them. */
const BOUNDS = { rows: 1_000, examined: 2_000, units: Number.POSITIVE_INFINITY };
/** Actions that many records can have at a time. An edit belongs to one. */
const BULK = ['run-now', 'redrive', 'snooze', 'move', 'change-policy', 'discard'];

/** Actions on many records: on those that a filter finds, or that were ticked. Always a dry run first. */
export function bulkRoutes({ deps, guard, notes, reader, contextOf }: Routes): Hono {
  const app = new Hono();
  const operator = new BacklogOperator(deps.backlog);
  const plans = new Kept<BulkPlan>();
  const jobs = new Kept<{ readonly job: Job; readonly label: string }>();
  const queues = () => (deps.queues?.() ?? []).map(({ name }) => name);
  const refuse = (request: Context, text: string, status: 400 | 403 | 404 | 422) =>
    request.html(
      page({ context: contextOf(request), title: 'Not possible', children: <Verdict>{text}</Verdict> }),
      status,
    );

  const confirm = async (request: Context, action: ConsoleAction, plan: BulkPlan, problem?: string) => {
    const as = deps.access.write ? deps.access.as : '';
    // The fields of the form are not known yet: what a dry run counts does not depend on them.
    const trialField = (name: string) => TRIAL[name] ?? '';
    const { act } = action.prepare(trialField, as);
    const trial = plan.ids.length === 0 ? NOTHING : await act(operator, plan.ids, { dryRun: true });
    const name = plans.add(plan);
    const context = contextOf(request);
    const field = () => '';
    return request.html(
      bulkConfirmPage({ context, action, plan, name, trial, queues: queues(), field, problem }),
      problem === undefined ? 200 : 422,
    );
  };

  app.get('/bulk', async (request) => {
    if (!deps.access.write) return refuse(request, `No action is possible: ${deps.access.reason}`, 403);
    const action = bulkAction(request.req.query('do'));
    if (!action) return refuse(request, 'There is no such action.', 404);
    const text = readFilter((name) => request.req.query(name));
    try {
      const plan = await planOfFilter(text, action);
      return await confirm(request, action, plan);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return refuse(request, error.message, 422);
    }
  });

  const planOfFilter = async (text: FilterText, action: ConsoleAction): Promise<BulkPlan> => {
    const filter = parseFilter(text, deps.redact);
    const now = deps.backlog.clock?.now() ?? Date.now();
    const { counts } = await reader.read();
    const holding = (counts?.stats.queues ?? []).filter(({ pending, dead }) => pending + dead > 0);
    const search = { tables: new Tables(deps.backlog), now, queues: holding };
    const found = await searchRecords({ ...filter, examines: true }, undefined, search, BOUNDS);
    const fitting = found.records.filter(({ status }) => action.statuses.includes(status));
    return {
      action: action.name,
      ids: fitting.map(({ id }) => id),
      where: `among the ${filterText(text)}`,
      logged: `among the ${filterText({ ...text, where: text.where.replace(/=.*/s, '=…') })}`,
      examined: found.examined,
      more: found.next !== undefined,
    };
  };

  app.post('/bulk/ticked', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return refuse(request, form.refusal, form.status);
    const action = bulkAction(form.field('do'));
    if (!action) return refuse(request, 'There is no such action.', 404);
    const ids = [...new Set(form.all('id'))].filter((id) => id !== '');
    const where = 'that were ticked';
    return confirm(request, action, {
      action: action.name,
      ids,
      where,
      logged: where,
      examined: ids.length,
      more: false,
    });
  });

  app.post('/bulk', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form || !deps.access.write) {
      return 'refusal' in form ? refuse(request, form.refusal, form.status) : refuse(request, '', 403);
    }
    const plan = plans.take(form.field('plan'));
    const action = bulkAction(plan?.action);
    if (!plan || !action)
      return refuse(request, 'This has been started already, or is too old: begin again.', 422);
    const { as } = deps.access;
    try {
      const { text, act } = action.prepare(form.field, as);
      // Invalid fields are reported before anything begins.
      await act(operator, plan.ids, { dryRun: true, limit: 1 });
      const pace = Number(form.field('pace'));
      const perSecond = pace >= 1 && pace <= 1_000 ? pace : undefined;
      const what = `${text}: ${records(plan.ids.length)}`;
      const job = startJob(
        { text: `${what} ${plan.where}`, total: plan.ids.length },
        (options) => act(operator, plan.ids, { ...options, perSecond }),
        ({ result, error = '' }) => {
          const came = result ? resultText(result, { ask: action.label, done: action.done }, false) : error;
          deps.onAction({ at: new Date().toISOString(), as, text: `${what} ${plan.logged}`, result: came });
          reader.forget();
        },
      );
      return request.redirect(link('/job', { id: jobs.add({ job, label: action.label }) }), 303);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return confirm(request, action, plan, error.message);
    }
  });

  app.get('/job', (request) => {
    const name = request.req.query('id') ?? '';
    const kept = jobs.get(name);
    if (!kept) return refuse(request, 'There is no such action any more.', 404);
    return request.html(jobPage({ context: contextOf(request), job: kept.job, name, action: kept.label }));
  });

  app.post('/job/stop', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return refuse(request, form.refusal, form.status);
    const name = request.req.query('id') ?? '';
    jobs.get(name)?.job.stop();
    const note = notes.write({ ok: true, text: 'It ends after the writes under way.' });
    return request.redirect(link('/job', { id: name, note }), 303);
  });
  return app;
}

/** Fields of a dry run: a record that is put off for a year is put off for longer than any other. */
const TRIAL: Readonly<Record<string, string>> = { delay: '365d', to: 'another-queue', policy: 'none' };
const NOTHING: ActionResult = {
  matched: 0,
  changed: 0,
  delayed: 0,
  skipped: {},
  failed: 0,
  failures: [],
  examples: [],
  ended: 'complete',
  readUnits: 0,
  writeUnits: 0,
};

function bulkAction(name: string | undefined): ConsoleAction | undefined {
  return ACTIONS.find((action) => action.name === name && BULK.includes(action.name));
}
