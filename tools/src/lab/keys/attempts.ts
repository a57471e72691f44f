/** A record, and what has become of it. Times are epoch milliseconds. */
export interface Put {
  readonly id: string;
  readonly key: string;
  readonly isQuiet: boolean;
  readonly at: number;
  /** It was indexed before its first attempt. */
  indexedAt?: number;
  firstAttemptAt?: number;
  secondAttemptAt?: number;
  succeededAt?: number;
}

/** All records of a play, and their attempts. */
export class Attempts {
  readonly puts = new Map<string, Put>();
  /** Attempts that were made, retries included. */
  made = 0;
  /** The most attempts of one key that were under way at once. */
  mostOfKey = 0;
  /** Records that have succeeded. */
  succeeded = 0;
  /** Records that wait for their first attempts. */
  readonly waiting = { quiet: 0, noisy: 0 };
  /** First attempts while quiet keys have work: all of them, those of quiet keys, and those that would be theirs if all keys had equal shares. */
  readonly shared = { all: 0, quiet: 0, ideal: 0 };
  /** Attempts under way, by key. */
  private readonly underWay = new Map<string, number>();
  /** Waiting records by key, of quiet and of noisy keys. */
  private readonly keys = { quiet: new Map<string, number>(), noisy: new Map<string, number>() };

  put(put: Put): void {
    const kind = kindOf(put);
    this.puts.set(put.id, put);
    this.waiting[kind]++;
    this.keys[kind].set(put.key, (this.keys[kind].get(put.key) ?? 0) + 1);
  }

  /** @returns the record */
  begins(id: string, now: number): Put {
    const put = this.puts.get(id);
    if (!put) throw new Error(`no record ${id} was put`);
    this.made++;
    const underWay = (this.underWay.get(put.key) ?? 0) + 1;
    this.underWay.set(put.key, underWay);
    this.mostOfKey = Math.max(this.mostOfKey, underWay);
    if (put.firstAttemptAt !== undefined) {
      put.secondAttemptAt ??= now;
      return put;
    }
    put.firstAttemptAt = now;
    this.share(put);
    const kind = kindOf(put);
    this.waiting[kind]--;
    const left = (this.keys[kind].get(put.key) ?? 0) - 1;
    if (left > 0) this.keys[kind].set(put.key, left);
    else this.keys[kind].delete(put.key);
    return put;
  }

  ends({ key }: Put): void {
    this.underWay.set(key, (this.underWay.get(key) ?? 1) - 1);
  }

  /** A record was written by the library, perhaps into the index. */
  written(id: string, isIndexed: boolean, now: number): void {
    const put = this.puts.get(id);
    if (put && isIndexed && put.firstAttemptAt === undefined) put.indexedAt ??= now;
  }

  succeeds(put: Put, now: number): void {
    if (put.succeededAt !== undefined) throw new Error(`the record ${put.id} has succeeded twice`);
    put.succeededAt = now;
    this.succeeded++;
  }

  private share({ isQuiet }: Put): void {
    const { quiet, noisy } = this.keys;
    if (quiet.size === 0) return;
    this.shared.all++;
    if (isQuiet) this.shared.quiet++;
    this.shared.ideal += quiet.size / (quiet.size + noisy.size);
  }
}

function kindOf({ isQuiet }: Put): 'quiet' | 'noisy' {
  return isQuiet ? 'quiet' : 'noisy';
}
