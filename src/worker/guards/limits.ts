// The limits that a queue may have, beside those of each run: their code is loaded together, by the first run that needs one.

export { drainBusyLanes } from '../busy-lanes.js';
export { Breakers } from './breakers.js';
export { BusyKeys } from './busy-keys.js';
export { Pool } from './pool.js';
export { RateLimit } from './rate-limit.js';
export { RunSlots } from './slots.js';
