import type { Report } from '../../lab/keys/report.js';
import type { KeysQueue } from './input.js';

/** A queue, and the figures of the load in it. */
export interface PlayedQueue {
  readonly queue: KeysQueue;
  readonly report: Report;
}
