import { indexed, onArrival } from './backlog.js';
import { bareUpdate } from './bare-update.js';
import type { Design } from './design.js';
import { priorityQueue } from './priority-queue.js';
import { scan } from './scan.js';
import { statusIndex } from './status-index.js';

/** The designs in the order of the tables. The first is the base of the ratios. */
export const DESIGNS: readonly Design[] = [bareUpdate, indexed, onArrival, scan, statusIndex, priorityQueue];
