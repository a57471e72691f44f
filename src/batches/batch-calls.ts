import { BRAND } from '../record/outcomes/brand.js';
import { withinAttempt } from '../support/attempt-scope.js';
import type { BatchContext, Collect, Member, ProcessBatch } from './batch.js';
import { giveOutcomes } from './outcomes.js';

/** Time in which no batch is halved after two records that were tried alone have failed: the cause is not one record. */
const REST_MS = 60_000;
/** Records that are found to break one batch. More say that its destination has failed meanwhile. */
const MAX_CULPRITS = 10;
/** Characters of an error's name in a line of the log. */
const MAX_NAME_CHARACTERS = 100;
/** Typed outcomes that are meant for all records of a call that throws them. */
const FOR_ALL: readonly unknown[] = ['done', 'retryAfter', 'snooze', 'pending'];
/** Time in which the signals of a batch are aborted, one after the other. */
const ABORT_MS = 100;

/** The value that a call has thrown. */
interface Thrown {
  readonly error: unknown;
}

/** Calls the user's function with batches of records, and finds the records that make a call fail as a whole. */
export class BatchCalls {
  /** Times until which the batches of a name are not halved. */
  private readonly rests = new Map<string, number>();

  constructor(
    private readonly processBatch: ProcessBatch,
    private readonly deps: Pick<Collect, 'now' | 'random' | 'maxWaitMs'> & Required<Pick<Collect, 'sleep'>>,
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
    const { now = Date.now } = this.deps;
    const batch = new OneBatch(this.processBatch, ending.signal, this.deps);
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
  return kindOf(reason) === 'cancel' || nameOf(reason) === 'NotHeld';
}

/** One batch: its call, and those that look for the records that break it. */
class OneBatch {
  private readonly culprits: string[] = [];

  constructor(
    private readonly processBatch: ProcessBatch,
    private readonly signal: AbortSignal,
    private readonly deps: ConstructorParameters<typeof BatchCalls>[1],
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
      if (this.signal.aborted || this.culprits.length > MAX_CULPRITS) this.fail(half, thrown);
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
    const { random = Math.random } = this.deps;
    const drawn = members.map((member) => ({ member, draw: random() }));
    const [one, other, ...others] = drawn
      .toSorted((a, b) => a.member.record.attempts - b.member.record.attempts || a.draw - b.draw)
      .map(({ member }) => member) as [Member, Member, ...Member[]];
    return [[one, other], others];
  }

  /** Calls the function, and gives the members the outcomes that it returns; or returns what it has thrown. */
  private async call(members: readonly Member[]): Promise<Thrown | undefined> {
    // Cancelled meanwhile.
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

/** The failure that a call of several records has thrown. A record is dead or cancelled by a call of its own alone. */
function asFailure(thrown: unknown): unknown {
  const kind = kindOf(thrown);
  if (kind !== 'dead' && kind !== 'cancel') return thrown;
  const { cause, message } = thrown as Error;
  if (cause instanceof Error && kindOf(cause) === undefined) return cause;
  return Object.assign(new Error(message, { cause: thrown }), { name: nameOf(thrown) });
}

/** The kind of a typed outcome; undefined: it is none, or throws when it is read. */
function kindOf(thrown: unknown): unknown {
  try {
    return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, BRAND) : undefined;
  } catch {
    return undefined;
  }
}

function nameOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.name).slice(0, MAX_NAME_CHARACTERS) : typeof thrown;
  } catch {
    return typeof thrown;
  }
}
