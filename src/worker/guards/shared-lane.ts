import type { IndexKey } from '../../store/store.js';

/** Records that one run remembers: with their keys, up to 25 MB. Others are read in every pass. */
const MAX_REMEMBERED = 50_000;
/** Time after which a run looks again at keys that could start no attempt: other runs may have left their slots. */
const LOOK_AGAIN_MS = 60_000;

/** Records that wait for the limits of their keys, with the keys' short names, by their places in the index. */
export type WaitingRecords = Map<string, string>;

/**
 * A lane that several busy keys share, as there are more of them than lanes. It is drained in passes, so that no key waits behind
 * the pile of another one. A pass waits for some seconds, and all that is left of a key then waits for the next pass. Its records are not
 * read again before it is their turn.
 */
export class SharedLane {
  /** Keys whose records wait for the next pass. */
  private readonly over = new Set<string>();
  /** Records of this pass, by key, that were remembered and are read all the same. */
  private readonly readAgain = new Map<string, number>();
  /** Real times before which no attempt of a key starts, of the keys whose records this pass leaves. */
  private startsAt = new Map<string, number>();
  /** The same of the pass before. */
  private before: ReadonlyMap<string, number> = new Map();
  /** Real time of the next look at all keys. */
  private lookAt: number | undefined;
  /** Records that this pass leaves. */
  left = 0;
  /** Real milliseconds for which this pass has waited. */
  waitedMs = 0;

  constructor(private readonly remembered: WaitingRecords) {}

  /** Tells whether all further records of a key wait for the next pass. */
  isOver(key: string): boolean {
    return this.over.has(key);
  }

  /**
   * Leaves a record to the next pass, and with it all further ones of its key.
   *
   * @param startsAt real time before which no attempt of the key starts
   */
  leave(
    { id, dueAt = '' }: { readonly id: string; readonly dueAt?: string | undefined },
    key: string,
    startsAt: number,
  ): void {
    this.startsAt.set(key, startsAt);
    this.over.add(key);
    this.left++;
    if (this.remembered.size < MAX_REMEMBERED) this.remembered.set(placeOf({ id, dueAt }), key);
  }

  /**
   * The records of a page of the index that are to be read.
   *
   * @param until real time at which the wait of a page is over
   * @param most the records of a key that may start by then
   */
  toRead(page: readonly IndexKey[], until: number, most: number): readonly IndexKey[] {
    const isRead = (one: IndexKey) => {
      const key = this.remembered.get(placeOf(one));
      if (key === undefined) return true;
      const count = this.readAgain.get(key) ?? 0;
      const startsAt = this.before.get(key) ?? 0;
      if (count >= most || startsAt > until || this.over.has(key)) {
        if (!this.startsAt.has(key)) this.startsAt.set(key, startsAt);
        return false;
      }
      this.readAgain.set(key, count + 1);
      // One that is not attempted after all must not take the turn of the others in each pass.
      this.remembered.delete(placeOf(one));
      return true;
    };
    const read = page.filter(isRead);
    this.left += page.length - read.length;
    return read;
  }

  /** Real time at which another pass may start an attempt. Infinite: it would start none. */
  get nextAt(): number {
    return Math.min(...this.startsAt.values());
  }

  /** @param now real time */
  beginPass(now = 0): void {
    this.lookAt ??= now + LOOK_AGAIN_MS;
    const isLook = now >= this.lookAt;
    if (isLook) this.lookAt = now + LOOK_AGAIN_MS;
    this.before = isLook ? new Map() : this.startsAt;
    this.startsAt = new Map();
    this.over.clear();
    this.readAgain.clear();
    this.left = 0;
    this.waitedMs = 0;
  }
}

function placeOf({ id, dueAt }: IndexKey): string {
  return `${dueAt} ${id}`;
}
