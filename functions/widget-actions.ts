import { widgetActionsHandler } from './widget/actions-handler.js';

/** Does what the buttons of the overview on the dashboard say. */
export const handler = widgetActionsHandler();
