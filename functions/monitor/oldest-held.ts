import type { Logger } from '@aws-lambda-powertools/logger';
import { type HeldLinesDeps, tidyHeldLines } from '../../src/lines/held-lines.js';
import { DynamoDbOperatorSharedItems } from '../../src/store/dynamodb/operator-shared-items.js';
import { tablesOf } from '../../src/store/dynamodb/store.js';
import type { createDynamoDbClient } from '../../src/store/index.js';
import type { OperatorSharedItems } from '../../src/store/shared-items.js';
import type { Clock } from '../../src/support/clock.js';
import { systemRandom } from '../../src/support/random.js';
import type { Settings } from '../settings.js';

/** The items of lines in the control table. */
export function lineItemsOf(
  client: ReturnType<typeof createDynamoDbClient>,
  { tables }: Pick<Settings, 'tables'>,
  clock: Clock,
): OperatorSharedItems {
  return new DynamoDbOperatorSharedItems(tablesOf({ client, tables, clock, random: systemRandom }).control);
}

/** Keys in a line of the log. */
const MAX_NAMED = 5;

/**
 * The longest time for which a line of the queue has been held until an operator acts, in the backlog's seconds; 0: none is. The log names
 * those that have been held for longest.
 */
export async function oldestHeldAge(
  queue: string,
  { logger, ...deps }: Omit<HeldLinesDeps, 'random'> & { readonly logger: Logger },
): Promise<number> {
  const { lines, hasMore } = await tidyHeldLines(queue, { ...deps, random: systemRandom });
  const oldest = [...lines].sort((a, b) => a.since - b.since);
  const age = oldest[0] ? (deps.now - oldest[0].since) / 1000 : 0;
  if (lines.length > 0 || hasMore) {
    const keys = oldest.slice(0, MAX_NAMED).map(({ key }) => key);
    const dead = lines.filter(({ why }) => why === 'dead').length;
    const counts = { dead, missing: lines.length - dead, ...(hasMore && { hasMore }) };
    logger.info('lines are held until an operator acts', {
      queue,
      ...counts,
      seconds: Math.round(age),
      keys,
    });
  }
  return age;
}
