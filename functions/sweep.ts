import { sweepHandler } from './intake/sweep-handler.js';

/** Finds records that the intake was not notified of. */
export const handler = sweepHandler();
