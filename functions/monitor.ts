import { monitorHandler } from './monitor/monitor-handler.js';

/** Reads how much waits in each queue, and for how long. */
export const handler = monitorHandler();
