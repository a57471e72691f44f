import { parseHTML } from 'linkedom';
import { widgetActionsHandler } from '../../functions/widget/actions-handler.js';
import { type WidgetSeams, widgetHandler } from '../../functions/widget/widget-handler.js';
import { environment, workbench } from './support.js';

export const OVERVIEW_ARN = 'arn:aws:lambda:eu-central-1:111111111111:function:Shop-Widget-1A';
export const ACTIONS_ARN = 'arn:aws:lambda:eu-central-1:111111111111:function:Shop-WidgetActions-2B';

export const QUEUES = {
  orders: { retryMode: 'perRecord' },
  bulk: { retryMode: 'progressive' },
} as const;

/** The context that the dashboard gives the widget. */
export const viewer = (changes: Record<string, unknown> = {}) => ({
  dashboardName: 'Shop',
  widgetId: 'widget-3',
  accountId: '111111111111',
  theme: 'light',
  width: 1200,
  height: 300,
  params: {},
  ...changes,
});

/** Both functions on one store, with what they log. */
export function widgets(
  queues: Parameters<typeof workbench>[0] = QUEUES,
  changes: WidgetSeams = {},
  variables: Record<string, string> = { BACKLOG_WIDGET_ACTIONS: ACTIONS_ARN },
) {
  const bench = workbench(queues);
  const { store, clock, logger } = bench.overrides;
  const env = { ...environment(queues), ...variables };
  const seams = { store, clock, logger, env, ...changes };
  const overview = widgetHandler(seams);
  const actions = widgetActionsHandler(seams);
  const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 30_000 };
  return {
    ...bench,
    look: (event: unknown = { widgetContext: viewer() }) =>
      overview(event, { ...context, invokedFunctionArn: OVERVIEW_ARN }),
    act: (event: unknown) => actions(event, { ...context, invokedFunctionArn: ACTIONS_ARN }),
  };
}

/** HTML as a browser reads it. */
export function parsed(html: string) {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  const text = (selector: string) =>
    [...document.querySelectorAll(selector)].map((element) => (element.textContent ?? '').trim());
  return {
    document,
    text,
    /** The cells of each queue. */
    rows: () =>
      [...document.querySelectorAll('tbody tr')].map((row) =>
        [...row.children].map((cell) => (cell.textContent ?? '').trim()),
      ),
    /** The buttons, each with the action that follows it. */
    buttons: () =>
      [...document.querySelectorAll('button')].map((button) => {
        const action = button.nextElementSibling;
        return {
          text: button.textContent,
          tag: action?.localName,
          action: action?.getAttribute('action'),
          display: action?.getAttribute('display'),
          endpoint: action?.getAttribute('endpoint'),
          confirmation: action?.getAttribute('confirmation'),
          parameters: JSON.parse(action?.textContent ?? 'null') as unknown,
        };
      }),
  };
}
