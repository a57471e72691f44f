import * as z from 'zod';
import { reservedConcurrentExecutions } from './function-shape.js';

/** The function with a URL at which links end attempts. */
export interface CompletionUrlProps {
  /**
   * The most requests at the same time. The URL is public: without a limit, a flood of requests takes the concurrency of the account.
   *
   * @default - that of the account
   */
  readonly reservedConcurrentExecutions?: number | undefined;
}

/** The prop `completionUrl`. */
export const completionUrlProp = z.union(
  [z.boolean(), z.strictObject({ reservedConcurrentExecutions: reservedConcurrentExecutions.optional() })],
  { error: 'expected true, false, or options such as { reservedConcurrentExecutions: 10 }' },
);
