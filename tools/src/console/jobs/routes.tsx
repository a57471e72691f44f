import { ConfigurationError } from 'dynamo-backlog';
import { Hono } from 'hono';
import type { Routes } from '../app-parts.js';
import { readForm } from '../forms.js';
import { page, Verdict } from '../layout.js';
import { link } from '../parts.js';
import { paceOf } from './pace.js';
import { jobsPage } from './view.js';

/** The stored jobs: a page with all of them, and forms that stop one, go on with it or undo it. */
export function jobsRoutes({ deps, guard, notes, runner, contextOf }: Routes): Hono {
  const app = new Hono();
  const acts: Readonly<Record<string, (id: string, pace: string) => Promise<string>>> = {
    async stop(id) {
      await runner.stop(id);
      return 'It ends after the writes under way.';
    },
    async 'go-on'(id, pace) {
      runner.start(await runner.jobs.goOn(id, pace === '' ? undefined : paceOf(pace)));
      return 'It goes on.';
    },
    async undo(id) {
      runner.start(await runner.jobs.undo(id, runner.origin()));
      return 'It is being undone, by a job of its own.';
    },
  };

  app.get('/', async (request) => {
    return request.html(jobsPage(contextOf(request), await runner.list()));
  });

  app.post('/:act{stop|go-on|undo}', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return request.text(form.refusal, form.status);
    try {
      const act = acts[request.req.param('act')];
      const text = (await act?.(request.req.query('id') ?? '', form.field('pace'))) ?? '';
      return request.redirect(link('/jobs', { note: notes.write({ ok: true, text }) }), 303);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const children = <Verdict>{error.message}</Verdict>;
      return request.html(
        page({ context: contextOf(request), title: 'Not possible', view: 'Jobs', children }),
        422,
      );
    }
  });
  return app;
}
