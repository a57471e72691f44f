import { widgetHandler } from './widget/widget-handler.js';

/** Draws the overview on the dashboard. It reads only. */
export const handler = widgetHandler();
