import type { Logger } from '@aws-lambda-powertools/logger';
import type { FinishDeps } from '../../src/groups/finish.js';
import { type MemberChange, memberChanges } from '../../src/groups/member-changes.js';
import { MEMBER_ATTRIBUTE } from '../../src/groups/names.js';
import { noteStates } from '../../src/groups/note-states.js';
import { isPassive } from '../../src/registry/regions.js';
import { isOfStore } from '../../src/store/errors.js';
import { groupBy } from '../../src/support/group-by.js';
import { frozenLogger } from '../../src/support/logger.js';
import { type GroupsDeps, groupsDeps } from '../groups-deps.js';
import { parseVersions, type RecordVersion, type VersionedChange } from '../intake/stream-event.js';
import type { Part } from './part.js';

/** The parts that tests replace. */
export type CountGroupsSeams = Partial<GroupsDeps>;

/** Groups that are counted at once. */
const CONCURRENCY = 10;
/**
 * Time for a batch, of the minute that the function has. An end that takes longer, as of a group with hundreds of thousands of dead
 * members, is left to the daily check: the stream would come again until it is given up.
 */
const BATCH_MS = 40_000;
/** Most groups that a line of the log names. */
const MAX_GROUPS = 10;

/** The change of a member, with its place in the stream. */
interface Counted extends MemberChange {
  readonly sequenceNumber: string;
}

/**
 * Counts the ends of the members of groups, from the table's stream, and ends the groups. What the store has no answer for comes
 * again. What it refuses of one group is left to the daily check, so that no other group waits for it.
 *
 * @throws ConfigurationError naming the variable
 */
export function countGroups(
  env: Readonly<Record<string, string | undefined>>,
  logger: Logger,
  seams: CountGroupsSeams = {},
): Part {
  const { settings, store, ...deps } = groupsDeps(env, seams);
  const { records, groups: items } = store;
  const common: FinishDeps = { ...deps, records, groups: items, logger: frozenLogger(logger) };
  return async (input) => {
    const now = deps.clock.now();
    const changes = parseVersions(input, now).flatMap((change) => countedOf(change, logger));
    if (changes.length === 0) return undefined;
    const until = deps.clock.wall() + BATCH_MS;
    const finish = { ...common, hasTime: () => deps.clock.wall() < until };
    const groups = [...groupBy(changes, ({ place }) => place.group)];
    try {
      if (await isPassive(settings, store, now)) return undefined;
    } catch (error) {
      return comesAgain(groups, error, logger);
    }
    const failed: (typeof groups)[number][] = [];
    let failure: unknown;
    for (let start = 0; start < groups.length; start += CONCURRENCY) {
      const count = async (one: (typeof groups)[number]) => {
        const [group, ofGroup] = one;
        try {
          await noteStates(ofGroup, finish);
        } catch (error) {
          if (isOfStore(error)) {
            failure = error;
            failed.push(one);
          } else {
            logger.error('a group could not be counted', { group, reason: reasonOf(error) });
          }
        }
      };
      await Promise.all(groups.slice(start, start + CONCURRENCY).map(count));
    }
    if (failed.length === 0) return undefined;
    return comesAgain(
      groups.filter((one) => failed.includes(one)),
      failure,
      logger,
    );
  };
}

/** @param groups those that were not counted, in the order of their first changes */
function comesAgain(
  groups: readonly (readonly [string, readonly Counted[]])[],
  error: unknown,
  logger: Logger,
): string | undefined {
  const ids = groups.slice(0, MAX_GROUPS).map(([group]) => group);
  logger.error('groups were not counted, and come again', {
    count: groups.length,
    reason: reasonOf(error),
    groups: ids,
  });
  return groups[0]?.[1][0]?.sequenceNumber;
}

/** The changes of members by a change of the table. Any service may have written the records. */
function countedOf({ sequenceNumber, id, before, after }: VersionedChange, logger: Logger): Counted[] {
  if ([before, after].some(isUnreadableMember)) {
    logger.error('a member of a group is not counted, as it cannot be read', { id });
    return [];
  }
  const changes = memberChanges({ before: before?.record, after: after?.record });
  return changes.map((change) => ({ ...change, sequenceNumber }));
}

function isUnreadableMember(version: RecordVersion | undefined): boolean {
  if (!version || version.record) return false;
  return version.item === undefined || version.item[MEMBER_ATTRIBUTE] !== undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
