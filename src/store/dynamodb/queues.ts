import type { Item } from '../../record/index.js';
import { parseIso } from '../../support/clock.js';
import { isPauseText } from '../pause-text.js';
import type { QueueState, QueueStore, RetryModeState, TierRun } from '../store.js';
import { parseBreakers } from './breaker-states.js';
import { isMap, isTimeUntil, LAST_TIME, queueKey } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import type { Table } from './table.js';

/**
 * One item per queue in the control table.
 *
 *     key              queue#<name>
 *     paused           true while an operator has stopped it
 *     pausedAt         since when, ISO-8601
 *     pausedUntil      until when no alarm is to go off for that, ISO-8601
 *     pauseReason      why, and
 *     pausedBy         by whom: texts as `isPauseText` takes them
 *     resumedAt        when its last pause ended, ISO-8601
 *     failing          what fails without recovery: src/record/failing-text.ts
 *     busyKeys         the keys that have lanes of their own: src/record/busy-keys.ts
 *     pausedKeys       the keys that an operator has paused: src/store/key-pauses.ts
 *     retryMode, retryModeSince    how it retries, and since when (real time, epoch milliseconds)
 *     tiers            by the tier's number: { at, complete } of the last run
 *     breakers         by destination, of those that are not closed: { until, since, token } (the backlog's time)
 *     slots            by run: { count, onArrival, until } of its attempts under way, where the queue has a limit for all
 *     slotsTaken       how many these are together, and
 *     slotsOnArrival   of runs on arrivals
 *     nextPermit       when the next attempt of a queue with a rate limit may start (real time, epoch milliseconds)
 */
export class DynamoDbQueues implements QueueStore {
  constructor(protected readonly table: Table) {}

  async read(queue: string): Promise<QueueState> {
    return parseQueueState(await this.table.get(queueKey(queue)));
  }

  async setRetryMode(
    queue: string,
    next: RetryModeState,
    read: RetryModeState | undefined,
  ): Promise<boolean> {
    const expressions = new Expressions();
    const isRetryMode = ({ mode, since }: RetryModeState) =>
      and(expressions.equal('retryMode', mode), expressions.equal('retryModeSince', since));
    const asRead = read ? isRetryMode(read) : isNoRetryMode(expressions);
    const doneAlready = isRetryMode(next);
    const set = { retryMode: next.mode, retryModeSince: next.since };
    const answer = await this.table.update(
      queueKey(queue),
      expressions.update(set, [], or(asRead, doneAlready)),
    );
    return answer.written;
  }

  noteFailing(queue: string, next: string | undefined, read: string | undefined): Promise<boolean> {
    return this.noteText(queue, 'failing', next, read);
  }

  noteBusyKeys(queue: string, next: string | undefined, read: string | undefined): Promise<boolean> {
    return this.noteText(queue, 'busyKeys', next, read);
  }

  protected async noteText(
    queue: string,
    name: 'failing' | 'busyKeys' | 'pausedKeys',
    next: string | undefined,
    read: string | undefined,
  ): Promise<boolean> {
    const expressions = new Expressions();
    const isNoted = (text: string | undefined) =>
      text === undefined
        ? `NOT attribute_type(${expressions.name(name)}, ${expressions.value('S')})`
        : expressions.equal(name, text);
    // A request of which the answer was lost is repeated, and finds what it has written.
    const ifAsRead = or(isNoted(read), isNoted(next));
    const update = expressions.update({ [name]: next }, next === undefined ? [name] : [], ifAsRead);
    return (await this.table.update(queueKey(queue), update)).written;
  }

  async recordTierRun(queue: string, tier: string, run: TierRun): Promise<void> {
    if (await this.writeTier(queue, tier, run)) return;
    await this.createTiers(queue);
    await this.writeTier(queue, tier, run);
  }

  /** Notes the run of a tier. False: the map of tiers is not there yet, and a path below it cannot be written. */
  private async writeTier(queue: string, tier: string, { at, complete }: TierRun): Promise<boolean> {
    const expressions = new Expressions();
    const path = `${expressions.name('tiers')}.${expressions.name(tier)}`;
    const answer = await this.table.update(queueKey(queue), {
      UpdateExpression: `SET ${path} = ${expressions.value({ at, complete })}`,
      ConditionExpression: `attribute_type(${expressions.name('tiers')}, ${expressions.value('M')})`,
      ...expressions.placeholders(),
    });
    return answer.written;
  }

  private async createTiers(queue: string): Promise<void> {
    const expressions = new Expressions();
    // Absent, or damaged: a path below it could never be written.
    const isNone = `NOT attribute_type(${expressions.name('tiers')}, ${expressions.value('M')})`;
    await this.table.update(queueKey(queue), expressions.update({ tiers: {} }, [], isNone));
  }
}

/** Reads the item of a queue. What is damaged counts as none. */
export function parseQueueState(item: Item = {}): QueueState {
  const { paused, pausedAt, pausedUntil, pauseReason, pausedBy, resumedAt } = item;
  const { retryMode, retryModeSince, tiers, breakers } = item;
  const isRetryMode =
    (retryMode === 'perRecord' || retryMode === 'progressive') && isTimeUntil(retryModeSince, LAST_TIME);
  const isPaused = paused === true;
  return {
    paused: isPaused,
    ...(isPaused
      ? {
          pausedAt: parseIso(pausedAt),
          pausedUntil: parseIso(pausedUntil),
          pauseReason: isPauseText(pauseReason) ? pauseReason : undefined,
          pausedBy: isPauseText(pausedBy) ? pausedBy : undefined,
        }
      : { resumedAt: parseIso(resumedAt) }),
    failing: textOf(item.failing),
    busyKeys: textOf(item.busyKeys),
    pausedKeys: textOf(item.pausedKeys),
    retryMode: isRetryMode ? { mode: retryMode, since: retryModeSince } : undefined,
    ...(retryMode !== undefined && !isRetryMode ? { isRetryModeDamaged: true } : {}),
    tiers: new Map(Object.entries(isMap(tiers) ? tiers : {}).flatMap(parseTierRun)),
    breakers: breakers === undefined ? new Map() : parseBreakers(breakers),
  };
}

/** A text that others than this code read; undefined for what is none. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Reads the run of a tier. A damaged one counts as none: a later run catches up on it. */
function parseTierRun([tier, run]: [string, unknown]): [string, TierRun][] {
  const { at, complete } = isMap(run) ? run : {};
  return isTimeUntil(at, LAST_TIME) ? [[tier, { at, complete: complete === true }]] : [];
}

/** The condition that no retry mode was noted yet, or that it is invalid. */
function isNoRetryMode(expressions: Expressions): string {
  const retryMode = expressions.name('retryMode');
  const retryModes = `${expressions.value('perRecord')}, ${expressions.value('progressive')}`;
  return or(
    expressions.absent('retryMode'),
    `NOT ${retryMode} IN (${retryModes})`,
    `NOT attribute_type(${expressions.name('retryModeSince')}, ${expressions.value('N')})`,
    `${expressions.name('retryModeSince')} < ${expressions.value(0)}`,
    `${expressions.name('retryModeSince')} > ${expressions.value(LAST_TIME)}`,
  );
}
