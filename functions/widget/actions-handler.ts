import * as z from 'zod/mini';
import { isAnnounced, pauseNote } from '../../src/overview/pause-text.js';
import { overviewStore } from '../../src/store/dynamodb/overview-store.js';
import { createDynamoDbClient, type QueueState } from '../../src/store/index.js';
import { isPauseText } from '../../src/store/pause-text.js';
import { toIso } from '../../src/support/clock.js';
import { shortened } from '../../src/support/shortened.js';
import { clockOf } from '../clock.js';
import type { LambdaHandler } from '../lambda-context.js';
import { lambdaHandler, once } from '../lambda-handler.js';
import { createLogger } from '../logger.js';
import { readSettings } from '../settings.js';
import { ACTIONS, type Action, actionButton, type Endpoints, overviewButton } from './buttons.js';
import { isDescribe, type WidgetContext, widgetContextOf } from './event.js';
import { html } from './html.js';
import { headline } from './icons.js';
import { page } from './page.js';
import { lengthOf, PAUSE_ENDS, type PauseEnd, pauseButtons } from './pause-buttons.js';
import { FUNCTION_ARN } from './settings.js';
import type { WidgetSeams } from './widget-handler.js';

const requestSchema = z.object({
  action: z.enum(ACTIONS),
  queue: z.string(),
  /** The end of a pause. Absent: the viewer has not chosen it yet. */
  end: z.optional(z.enum(PAUSE_ENDS)),
  /** The function that draws the overview. */
  overview: z.optional(z.string().check(z.regex(FUNCTION_ARN))),
});

/**
 * Pauses or resumes a queue, for the buttons of the overview. An event that is not one of theirs does nothing.
 *
 * It does no more than that: to redrive records is no matter for one button, as it wants a selection, a pace and a look
 * at what would happen. The console has those.
 *
 * CloudWatch calls it with the rights of the viewer, and does not name the viewer. The log line has the id of the
 * invocation; CloudTrail has the caller beside it, if it records Lambda's data events.
 */
export function widgetActionsHandler(overrides: WidgetSeams = {}): LambdaHandler<string> {
  const { logger = createLogger(), env = process.env } = overrides;
  const start = once(() => {
    const settings = readSettings(env);
    const clock = overrides.clock ?? clockOf(settings);
    const { tables, queues } = settings;
    const store = overrides.store ?? overviewStore({ client: createDynamoDbClient(), tables, clock });
    return { tables, store, clock, isQueue: (name: string) => Object.hasOwn(queues, name) };
  });

  return lambdaHandler(logger, async (event, { invokedFunctionArn: actions }) => {
    if (isDescribe(event)) return (await import('./describe.js')).ACTIONS_DOCS;
    const viewer = widgetContextOf(event);
    const { data: request } = requestSchema.safeParse(event);
    if (!viewer || !request) return refused('It expects the event of a button.', viewer);
    if ('action' in viewer.params) return refused('A widget may not act when it is looked at.', viewer);
    const { action, queue, end, overview } = request;
    const who = { account: viewer.accountId, dashboard: viewer.dashboardName, widget: viewer.widgetId };
    try {
      const { store, clock, isQueue } = start();
      if (!isQueue(queue)) return refused(`There is no queue ${shortened(queue, 128)} here.`, viewer);
      const endpoints = { actions, overview };
      const now = clock.now();
      if (action === 'resume') {
        const changed = await store.queues.setPaused(queue, false);
        logger.info('queue resumed', { queue, changed, ...who });
        return outcome({ queue, changed, now }, await store.queues.read(queue), endpoints, viewer);
      }
      const before = await store.queues.read(queue);
      if (end === undefined && !before.paused) return choice(queue, endpoints, viewer);
      const note = { pausedUntil: untilOf(end, now), pauseReason: reasonOf(viewer) };
      // The words of the operator who has paused it already stay.
      const changed = !before.paused && (await store.queues.setPaused(queue, true, note));
      logger.info('queue paused', {
        queue,
        changed,
        ...(changed ? { until: note.pausedUntil } : {}),
        ...who,
      });
      return outcome({ queue, changed, now }, await store.queues.read(queue), endpoints, viewer);
    } catch (error) {
      logger.error('a queue could not be paused or resumed', { queue, action, ...who, error });
      const { trouble } = await import('./trouble.js');
      return trouble(
        `Whether ${queue} was changed is not known`,
        error,
        pauseLine(env, { action, queue, end }),
        viewer,
      );
    }
  });
}

function refused(reason: string, viewer: WidgetContext = { theme: 'light', params: {} }): string {
  const body = html`${headline('amber', 'Nothing was done')}<p class="d"><bdi>${reason}</bdi></p>`;
  return page(body, viewer);
}

/** ISO-8601. Undefined: the pause has no end. */
function untilOf(end: PauseEnd | undefined, now: number): string | undefined {
  const length = end && lengthOf(end);
  return length === undefined ? undefined : toIso(now + length);
}

/** `from the dashboard Shop`: all that is known of the operator. */
function reasonOf({ dashboardName }: WidgetContext): string {
  const text = `from the dashboard ${dashboardName ?? ''}`.trimEnd();
  return isPauseText(text) ? text : 'from the dashboard';
}

/** The question for how long the alarms of a pause are to be silent. Nothing has been done. */
function choice(queue: string, endpoints: Endpoints, viewer: WidgetContext): string {
  const meaning =
    'No further attempt begins, and records wait until an operator resumes it. Its alarms are silent until the end of the pause, and go off after it.';
  const body = html`${headline('amber', `Pause ${queue}?`, 'paused')}<p class="d">${meaning}</p><div class="b">${pauseButtons(queue, endpoints)}${overviewButton(endpoints)}</div>`;
  return page(body, viewer);
}

interface Done {
  readonly queue: string;
  /** False: the queue was paused, or not paused, already. */
  readonly changed: boolean;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
}

function outcome(done: Done, state: QueueState, endpoints: Endpoints, viewer: WidgetContext): string {
  const { queue, changed, now } = done;
  const { paused, pausedAt } = state;
  const already = changed ? '' : ' already';
  const title = paused ? `${queue} is paused${already}` : `${queue} goes on${already}`;
  const since =
    pausedAt === undefined
      ? ''
      : ` Paused since ${pausedAt.slice(0, 19).replace('T', ' ')} UTC${pauseNote(state, now)}.${isAnnounced(state, now) ? ' Its alarms are silent until then.' : ''}`;
  const meaning = paused
    ? `No further attempt begins, and records wait until an operator resumes it.${since}`
    : 'What is due is attempted at the next run.';
  const undo = actionButton(paused ? 'resume' : 'pause', queue, endpoints);
  const body = html`${headline(paused ? 'amber' : 'ok', title, paused ? 'paused' : 'ok')}<p class="d">${meaning}</p><div class="b">${overviewButton(endpoints)}${undo}</div>`;
  return page(body, viewer);
}

function pauseLine(
  { BACKLOG_TABLE: table = 'TABLE', BACKLOG_CONTROL_TABLE: control = 'CONTROL' }: NodeJS.ProcessEnv,
  { action, queue, end = 'none' }: { action: Action; queue: string; end?: PauseEnd | undefined },
): string {
  const until = action === 'pause' && end !== 'none' ? ` --until ${end}` : '';
  return `npx backlog ${action} ${queue}${until} --table ${table} --control-table ${control}`;
}
