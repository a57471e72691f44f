import { NotHeld } from '../support/errors.js';
import type { BatchSettings, Member, ProcessBatch } from './batch.js';
import { OneBatch } from './one-batch.js';
import { kindOf } from './thrown.js';

/** Time in which no batch is halved after two records that were tried alone have failed: the cause is not one record. */
const REST_MS = 60_000;
/** Time in which the signals of a batch are aborted, one after the other. */
const ABORT_MS = 100;

/** Calls the user's function with batches of records, and finds the records that make a call fail as a whole. */
export class BatchCalls {
  /** Times until which the batches of a name are not halved. */
  private readonly rests = new Map<string, number>();

  constructor(
    private readonly processBatch: ProcessBatch,
    private readonly deps: Pick<BatchSettings, 'now' | 'random' | 'maxWaitMs'> &
      Required<Pick<BatchSettings, 'sleep'>>,
  ) {}

  /**
   * Gives each member its outcome.
   *
   * @param name what `by` calls the batch: the destination of another one may be well
   */
  async work(members: readonly Member[], name: string): Promise<void> {
    const ending = new AbortController();
    const unwatch = members.map(({ context: { signal } }) => {
      const abort = () => {
        // The others go on, if there are any.
        const isLast = members.every(({ context }) => context.signal.aborted);
        if (isLast || !endsAlone(signal.reason)) ending.abort(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      return () => signal.removeEventListener('abort', abort);
    });
    const { now = Date.now, random = Math.random } = this.deps;
    const batch = new OneBatch(this.processBatch, ending.signal, random);
    try {
      const rests = now() < (this.rests.get(name) ?? Number.NEGATIVE_INFINITY);
      const areCommon = await batch.work(
        members.map((member) => this.afterItsSignal(member, ending.signal)),
        rests,
      );
      if (areCommon) this.rest(name, now());
    } finally {
      for (const end of unwatch) end();
    }
  }

  private rest(name: string, now: number): void {
    for (const [other, until] of this.rests) if (until <= now) this.rests.delete(other);
    this.rests.set(name, now + REST_MS);
  }

  /** The member, which gets its outcome after its own signal where that is about to be aborted, too: its attempt was ended. */
  private afterItsSignal(member: Member, batch: AbortSignal): Member {
    const { sleep, maxWaitMs } = this.deps;
    const { signal } = member.context;
    const end = (act: () => void): Promise<void> | undefined => {
      if (batch.aborted && !signal.aborted) return sleep(maxWaitMs + ABORT_MS, signal).then(act);
      act();
      return undefined;
    };
    return {
      ...member,
      resolve(value) {
        const waits = end(() => member.resolve(value));
        // A promise that rejects meanwhile has no other listener.
        if (waits) Promise.resolve(value).catch(() => {});
      },
      reject: (thrown) => void end(() => member.reject(thrown)),
    };
  }
}

/** Tells whether the attempt of one record alone is ended: it was cancelled, or another process has changed the record. */
function endsAlone(reason: unknown): boolean {
  return kindOf(reason) === 'cancel' || reason instanceof NotHeld;
}
