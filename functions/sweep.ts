import { sweepHandler } from './intake/sweep-handler.js';

/** Finds what the intake was never told of. */
export const handler = sweepHandler();
