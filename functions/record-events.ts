import { recordEventsHandler } from './record-events/record-events-handler.js';

/** Tells others of the ends of records. */
export const handler = recordEventsHandler();
