import { ConfigurationError, StoreAccessError } from 'dynamo-backlog';
import { checkGroupId, systemClock, Tables } from 'dynamo-backlog/engine';
import { readWithin } from 'dynamo-backlog/overview';
import { type Context, Hono } from 'hono';
import type { Routes } from '../app-parts.js';
import { readForm } from '../forms.js';
import { page, Verdict } from '../layout.js';
import { numberedPage, wholeNumber } from '../numbered-pages.js';
import { Foreign, link, recordLink } from '../parts.js';
import { LOCAL_BUDGET, PAGE_BUDGET } from '../read-budgets.js';
import { ownLinksOnly } from '../security.js';
import { groupActPage } from './act-page.js';
import { AllGroups, type GroupsLook, type ListedGroup } from './all-groups.js';
import { GROUP_ACTIONS, type GroupAction } from './catalog.js';
import { groupPage } from './detail-page.js';
import { type GroupsPage, groupsPage, rowsOf, SHOWN_GROUPS } from './list-page.js';
import { groupLink } from './looks.js';
import { LISTED_STATES } from './members.js';
import { openGroupItems, recordGroups } from './open-items.js';
import { type ReadGroup, readGroup } from './read-group.js';
import { GroupWork } from './work.js';

/** The time for which a form waits for its seal or check. */
const PATIENCE_MS = 5_000;
/** Members of a group. */
const MAX_MEMBERS = 1_000_000;
/** The local runtime is looked at again when a page is, but not more often than that. */
const LOCAL_LOOK_MS = 4_000;

/**
 * The groups of records: a page with all of them, one for each, and what can be done with them.
 *
 * @param onSeen called once there is one
 */
export function groupsRoutes({ deps, guard, notes, reader, contextOf }: Routes, onSeen: () => void): Hono {
  const app = new Hono();
  const { backlog } = deps;
  const clock = backlog.clock ?? systemClock;
  const all = new AllGroups(() => openGroupItems(backlog), clock);
  const work = new GroupWork((signal) => systemClock.sleep(PATIENCE_MS, signal));
  const tables = new Tables(backlog);

  const idOf = (request: Context): string | undefined => {
    const id = request.req.query('id');
    try {
      checkGroupId(id, 'id');
      return id;
    } catch {
      return undefined;
    }
  };
  const find = async (request: Context): Promise<ReadGroup | undefined> => {
    const id = idOf(request);
    if (id === undefined) return undefined;
    const state = LISTED_STATES.find((one) => one === request.req.query('state'));
    const ask = { state, from: wholeNumber(request.req.query('from'), MAX_MEMBERS) };
    const found = await readGroup(deps, id, ask, contextOf(request).now);
    if (found) onSeen();
    all.note(id, found && listedOf(found));
    return found;
  };
  const absent = async (request: Context) => {
    const id = idOf(request);
    const record = id === undefined ? undefined : await tables.open().store.records.get(id);
    const details = record ? (
      <>
        There is <a href={recordLink(record.id)}>a record with this id</a>, which is not that of the end of a
        group.
      </>
    ) : null;
    const children = (
      <Verdict details={details}>
        There is no group <Foreign text={request.req.query('id') ?? ''} most={128} />.
      </Verdict>
    );
    return request.html(
      page({ context: contextOf(request), title: 'No such group', view: 'Groups', children }),
      404,
    );
  };

  const pageOf = async (look: GroupsLook, request: Context): Promise<GroupsPage> => {
    const { number, entries: groups } = numberedPage(look.groups, SHOWN_GROUPS, request.req.query('page'));
    const { units } = deps.runtime ? LOCAL_BUDGET : PAGE_BUDGET;
    const { records, readUnits } = await readWithin(
      tables,
      groups.map(({ id }) => id),
      units,
    );
    const rows = rowsOf(groups, { records, isCut: readUnits >= units, now: contextOf(request).now });
    return { look, number, rows, readUnits };
  };

  app.get('/', async (request, next) => (request.req.query('list') ? ownLinksOnly(request, next) : next()));
  app.get('/', async (request) => {
    if (request.req.query('list') === 'yes') {
      await all.look();
      // The address of a page that is loaded again does not look again.
      return request.redirect('/groups', 303);
    }
    const known = all.known();
    const isOld = known === undefined || clock.wall() - known.at > LOCAL_LOOK_MS;
    const look = deps.runtime && isOld ? await all.look() : known;
    if (look && look.groups.length > 0) onSeen();
    return request.html(groupsPage(contextOf(request), look && (await pageOf(look, request))));
  });

  // Each reads an item for each 1,000 members.
  app.use('/show', ownLinksOnly);
  app.use('/act', ownLinksOnly);
  app.get('/show', async (request) => {
    const found = await find(request);
    if (!found) return absent(request);
    return request.html(groupPage(contextOf(request), found, work.of(found.group.id)));
  });

  app.get('/act', async (request) => {
    const [found, action] = [await find(request), actionOf(request)];
    if (!found) return absent(request);
    const group = listedOf(found);
    if (!group || !action?.isFor(group)) return request.redirect(groupLink(found.group.id), 303);
    return request.html(groupActPage({ context: contextOf(request), group, action }));
  });

  app.post('/act', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return request.text(form.refusal, form.status);
    if (!deps.access.write) return request.text('', 403);
    const { as } = deps.access;
    const [found, action] = [await find(request), actionOf(request)];
    if (!found || !action) return absent(request);
    const { id } = found.group;
    const done = (text: string, ok = true) =>
      request.redirect(link('/groups/show', { id, note: notes.write({ ok, text }) }), 303);
    const group = listedOf(found);
    // It has changed since the form was opened, or another page has sent the form.
    if (!group || !action.isFor(group))
      return done(`Nothing was done: ${action.label} does not apply now.`, false);
    const log = (result: string) =>
      deps.onAction({ at: new Date().toISOString(), as, text: `${action.name} the group ${id}`, result });
    const act = async () => {
      try {
        const result = await action.act(recordGroups(deps), group);
        log(result);
        return result;
      } catch (error) {
        log(`failed: ${(error as Error).message}`);
        throw error;
      }
    };
    try {
      const { store } = tables.open();
      await tables.checkRegion(store);
      const { label } = action;
      const result = await work.run(id, { label, since: contextOf(request).now }, act);
      reader.forget();
      return done(result ?? `${label} goes on: this page says how it ends.`);
    } catch (error) {
      const problem = `${action.label} has failed: ${(error as Error).message}${error instanceof StoreAccessError ? RIGHTS : ''}`;
      const status = error instanceof ConfigurationError ? 422 : 500;
      return request.html(groupActPage({ context: contextOf(request), group, action, problem }), status);
    }
  });

  return app;
}

/** The end of a message about a right that is lacking. */
const RIGHTS = '. It needs the rights of grantGroups, beside those of an operator.';

/** A group that goes on. Undefined: it has ended. */
function listedOf({ group, head }: ReadGroup): ListedGroup | undefined {
  return head && { ...group, holdsDead: head.holdsDead };
}

function actionOf(request: Context): GroupAction | undefined {
  return GROUP_ACTIONS.find(({ name }) => name === request.req.query('do'));
}
