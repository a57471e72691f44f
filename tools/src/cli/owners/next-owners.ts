import { type StoreTypes, toIso } from 'dynamo-backlog/engine';

/** The request of an operator. */
export interface Transfer {
  /** Empty: all queues of `from`. */
  readonly queues: readonly string[];
  /** The present owner. Undefined: whichever it is. */
  readonly from: string | undefined;
  readonly to: string;
}

export interface Transferred {
  /** The entries to write, by queue; undefined: there is nothing to change. */
  readonly next: ReadonlyMap<string, StoreTypes.QueueOwner> | undefined;
  readonly moved: readonly string[];
  /** Queues that are the new owner's already. */
  readonly already: readonly string[];
  /** Queues that no owner has registered. */
  readonly unknown: readonly string[];
  /** Owners of the queues that belong to another one than `from`, by queue. */
  readonly others: ReadonlyMap<string, string>;
}

/**
 * Gives queues another owner. Which function it has is not known until its next run says so; until then, what is inserted is
 * indexed, and waits for its rule.
 *
 * @param now the backlog's time, epoch milliseconds
 */
export function nextOwners(
  { queues }: StoreTypes.Registry,
  { queues: names, from, to }: Transfer,
  now: number,
): Transferred {
  const asked =
    names.length > 0 ? names : [...queues].filter(([, { owner }]) => owner === from).map(([name]) => name);
  const next = new Map(queues);
  const moved: string[] = [];
  const already: string[] = [];
  const unknown: string[] = [];
  const others = new Map<string, string>();
  for (const name of asked) {
    const entry = queues.get(name);
    if (!entry) unknown.push(name);
    else if (entry.owner === to) already.push(name);
    else if (from !== undefined && entry.owner !== from) others.set(name, entry.owner);
    else {
      const { function: _, removedAt: __, ...rest } = entry;
      next.set(name, { ...rest, owner: to, at: toIso(now) });
      moved.push(name);
    }
  }
  return { next: moved.length > 0 ? next : undefined, moved, already, unknown, others };
}
