import { isDeepStrictEqual } from 'node:util';
import type { QueueOwner, Registry } from '../store/store.js';
import { toIso } from '../support/clock.js';
import { isElsewhere } from './regions.js';

/** A function, as it registers itself. */
export interface Claimant {
  /** The name of the owner; by default that of its stack. */
  readonly owner: string;
  /** The function's ARN. Undefined: it is not known, as in a test. */
  readonly function: string | undefined;
  /** Its queues, without what is undefined. */
  readonly queues: Readonly<Record<string, OwnQueue>>;
  /** Its region. The functions of another region are passive by the time at which this one registers. */
  readonly region?: string | undefined;
  /** The primary region that its deployment names. Undefined: it names none. */
  readonly primaryRegion?: string | undefined;
  /** The function takes no queue by itself: an operator hands queues over to it. */
  readonly isStandby: boolean;
  /** It is a process, which registers no queue that has a function. Default: it is a function. */
  readonly isProcess?: boolean | undefined;
}

/** The entry of a function for a queue in the registry. */
export type OwnQueue = Pick<
  QueueOwner,
  'retryMode' | 'shards' | 'fairness' | 'order' | 'retry' | 'onArrival' | 'timeout'
> & {
  /** The queue has no function: processes attempt its records, and each of them says the same. */
  readonly external?: boolean | undefined;
};

export interface Decision {
  /** The registry to write; undefined: there is nothing new. */
  readonly next: Omit<Registry, 'rev'> | undefined;
  /** The queues of the function that are another owner's, with what is registered of each, if anything is. */
  readonly foreign: ReadonlyMap<string, QueueOwner | undefined>;
}

/** An entry is confirmed once a day. */
const CONFIRMED_EVERY_MS = 86_400_000;
/** During a deployment, sandboxes of before are still at work: what was just confirmed is not given up. */
const DEPLOYMENT_MS = 900_000;

/**
 * Decides what a function has to register, and which of its queues it must leave alone.
 *
 * - A queue without an owner, or one that its owner has given up, becomes the function's.
 * - A queue of the same owner stays its own: the function says of it what has changed, and confirms it once a day.
 * - A queue of another owner stays that owner's, until an operator hands it over. If that one's function is in another
 *   region, the queue becomes the function's: it asks only where its own region is the active one.
 * - A queue that was this function's, and is not in its settings any more, is given up.
 *
 * @param now the backlog's time, epoch milliseconds
 */
export function decideOwnership(registry: Registry, claimant: Claimant, now: number): Decision {
  const { queues } = registry;
  const { owner, function: name, isStandby, region, primaryRegion = registry.primaryRegion } = claimant;
  const next = new Map(queues);
  const foreign = new Map<string, QueueOwner | undefined>();
  const at = toIso(now);
  for (const [queue, { external = false, ...settings }] of Object.entries(claimant.queues)) {
    const entry = queues.get(queue);
    const by = external ? processIn(region) : name;
    const isOwn = entry?.owner === owner;
    const isTaken = entry && !entry.removedAt && !isElsewhere(entry.function, region);
    if (!isOwn && (isStandby || isTaken)) foreign.set(queue, entry);
    else if (external || !claimant.isProcess) {
      const said = { ...settings, owner, ...(by === undefined ? {} : { function: by }) };
      const isSaid = isDeepStrictEqual({ ...said, at: entry?.at }, entry);
      if (!isSaid || sinceConfirmed(entry, now) >= CONFIRMED_EVERY_MS) next.set(queue, { ...said, at });
    }
  }
  for (const [queue, entry] of queues) {
    const isOwn = entry.owner === owner && entry.function === name && name !== undefined;
    if (isOwn && !Object.hasOwn(claimant.queues, queue)) next.set(queue, givenUp(entry, now));
  }
  const isNew = [...next].some(([queue, entry]) => queues.get(queue) !== entry);
  const isSame = !isNew && primaryRegion === registry.primaryRegion;
  const written = { queues: next, ...(primaryRegion === undefined ? {} : { primaryRegion }) };
  return { next: isSame ? undefined : written, foreign };
}

/** The name of a process in the place of a function's ARN, with the region where an ARN has it. */
function processIn(region: string | undefined): string {
  return region === undefined ? 'external' : `process:::${region}:external`;
}

/** Tells whether the registry names a process, and no function that could be started. */
export function isProcess(name: string): boolean {
  return name === 'external' || name.startsWith('process:::');
}

/** The entry of a queue that its owner does not serve any more, unless a deployment may be under way. */
export function givenUp(entry: QueueOwner, now: number): QueueOwner {
  return entry.removedAt || sinceConfirmed(entry, now) < DEPLOYMENT_MS
    ? entry
    : { ...entry, removedAt: toIso(now) };
}

/** The most that another clock may be ahead of this one. */
const AHEAD_MS = 3_600_000;

/** Milliseconds since the entry was confirmed. A time that no clock has shown yet is long ago. */
export function sinceConfirmed(entry: Pick<QueueOwner, 'at'> | undefined, now: number): number {
  const since = now - Date.parse(entry?.at ?? '');
  return since >= -AHEAD_MS ? since : Number.POSITIVE_INFINITY;
}
