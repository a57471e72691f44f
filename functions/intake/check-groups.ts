import type { Logger } from '@aws-lambda-powertools/logger';
import { checkAll } from '../../src/groups/check-all.js';
import { frozenLogger } from '../../src/support/logger.js';
import { type GroupsDeps, type GroupsTables, groupsDeps } from '../groups-deps.js';

/** Time that is kept before the deadline, for the page of a group that is being checked. */
const LAST_PAGE_MS = 30_000;

interface CheckGroupsDeps extends Omit<GroupsDeps, 'store'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Real time, epoch milliseconds, at which the function must have ended. */
  readonly deadline: number;
  readonly store: GroupsTables | undefined;
}

/**
 * Checks the groups once the sweep has come to its end, as long as there is time.
 *
 * @throws StoreError if the groups cannot be listed
 */
export async function checkGroups({
  env,
  logger,
  deadline,
  store,
  clock,
  random,
}: CheckGroupsDeps): Promise<void> {
  const { settings: _, store: tables, ...deps } = groupsDeps(env, { clock, random, ...(store && { store }) });
  const checked = await checkAll({
    ...deps,
    records: tables.records,
    groups: tables.groups,
    logger: frozenLogger(logger),
    hasTime: () => clock.wall() < deadline - LAST_PAGE_MS,
  });
  const isWorthALine = Object.values(checked).some((count) => count > 0);
  logger[isWorthALine ? 'info' : 'debug']('groups checked', { ...checked });
}
