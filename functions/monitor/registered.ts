import { type MonitoredQueue, monitoredQueue } from '../../src/monitor/index.js';
import { removedQueues, removedSince, tidied } from '../../src/registry/removed.js';
import type { BacklogStore, QueueOwner, Registry } from '../../src/store/index.js';
import { randomToken, systemRandom } from '../../src/support/random.js';
import type { MonitorSettings } from './settings.js';

type RegistryStore = Pick<BacklogStore, 'registry'>;

/** A queue that no function serves any more. */
export interface RemovedQueue {
  /** Its last owner. */
  readonly owner: string;
  /** The time since which no function serves it, ISO-8601. */
  readonly since: string;
}

/** The queues that the monitor reads: those of its settings, and those of other owners. */
export interface RegisteredQueues {
  readonly queues: readonly MonitoredQueue[];
  readonly removed: ReadonlyMap<string, RemovedQueue>;
  /** Notes removed queues in the registry, and leaves empty ones out after a week. `isEmpty`: no record waits in the queue. */
  readonly tidy: (isEmpty: (queue: string) => boolean) => Promise<void>;
}

/** @throws StoreError */
export async function registeredQueues(
  settings: MonitorSettings,
  store: RegistryStore,
  now: number,
): Promise<RegisteredQueues> {
  const { owner } = settings;
  const own = monitoredQueues(settings);
  if (owner === undefined) return { queues: own, removed: new Map(), tidy: async () => {} };
  const registry: Registry = await store.registry.read();
  const removed = removedQueues(registry, { owner, queues: new Set(own.map(({ name }) => name)) }, now);
  const others = [...registry.queues].filter(
    ([name, entry]) => entry.owner !== owner || !Object.hasOwn(settings.queues, name),
  );
  const theirs = others.map(([name, entry]) => monitoredQueue(name, entry, settings.functionTimeoutSeconds));
  const sinceOf = (entry: QueueOwner) => ({
    owner: entry.owner,
    since: removedSince(entry, now) ?? entry.at,
  });
  return {
    queues: [...new Map([...own, ...theirs].map((queue) => [queue.name, queue])).values()],
    removed: new Map([...removed].map(([name, entry]) => [name, sinceOf(entry)])),
    async tidy(isEmpty) {
      const queues = tidied(registry, removed, isEmpty, now);
      // If another function has written meanwhile, the next reading does it.
      if (queues)
        await store.registry.write({ ...registry, rev: randomToken(systemRandom), queues }, registry.rev);
    },
  };
}

/** The queues of the monitor's own settings. */
export function monitoredQueues({ queues, functionTimeoutSeconds }: MonitorSettings): MonitoredQueue[] {
  return Object.entries(queues).map(([name, queue]) => monitoredQueue(name, queue, functionTimeoutSeconds));
}
