import { StoreError } from 'dynamo-backlog';
import { type Clock, indexWhenFree, type Random, type SweepStore, sweep } from 'dynamo-backlog/engine';
import type { AttemptLogger } from 'dynamo-backlog/lambda';
import type { Health } from './health.js';
import { errorLine } from './log.js';
import type { WorkedQueue } from './queues.js';

/** The sweep itself rests until the last one is a day old: this costs one read. */
const LOOK_MS = 3_600_000;
/** The time for the part of the table that is read in one go; the next part follows at once. */
const PART_MS = 300_000;
const RETRY_MS = 60_000;

export interface SweepingDeps {
  readonly store: SweepStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: AttemptLogger;
  readonly stop: AbortSignal;
  readonly health: Pick<Health, 'sweepEnds' | 'sweepFails'>;
}

/**
 * Looks through the table once a day for records that wait and are not indexed, and indexes them: where no intake does it.
 * The progress is in the control table, so several workers, and the sweep of a deployment, share it.
 */
export async function sweepDaily(queues: readonly WorkedQueue[], deps: SweepingDeps): Promise<void> {
  const { store, clock, log, stop, health } = deps;
  const settingsOf = new Map(queues.map(({ name, settings }) => [name, settings]));
  const shardsOf = (queue: string) => settingsOf.get(queue)?.shards ?? 1;
  const serves = (queue: string) => settingsOf.has(queue);
  const indexing = { ...deps, logger: log, shardsOf, serves };
  while (!stop.aborted) {
    let restMs = LOOK_MS;
    try {
      const deadline = clock.wall() + PART_MS;
      const counts = { indexed: 0, waiting: 0 };
      const found = async (ids: readonly string[]) => {
        const { indexed, waiting, trouble } = await indexWhenFree(ids, indexing);
        counts.indexed += indexed.length;
        counts.waiting += waiting.length;
        if (trouble) throw trouble.error;
      };
      const { ended } = await sweep({ store, clock, deadline, found });
      health.sweepEnds(ended);
      if (ended !== 'rested') log.info('sweep', { ended, ...counts });
      if (ended === 'unfinished') restMs = 0;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      health.sweepFails(error.message);
      log.error('sweep failed', errorLine(error));
      restMs = RETRY_MS;
    }
    await clock.sleep(restMs, stop);
  }
}
