import { type Clock, type DynamoDbOperatorStore, isExpired } from 'dynamo-backlog/engine';
import type { Output } from '../output.js';

const LOOK_EVERY_MS = 2_000;

/** Pauses queues in each control table of the restored backlog, each of them once. */
export class HeldQueues {
  /** Held queues by name. True: this command has paused it. False: it was paused already. */
  readonly paused = new Map<string, boolean>();

  constructor(private readonly stores: readonly DynamoDbOperatorStore[]) {}

  readonly hold = async (queues: Iterable<string>): Promise<void> => {
    for (const queue of queues) {
      if (this.paused.has(queue)) continue;
      const changed = await Promise.all(this.stores.map((store) => store.queues.setPaused(queue, true)));
      this.paused.set(queue, changed.includes(true));
    }
  };

  /** Holds the queues that the control tables know. */
  async holdKnown(): Promise<void> {
    for (const store of this.stores) await this.hold((await store.queues.readAll()).keys());
  }

  /** Waits until no run is at work: one that began before the pause goes on to the end of its page, about a minute. */
  async waitForRuns(clock: Clock, signal: AbortSignal, output: Pick<Output, 'message'>): Promise<void> {
    for (let reported = false; !signal.aborted; reported = true) {
      const leases = await Promise.all(this.stores.map((store) => store.leases.readAll()));
      const busy = leases.flatMap((held) =>
        [...held].filter(([, lease]) => lease.ids.length > 0 && !isExpired(lease, clock)),
      );
      if (busy.length === 0) return;
      if (!reported)
        output.message(`waiting for the end of runs at work: ${busy.map(([key]) => key).join(', ')} ...`);
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }
}
