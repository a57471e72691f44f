import { ConfigurationError, InvalidRecordError } from 'dynamo-backlog';
import { Hono } from 'hono';
import { parseExactly } from '../../cli/exact-json.js';
import type { Routes } from '../app-parts.js';
import type { ConsoleRuntime } from '../deps.js';
import { readForm } from '../forms.js';
import { page, Verdict } from '../layout.js';
import { recordLink } from '../parts.js';
import { clockRoutes, type Done } from './clock-routes.js';
import { putPage } from './put-page.js';
import { runPage } from './run-page.js';

/** Routes that only a local runtime has: change its clock, run a rule now, take the sample's ERP down, put a record. */
export function runtimeRoutes(routes: Routes, runtime: ConsoleRuntime): Hono {
  const { deps, guard, notes, reader, contextOf } = routes;
  const app = new Hono();
  const as = deps.access.write ? deps.access.as : '';
  const done: Done = (request, text, result, { to = '/', ok = true } = {}) => {
    deps.onAction({ at: new Date().toISOString(), as, text, result });
    reader.forget();
    const note = notes.write({ ok, text: result });
    return request.redirect(`${to}${to.includes('?') ? '&' : '?'}note=${note}`, 303);
  };
  const queues = () => (deps.queues?.() ?? []).map(({ name }) => name);

  app.route('/clock', clockRoutes(routes, runtime, done));

  app.get('/run', (request) => {
    const { rule = '', at = '' } = request.req.query();
    const found = runtime.findRun(rule, at);
    const context = contextOf(request);
    if (found) return request.html(runPage(context, found));
    const children = <Verdict>This run is not kept any more: the newest 50 are.</Verdict>;
    return request.html(page({ context, title: 'A run', view: 'Overview', children }), 404);
  });

  app.post('/run', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return request.text(form.refusal, form.status);
    const rule = runtime.status().rules.find(({ id }) => id === request.req.query('rule'));
    if (!rule) return request.text('There is no such rule.', 404);
    await runtime.runRule(rule.id);
    const { text = 'no answer', outcome, summary } = runtime.lastRunOf(rule.id) ?? {};
    const ok = outcome === 'ok' && !(summary && summary.failed + summary.dead > 0 && summary.succeeded === 0);
    return done(request, `run ${rule.label}`, `${rule.label}: ${text}`, { ok });
  });

  app.post('/erp/:state', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return request.text(form.refusal, form.status);
    const up = request.req.param('state') === 'up';
    if (!runtime.setErp) return request.text('There is no sample ERP.', 404);
    runtime.setErp(up);
    const result = up
      ? 'The sample ERP is up, and stays up.'
      : 'The sample ERP is down: it answers 503 until you bring it up.';
    return done(request, `take the sample ERP ${up ? 'up' : 'down'}`, result);
  });

  app.get('/put', (request) =>
    request.html(putPage({ context: contextOf(request), queues: queues(), field: () => '' })),
  );

  app.post('/put', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return request.text(form.refusal, form.status);
    const { field } = form;
    const refuse = (problem: string) =>
      request.html(putPage({ context: contextOf(request), queues: queues(), field, problem }), 422);
    let payload: unknown;
    try {
      payload = parseExactly(field('payload'));
    } catch (error) {
      return refuse(`Payload: expected JSON: ${(error as Error).message}`);
    }
    try {
      const id = field('id').trim() || undefined;
      const { id: put, inserted } = await runtime.putRecord({ id, queue: field('queue').trim(), payload });
      if (!inserted) return refuse(`A record ${put} is there already. It was left alone.`);
      return done(request, `put ${put}`, 'The record is in the table.', { to: recordLink(put) });
    } catch (error) {
      if (error instanceof ConfigurationError || error instanceof InvalidRecordError)
        return refuse(error.message);
      throw error;
    }
  });
  return app;
}
