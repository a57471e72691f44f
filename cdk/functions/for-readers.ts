import type { QueueSettings } from '../../functions/settings.js';
import type { Queue } from '../props/queue.js';

/**
 * Queues for functions that look at them and attempt nothing: such a function knows all queues, and its environment is
 * small.
 */
export function forReaders(queues: readonly Queue[]): Queue[] {
  return queues.map((queue) => ({ ...queue, settings: knownOf(queue) }));
}

/** Queues for the monitor: the same with their policies, which it notes for the console. */
export function forMonitor(queues: readonly Queue[]): Queue[] {
  return queues.map((queue) => {
    const { retryMode, shards, retry, ownAlarms } = queue.settings;
    return {
      ...queue,
      settings: {
        retryMode,
        ...(shards === undefined ? {} : { shards }),
        ...(retry ? { retry } : {}),
        ...(ownAlarms ? { ownAlarms } : {}),
      },
    };
  });
}

/** Its retry mode, its shards, and the tiers that are not the default. */
function knownOf({ retryMode, settings: { shards, retry } }: Queue): QueueSettings {
  const tiers = retryMode === 'progressive' && retry?.type === 'progressive' ? retry.tiers : undefined;
  return {
    retryMode,
    ...(shards === undefined ? {} : { shards }),
    ...(tiers === undefined ? {} : { retry: { type: 'progressive', tiers } }),
  };
}
