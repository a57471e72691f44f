import type { Stack } from '../template/assembly.js';

/** Result of a change of the app's files. */
export interface ReloadNews {
  /** The real time, ISO-8601. */
  readonly at: string;
  /** False: something is wrong with what was saved, and the runtime goes on as before. */
  readonly ok: boolean;
  /** One line, such as `orders.ts is live, 0.4 real seconds after the save: OrdersFunction`. */
  readonly text: string;
  /** More of it: what has changed, or what the compiler wrote. */
  readonly lines: readonly string[];
}

/** Describes what changes for the queues from one synthesis to the next. */
export type DescribeChanges = (before: readonly Stack[], after: readonly Stack[]) => readonly string[];
