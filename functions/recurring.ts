import { recurringHandler } from './recurring/recurring-handler.js';

/** Inserts the records of occurrences. */
export const handler = recurringHandler();
