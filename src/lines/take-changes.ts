import type { BacklogRecord } from '../record/index.js';
import { isOfStore } from '../store/errors.js';
import { groupBy } from '../support/group-by.js';
import { lineKey } from './names.js';
import { type HeldKey, noteHeld } from './note-held.js';
import type { OrderRules } from './rules.js';
import { type LineChange, type TurnDeps, takeTurns } from './take-turns.js';

export interface LinesDeps extends TurnDeps {
  /** The rules of a queue with order. Undefined: it has none. */
  readonly rulesOf: (queue: string) => OrderRules | undefined;
}

/** The lines after a number of changes. */
export interface TakenChanges {
  /** The records that are to be started, each with a change by which it has its turn. */
  readonly start: readonly { readonly record: BacklogRecord; readonly by: LineChange }[];
  /** Records whose lines must be looked at again after so many seconds of the backlog's time. */
  readonly later: readonly { readonly id: string; readonly seconds: number; readonly by: LineChange }[];
  /** The changes that the store had no answer for, and its error: they must come again. */
  readonly trouble?: { readonly error: unknown; readonly changes: readonly LineChange[] } | undefined;
}

/** Lines under way at once. */
const CONCURRENCY = 25;

/** Takes note of changes of records in queues with order, line by line. */
export async function takeChanges(changes: readonly LineChange[], deps: LinesDeps): Promise<TakenChanges> {
  const taken: {
    start: TakenChanges['start'][number][];
    later: TakenChanges['later'][number][];
    failed: LineChange[];
    error: unknown;
    held: { readonly by: readonly LineChange[]; readonly queue: string; readonly line: HeldKey }[];
  } = { start: [], later: [], failed: [], error: undefined, held: [] };
  const fail = (error: unknown, some: readonly LineChange[]) => {
    if (!isOfStore(error)) throw error;
    taken.error ??= error;
    taken.failed.push(...some);
  };
  const ofLine = async (some: readonly LineChange[]) => {
    const [first] = some;
    const rules = first && deps.rulesOf(first.place.queue);
    if (!first || !rules) return;
    try {
      const { start, later, skipped, held } = await takeTurns(first.place, some, rules, deps);
      const by = some.find(({ id }) => id === start?.id) ?? first;
      if (start) taken.start.push({ record: start, by });
      if (later) taken.later.push({ ...later, by: first });
      const { queue, key } = first.place;
      if (held) taken.held.push({ by: some, queue, line: { key, isNew: held === 'new' } });
      if (skipped > 0)
        deps.logger.warn('numbers of a line have not come, and are left out', {
          queue,
          key,
          skipped,
          id: start?.id,
        });
    } catch (error) {
      fail(error, some);
    }
  };
  const lines = [...groupBy(changes, ({ place }) => lineKey(place)).values()];
  for (let at = 0; at < lines.length; at += CONCURRENCY) {
    await Promise.all(lines.slice(at, at + CONCURRENCY).map(ofLine));
  }
  for (const [queue, held] of groupBy(taken.held, (one) => one.queue)) {
    const lines = held.map(({ line }) => line);
    await noteHeld(queue, lines, deps).catch((error) =>
      fail(
        error,
        held.flatMap(({ by }) => by),
      ),
    );
  }
  const { start, later, failed, error } = taken;
  return { start, later, ...(failed.length > 0 && { trouble: { error, changes: failed } }) };
}
