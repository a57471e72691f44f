import { ConfigurationError, RecurringRecords } from 'dynamo-backlog';
import { isId, nameOf, nearest, RECURRING_QUEUE, scheduleId, Tables } from 'dynamo-backlog/engine';
import { records } from 'dynamo-backlog/overview';
import { type Context, Hono } from 'hono';
import { findSchedules, inOrder, type ReadSchedule } from '../../recurring/find-schedules.js';
import type { Field } from '../actions/catalog.js';
import type { Routes } from '../app-parts.js';
import { readForm } from '../forms.js';
import { page, Verdict } from '../layout.js';
import { Foreign } from '../parts.js';
import { ownLinksOnly } from '../security.js';
import { actPage, backfillPage } from './act-page.js';
import { RECURRING_ACTIONS, type RecurringAction } from './catalog.js';
import { recurringDetail } from './detail-page.js';
import { recurringPage } from './list-page.js';
import { recurringLink } from './looks.js';
import { readRecurring } from './read.js';

/**
 * The recurring records: a page with all of them, one for each, and what can be done with them.
 *
 * @param onSeen called once there is one
 */
export function recurringRoutes({ deps, guard, notes, reader, contextOf }: Routes, onSeen: () => void): Hono {
  const app = new Hono();
  const { table, clock, random } = deps.backlog;
  const tables = new Tables(deps.backlog);
  const { store } = tables.open();
  const { indexAtOnce = true } = deps;
  const recurring = new RecurringRecords({ table, clock, random, store, indexAtOnce });
  const nameIn = (request: Context) => request.req.query('name') ?? '';
  const fieldsOf =
    (request: Context): Field =>
    (name) =>
      request.req.query(name) ?? '';

  const find = async (request: Context): Promise<ReadSchedule | undefined> => {
    const id = scheduleId(nameIn(request));
    const record = isId(id) ? await store.records.get(id) : undefined;
    if (record?.queue !== RECURRING_QUEUE) return undefined;
    onSeen();
    return inOrder([record], contextOf(request).now)[0];
  };
  const absent = async (request: Context) => {
    const name = nameIn(request);
    const { ids } = await findSchedules(store, { most: MAX_COMPARED });
    const meant = nearest(name, ids.map(nameOf));
    const children = (
      <Verdict
        details={
          meant === undefined ? null : (
            <>
              Did you mean{' '}
              <a href={recurringLink(meant)}>
                <Foreign text={meant} most={256} />
              </a>
              ?
            </>
          )
        }
      >
        There is no recurring record <Foreign text={name} most={120} />.
      </Verdict>
    );
    const shown = { context: contextOf(request), title: 'No such recurring record', children };
    return request.html(page({ ...shown, view: 'Recurring' }), 404);
  };
  const log = (as: string, text: string, result: string) =>
    deps.onAction({ at: new Date().toISOString(), as, text, result });
  /** Shows the result of an action above the page behind it. */
  const done = (request: Context, path: string, text: string, ok = true) => {
    const note = notes.write({ ok, text });
    return request.redirect(`${path}&${new URLSearchParams({ note })}`, 303);
  };

  // A search examines names by the thousand.
  app.get('/', async (request, next) => (request.req.query('text') ? ownLinksOnly(request, next) : next()));
  app.get('/', async (request) => {
    const text = (request.req.query('text') ?? '').trim().slice(0, MAX_NAME);
    const context = contextOf(request);
    const list = await readRecurring(deps, reader, { text, now: context.now });
    if (list.shown.length > 0) onSeen();
    return request.html(recurringPage(context, list, text));
  });

  app.get('/show', async (request) => {
    const found = await find(request);
    if (!found) return absent(request);
    return request.html(await recurringDetail(contextOf(request), found, tables));
  });

  app.get('/act', async (request) => {
    const [found, action] = [await find(request), actionOf(request)];
    if (!found) return absent(request);
    if (!action?.isFor(found.recurring)) return request.redirect(recurringLink(found.recurring.name), 303);
    const { recurring } = found;
    return request.html(actPage({ context: contextOf(request), recurring, action, field: () => '' }));
  });

  app.post('/act', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return request.text(form.refusal, form.status);
    if (!deps.access.write) return request.text('', 403);
    const [found, action] = [await find(request), actionOf(request)];
    if (!found || !action) return absent(request);
    const { name } = found.recurring;
    const { as } = deps.access;
    // It has changed since the form was opened, or another page has sent the form.
    if (!action.isFor(found.recurring))
      return done(
        request,
        recurringLink(name),
        `Nothing was done: ${action.label} does not apply now.`,
        false,
      );
    try {
      await tables.checkRegion(store);
      const { result, path } = await action.act(recurring, { name, field: form.field, as });
      log(as, `${action.name} ${name}`, result);
      reader.forget();
      return done(request, path, result);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const shown = { context: contextOf(request), recurring: found.recurring, field: form.field };
      return request.html(actPage({ ...shown, action, problem: error.message }), 422);
    }
  });

  // It reads each of the records that may be there already.
  app.use('/backfill', ownLinksOnly);
  app.get('/backfill', async (request) => {
    if (!deps.access.write) return request.text(`No action is possible: ${deps.access.reason}`, 403);
    const found = await find(request);
    if (!found) return absent(request);
    const shown = { context: contextOf(request), recurring: found.recurring, field: fieldsOf(request) };
    try {
      const [from, to] = [shown.field('from').trim(), shown.field('to').trim()];
      const trial = await recurring.backfill(found.recurring.name, { from, to, dryRun: true });
      return request.html(backfillPage({ ...shown, trial }));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return request.html(backfillPage({ ...shown, trial: undefined, problem: error.message }), 422);
    }
  });

  app.post('/backfill', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return request.text(form.refusal, form.status);
    if (!deps.access.write) return request.text('', 403);
    const found = await find(request);
    if (!found) return absent(request);
    const { name } = found.recurring;
    const [from, to] = [form.field('from').trim(), form.field('to').trim()];
    try {
      await tables.checkRegion(store);
      const { ids } = await recurring.backfill(name, { from, to });
      const result = `${records(ids.length)} inserted.`;
      log(deps.access.as, `back-fill ${name} from ${from} to ${to}`, result);
      reader.forget();
      return done(request, recurringLink(name), result);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const shown = { context: contextOf(request), recurring: found.recurring, field: form.field };
      return request.html(backfillPage({ ...shown, trial: undefined, problem: error.message }), 422);
    }
  });
  return app;
}

/** The longest name. */
const MAX_NAME = 256;
/** Names that one that is not there is compared with. */
const MAX_COMPARED = 1_000;

function actionOf(request: Context): RecurringAction | undefined {
  return RECURRING_ACTIONS.find(({ name }) => name === request.req.query('do'));
}
