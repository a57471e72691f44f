import type { Clock } from '../support/clock.js';
import { isOfStore } from './errors.js';

/** The result of a write: `changed` if its condition failed, as the record is another by now. */
export type Settled = 'settled' | 'changed';

/** The change of a record, which is written if the record is still as it was read. */
export interface Settle {
  /** The record's. */
  readonly id: string;
  /** Writes it by a request of its own. */
  readonly alone: () => Promise<Settled>;
}

/**
 * Writes changes of different records by one request, each on its own condition.
 *
 * @returns for each: true if it is written for certain. False: it is to be written alone, which tells why it was not.
 *   Undefined: this store takes no such requests
 */
export type SettleTogether<Change extends Settle> = (
  changes: readonly Change[],
) => Promise<readonly boolean[] | undefined>;

interface Waiting<Change> {
  readonly change: Change;
  readonly resolve: (answer: Settled | PromiseLike<Settled>) => void;
  readonly reject: (error: unknown) => void;
}

/** DynamoDB's limit of statements in one request. */
export const MAX_GROUP = 25;
/** Full groups that are sent before the request before them is answered. */
const MAX_AT_ONCE = 2;
/** The longest wait for the answer to another request. */
const MAX_WAIT_MS = 20;

/**
 * Writes changes that come at the same time by one request. A change that comes while no other is being written is sent
 * at once, alone. Those that come meanwhile are the next group: it is sent when the request before it is answered, when
 * it is full, or after 20 ms. No change waits for an attempt.
 */
export class SettleGroups<Change extends Settle> {
  private waiting: Waiting<Change>[] = [];
  /** Requests, or groups of them, without an answer. */
  private underWay = 0;
  /** The change whose longest wait runs. */
  private timed: Waiting<Change> | undefined;
  private isOff = false;

  constructor(
    private readonly together: SettleTogether<Change>,
    private readonly clock: Pick<Clock, 'sleep'>,
  ) {}

  /** See `RecordStore.settle`. */
  write(change: Change): Promise<Settled> {
    if (this.isOff) return change.alone();
    return new Promise((resolve, reject) => {
      this.waiting.push({ change, resolve, reject });
      this.plan();
    });
  }

  private plan(): void {
    const [first] = this.waiting;
    if (!first) return;
    const isFull = this.waiting.length >= MAX_GROUP && this.underWay < MAX_AT_ONCE;
    if (this.underWay === 0 || isFull) {
      void this.send(this.takeGroup());
    } else if (first !== this.timed) {
      this.timed = first;
      void this.clock.sleep(MAX_WAIT_MS).then(() => {
        if (this.waiting[0] === first) void this.send(this.takeGroup());
      });
    }
  }

  /** Takes those that have waited longest, each record once: DynamoDB refuses a request that names a key twice. */
  private takeGroup(): Waiting<Change>[] {
    const group = new Map<string, Waiting<Change>>();
    const left: Waiting<Change>[] = [];
    for (const one of this.waiting) {
      const { id } = one.change;
      if (group.size < MAX_GROUP && !group.has(id)) group.set(id, one);
      else left.push(one);
    }
    this.waiting = left;
    return [...group.values()];
  }

  /** Sends a group; whatever comes of it, each of its changes has an answer. */
  private async send(group: readonly Waiting<Change>[]): Promise<void> {
    this.underWay++;
    try {
      const isGroup = group.length > 1 && !this.isOff;
      const written = isGroup ? await this.together(group.map(({ change }) => change)) : [];
      this.isOff ||= written === undefined;
      const others = group.filter((one, i) => {
        if (written?.[i]) one.resolve('settled');
        return !written?.[i];
      });
      await Promise.all(others.map((one) => this.writeAlone(one)));
    } catch (error) {
      // A request that is refused for one of its changes does not say for which.
      if (isOfStore(error)) for (const { reject } of group) reject(error);
      else await Promise.all(group.map((one) => this.writeAlone(one)));
    } finally {
      this.underWay--;
      this.plan();
    }
  }

  private async writeAlone({ change, resolve, reject }: Waiting<Change>): Promise<void> {
    await change.alone().then(resolve, reject);
  }
}
