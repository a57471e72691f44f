import { intakeHandler } from './intake/intake-handler.js';

/** Picks up what other services put into the table without `lane`. */
export const handler = intakeHandler();
