import { type Job, RECURRING_QUEUE, systemClock } from 'dynamo-backlog/engine';
import { CountsReader, explainRead } from 'dynamo-backlog/overview';
import { type Context, Hono } from 'hono';
import { JobRunner } from '../jobs/runner.js';
import { bulkRoutes } from './actions/bulk-routes.js';
import { keyRoutes } from './actions/key-routes.js';
import { muteRoutes } from './actions/mute-routes.js';
import { queueRoutes } from './actions/queue-routes.js';
import { recordRoutes } from './actions/record-routes.js';
import { assets } from './assets.js';
import type { ConsoleDeps } from './deps.js';
import { ReadError } from './errors.js';
import { failuresPage } from './failures/view.js';
import { FlashNotes } from './flash.js';
import { rolesOf } from './groups/roles.js';
import { groupsRoutes } from './groups/routes.js';
import { jobsRoutes } from './jobs/routes.js';
import { type PageContext, page, Verdict } from './layout.js';
import { LineLooks } from './lines/line-looks.js';
import { linesRoutes } from './lines/routes.js';
import { overview } from './overview/view.js';
import { readAddress } from './records/address.js';
import { recordsPage } from './records/view.js';
import { recurringRoutes } from './recurring/routes.js';
import { runtimeRoutes } from './runtime/routes.js';
import { FormGuard, formLimit, keyGuard, ownLinksOnly, ownLoadsOnly, securityHeaders } from './security.js';
import { tiersPage } from './tiers/view.js';
import { whatIfPage } from './what-if/view.js';

/** A page says at once that the store does not answer; the next one asks again. */
const NO_PATIENCE = AbortSignal.abort();

/**
 * The pages of the console. The server checks the `Host` header: see local-server.ts.
 *
 * @param runner default: lost jobs are taken over when a page asks for jobs, and not before
 */
export function consoleApp(deps: ConsoleDeps, runner = new JobRunner(deps)): Hono {
  const app = new Hono();
  const guard = new FormGuard();
  const notes = new FlashNotes();
  const reader = new CountsReader(deps, NO_PATIENCE);
  const lines = new LineLooks(deps);
  runner.onChange = () => reader.forget();
  const clock = deps.backlog.clock ?? systemClock;
  let isRecurringSeen = false;
  const hasRecurring = () => {
    const { counts } = reader.known();
    const queues = counts?.stats.queues ?? [];
    isRecurringSeen ||= queues.some(({ queue }) => queue === RECURRING_QUEUE);
    return isRecurringSeen || (deps.queues?.() ?? []).some(({ name }) => name === RECURRING_QUEUE);
  };
  let areGroupsSeen = false;
  const contextOf = (request: Context): PageContext => {
    let jobs: readonly Job[] | undefined;
    return {
      deps,
      now: clock.now(),
      csrf: guard.token,
      jobs: () => {
        jobs ??= runner.seen(reader.known().counts);
        return jobs;
      },
      hasRecurring,
      hasGroups: () => areGroupsSeen || deps.countsGroups?.() === true,
      noteRecords: (records) => {
        areGroupsSeen ||= records.some((record) => rolesOf(record).length > 0);
      },
      flash: notes.read(request.req.query('note')),
    };
  };

  const routes = { deps, guard, notes, reader, lines, runner, contextOf };

  app.use(securityHeaders, ownLoadsOnly, formLimit);
  app.on('POST', '*', (_, next) => next().finally(() => lines.forget()));
  app.route('/', assets());
  if (deps.key !== undefined) app.use(keyGuard(deps.key));
  app.get('/', async (request) => request.html(overview(contextOf(request), reader)));

  app.get('/records', async (request) => {
    const address = readAddress((name) => request.req.query(name));
    return request.html(recordsPage(contextOf(request), reader, address));
  });
  app.use('/bulk', ownLinksOnly);
  app.get('/failures', async (request, next) => {
    const more = request.req.query('more') === 'yes';
    return more ? ownLinksOnly(request, next) : next();
  });
  app.get('/failures', async (request) => {
    const more = request.req.query('more') === 'yes';
    return request.html(failuresPage(contextOf(request), reader, { more }));
  });
  app.get('/tiers', async (request) => request.html(tiersPage(contextOf(request), reader)));
  app.get('/what-if', async (request) => {
    const field = (name: string) => request.req.query(name) ?? '';
    return request.html(whatIfPage(contextOf(request), reader, field));
  });
  app.route('/record', recordRoutes(routes));
  app.route('/queue', queueRoutes(routes));
  app.route('/queue-key', keyRoutes(routes));
  app.route('/lines', linesRoutes(routes));
  if (deps.mutes) app.route('/queue-alarms', muteRoutes(routes, deps.mutes));
  app.route('/jobs', jobsRoutes(routes));
  app.route(
    '/recurring',
    recurringRoutes(routes, () => {
      isRecurringSeen = true;
    }),
  );
  app.route(
    '/groups',
    groupsRoutes(routes, () => {
      areGroupsSeen = true;
    }),
  );
  app.route('/', bulkRoutes(routes));

  if (deps.runtime) app.route('/runtime', runtimeRoutes(routes, deps.runtime));

  app.notFound((request) => {
    const context = contextOf(request);
    return request.html(
      page({ context, title: 'Not found', children: <Verdict>There is no such page.</Verdict> }),
      404,
    );
  });
  app.onError((error, request) => {
    const reason = explainRead(error);
    const context = contextOf(request);
    return request.html(page({ context, title: 'Error', children: <ReadError reason={reason} /> }), 500);
  });
  return app;
}
