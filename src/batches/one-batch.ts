import { withinAttempt } from '../support/attempt-scope.js';
import type { BatchContext, Member, ProcessBatch } from './batch.js';
import { giveOutcomes } from './outcomes.js';
import { asFailure, kindOf, nameOf } from './thrown.js';

/** Records that are found to break one batch. More say that its destination has failed meanwhile. */
const MAX_CULPRITS = 10;
/** Typed outcomes that are meant for all records of a call that throws them. */
const FOR_ALL: readonly unknown[] = ['done', 'retryAfter', 'snooze', 'pending'];

/** The value that a call has thrown. */
interface Thrown {
  readonly error: unknown;
}

/** One batch: its call, and those that look for the records that break it. */
export class OneBatch {
  private readonly culprits: string[] = [];

  constructor(
    private readonly processBatch: ProcessBatch,
    private readonly signal: AbortSignal,
    private readonly random: () => number,
  ) {}

  /** @returns true: it fails for a cause that its records share */
  async work(members: readonly Member[], rests: boolean): Promise<boolean> {
    const thrown = await this.call(members);
    if (!thrown) return false;
    if (rests || !this.isOfOneRecord(members, thrown)) {
      this.fail(members, thrown);
      return false;
    }
    const { logger } = (members[0] as Member).context;
    const error = nameOf(thrown.error);
    logger.warn('a batch has failed as a whole, and two of its records are tried alone', {
      records: members.length,
      error,
    });
    const [alone, others] = this.takeTwo(members);
    for (const member of alone) await this.workOff([member]);
    const failed = this.culprits.length;
    if (failed === alone.length) {
      logger.warn('both have failed, too: no batch is halved for a minute', { error });
      this.fail(others, thrown);
      return true;
    }
    // The one that has failed may be all that is wrong with it.
    if (failed > 0) await this.workOff(others);
    else await this.halve(others, thrown);
    const ids = this.culprits.slice(0, MAX_CULPRITS);
    if (ids.length > 0) logger.warn('records that break a batch', { ids, records: members.length });
    return this.culprits.length > MAX_CULPRITS;
  }

  /** Works off some members, in halves where their call throws. */
  private async workOff(members: readonly Member[]): Promise<void> {
    const thrown = await this.call(members);
    if (!thrown) return;
    const isCulprit = members.length === 1 && !this.signal.aborted;
    if (isCulprit) this.culprits.push((members[0] as Member).record.id);
    if (this.isOfOneRecord(members, thrown)) await this.halve(members, thrown);
    else this.fail(members, thrown);
  }

  private async halve(members: readonly Member[], thrown: Thrown): Promise<void> {
    const middle = Math.ceil(members.length / 2);
    for (const half of [members.slice(0, middle), members.slice(middle)]) {
      if (this.culprits.length > MAX_CULPRITS) this.fail(half, thrown);
      else await this.workOff(half);
    }
  }

  /** Tells whether what a call has thrown may be about one of its records. */
  private isOfOneRecord(members: readonly Member[], { error }: Thrown): boolean {
    if (members.length < 2 || this.signal.aborted) return false;
    return !FOR_ALL.includes(kindOf(error));
  }

  /**
   * Two members, and the others. Those of the fewest attempts are the likeliest to succeed; among them chance decides, so that two
   * records that break a batch do not stand for it each time.
   */
  private takeTwo(members: readonly Member[]): [readonly Member[], readonly Member[]] {
    const drawn = members.map((member) => ({ member, draw: this.random() }));
    const [one, other, ...others] = drawn
      .toSorted((a, b) => a.member.record.attempts - b.member.record.attempts || a.draw - b.draw)
      .map(({ member }) => member) as [Member, Member, ...Member[]];
    return [[one, other], others];
  }

  /** Calls the function, and gives the members the outcomes that it returns; or returns what it has thrown. */
  private async call(members: readonly Member[]): Promise<Thrown | undefined> {
    // Their attempts have ended meanwhile.
    const ended = members.filter(({ context }) => context.signal.aborted);
    for (const { context, reject } of ended) reject(context.signal.reason);
    const some = members.filter((member) => !ended.includes(member));
    const [first] = some;
    if (!first) return undefined;
    if (this.signal.aborted) return { error: this.signal.reason };
    const contexts = new Map(some.map(({ record, context }) => [record.id, context]));
    const context: BatchContext = {
      signal: this.signal,
      logger: first.context.logger,
      attemptOf({ id }) {
        const own = contexts.get(id);
        if (own) return own;
        throw new TypeError('attemptOf: expected a record of this batch');
      },
    };
    // Sorted in place, they would get the outcomes of each other.
    const records = Object.freeze(some.map(({ record }) => record));
    const hops = Math.max(...records.map((record) => record.hops ?? 0));
    try {
      const result: unknown = await withinAttempt(hops, async () => this.processBatch(records, context));
      giveOutcomes(some, result);
      return undefined;
    } catch (error) {
      return { error: some.length > 1 ? asFailure(error) : error };
    }
  }

  private fail(members: readonly Member[], { error }: Thrown): void {
    for (const { reject } of members) reject(error);
  }
}
