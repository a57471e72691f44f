import {
  BacklogOperator,
  type BacklogRecord,
  type CompletionResult,
  ConfigurationError,
} from 'dynamo-backlog';
import { type Item, isId, isUnderAttempt, Tables } from 'dynamo-backlog/engine';
import { type Context, Hono } from 'hono';
import { parseExactly } from '../../cli/exact-json.js';
import { hasProblems, resultText } from '../../cli/operate/report.js';
import { eventJson } from '../../event-json.js';
import { call } from '../../jobs/call.js';
import { callOutsideEnd, type OutsideEndCall, outsideEndText } from '../../outside-end.js';
import { outsideWait } from '../../outside-wait.js';
import { editRefusal, shownPayload } from '../../shown-payload.js';
import type { Routes } from '../app-parts.js';
import { atWork } from '../at-work.js';
import { readForm } from '../forms.js';
import { type PageContext, page, Verdict } from '../layout.js';
import { Foreign, link, recordLink } from '../parts.js';
import { recordPage } from '../record/view.js';
import { ACTIONS, type Field } from './catalog.js';
import { confirmPage, previewPage, type RecordAction } from './confirm.js';
import { outsideEndsFor } from './outside-ends.js';
import { seenBy } from './seen.js';

/** The page of a record, and what can be done with it. */
export function recordRoutes({ deps, guard, notes, reader, lines, contextOf }: Routes): Hono {
  const app = new Hono();
  const { store } = new Tables(deps.backlog).open();
  const operator = new BacklogOperator(deps.backlog);
  /** The id that a request names; undefined: no record can have it. */
  const idOf = (request: Context) => [request.req.query('id')].find(isId);
  const find = async (request: Context) => {
    const id = idOf(request);
    return id === undefined ? undefined : store.records.get(id);
  };
  const absent = (request: Context) => {
    const id = request.req.query('id') ?? '';
    const context = contextOf(request);
    const children = (
      <Verdict>
        There is no record <Foreign text={id} most={120} />.
      </Verdict>
    );
    return request.html(page({ context, title: 'No such record', view: 'Records', children }), 404);
  };
  const seenOf = seenBy();
  /** The record and the action that a request names, or the answer in place of them. */
  const open = async (request: Context) => {
    const id = idOf(request);
    const [found] = id === undefined ? [] : await store.records.getItems([id]);
    if (!found) return { answer: absent(request) };
    const { record } = found;
    const context = contextOf(request);
    const action = actionOf(request, record);
    if (!action) return { answer: request.html(refusedPage(context, NOT_FOR_IT, record.id), 404) };
    const noEdit = action.name === 'edit' ? editRefusal(shownPayload(record, deps.redact)) : undefined;
    if (noEdit !== undefined) return { answer: request.html(refusedPage(context, noEdit, record.id), 403) };
    const queues = (deps.queues?.() ?? []).map(({ name }) => name);
    const isHeld = isUnderAttempt(record, context.now, deps.backlog.clock?.speed);
    const seen = seenOf(isHeld ? steady(found.item) : found.item);
    return { ...found, action, shown: { context, action, record, seen, queues } };
  };
  /** The answer if the record has changed meanwhile: the page with the record as it is now, for another look. */
  const changed = async (request: Context, field: Field) => {
    const now = await open(request);
    if (now.answer) return now.answer;
    return request.html(confirmPage({ ...now.shown, field, problem: CHANGED }), 409);
  };

  app.get('/', async (request) => {
    const [record, { counts }] = await Promise.all([find(request), reader.read()]);
    if (!record) return absent(request);
    const running = atWork(counts?.leases, deps.backlog.clock)(record);
    const queue = counts?.stats.queues.find((one) => one.queue === record.queue);
    const paused = queue?.paused ?? false;
    const line = await lines.of(record);
    const around = { running, paused, reading: queue?.reading, line };
    return request.html(recordPage(contextOf(request), record, around));
  });

  app.get('/payload', async (request) => {
    const record = await find(request);
    if (!record) return absent(request);
    const shown = shownPayload(record, deps.redact);
    if (shown.hidden !== undefined) return request.text(`${shown.hidden}\n`, 403);
    return request.body(shown.json, 200, {
      'Content-Type': 'application/json; charset=utf-8',
      // A browser must not take what a producer wrote for a page of this server.
      'Content-Disposition': `attachment; filename="payload${shown.isRedacted ? '.redacted' : ''}.json"`,
    });
  });

  app.get('/event', async (request) => {
    const record = await find(request);
    const event = record && eventJson(record, deps.backlog.table);
    if (event === undefined) return absent(request);
    return request.body(event, 200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': 'attachment; filename="event.json"',
    });
  });

  app.get('/act', async (request) => {
    const opened = await open(request);
    return opened.answer ?? request.html(confirmPage({ ...opened.shown, field: () => '' }));
  });

  app.post('/preview', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form) return request.text(form.refusal, form.status);
    const { field } = form;
    const opened = await open(request);
    if (opened.answer) return opened.answer;
    if (field('seen') !== opened.shown.seen) return changed(request, field);
    try {
      return request.html(previewPage({ ...opened.shown, field, payload: parseExactly(field('payload')) }));
    } catch (error) {
      const problem = `Payload: expected JSON: ${(error as Error).message}`;
      return request.html(confirmPage({ ...opened.shown, field, problem }), 422);
    }
  });

  /** Logs what was done, and leads to the record's page, which says it. */
  const reportDone = (
    request: Context,
    done: { record: BacklogRecord; text: string; ok: boolean; reported: string },
  ) => {
    const { record, text, ok, reported } = done;
    const as = deps.access.write ? deps.access.as : '';
    deps.onAction({ at: new Date().toISOString(), as, text: `${text}: ${record.id}`, result: reported });
    reader.forget();
    return request.redirect(
      link('/record', { id: record.id, note: notes.write({ ok, text: reported }) }),
      303,
    );
  };

  app.post('/act', async (request) => {
    const form = await readForm(request, guard, deps);
    if ('refusal' in form || !deps.access.write) {
      return 'refusal' in form ? request.text(form.refusal, form.status) : request.text('', 403);
    }
    const { field } = form;
    const opened = await open(request);
    if (opened.answer) return opened.answer;
    const { item, record, action, shown } = opened;
    if (field('seen') !== shown.seen) return changed(request, field);
    const { as } = deps.access;
    try {
      if ('prepareEnd' in action) {
        const call = action.prepareEnd(field);
        // The token of the record that was looked at: of another attempt, nothing is ended.
        const token = outsideWait(record)?.token;
        const end = { ...call, options: { ...call.options, token } } as OutsideEndCall;
        const result = await callOutsideEnd(operator, record.id, end);
        if (OTHER_RECORD.has(result.reason)) return changed(request, field);
        const reported = outsideEndText(call.do, result);
        return reportDone(request, { record, text: action.name, ok: result.accepted, reported });
      }
      const change = action.prepare(field, as);
      const result = await call(operator, change, [record.id], { expected: item });
      if (result.skipped.changedMeanwhile) return changed(request, field);
      const reported = resultText(result, { ask: action.label, done: action.done }, false);
      const ok = result.changed > 0 && !hasProblems(result, true);
      return reportDone(request, { record, text: change.text, ok, reported });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return request.html(confirmPage({ ...shown, field, problem: error.message }), 422);
    }
  });
  return app;
}

/** An item under a long attempt without the attributes that its process renews every 25 seconds. */
function steady({ rev: _, dueAt: __, notBefore: ___, ...item }: Item): Item {
  return item;
}

const CHANGED =
  'The record has been changed since you opened this page. This is how it is now: look again, and confirm again.';

/** Reasons that say that the record is not as the operator has seen it. */
const OTHER_RECORD: ReadonlySet<CompletionResult['reason']> = new Set([
  'oldToken',
  'notWaiting',
  'workChanged',
]);

const NOT_FOR_IT = 'This action does not apply to the record as it is now.';

function actionOf(request: Context, record: BacklogRecord): RecordAction | undefined {
  const name = request.req.query('do');
  return [...outsideEndsFor(record), ...ACTIONS].find(
    (action) => action.name === name && action.statuses.includes(record.status),
  );
}

/** The page of an action that cannot be. */
function refusedPage(context: PageContext, reason: string, id: string) {
  const children = (
    <>
      <Verdict>{reason}</Verdict>
      <p>
        <a href={recordLink(id)}>Back to the record</a>
      </p>
    </>
  );
  return page({ context, title: 'Not possible', view: 'Records', children });
}
