import type { Shard, ShardPage, ShardPosition, StreamedChange } from './table-stream.js';

/** A stream of DynamoDB, or what stands for one in a test. */
export interface StreamSource {
  shards(): Promise<readonly Shard[]>;
  /** Returns an iterator. Undefined: there is nothing behind that position. */
  open(shard: string, position: ShardPosition): Promise<string | undefined>;
  read(iterator: string): Promise<ShardPage>;
}

export interface TableReaderOptions {
  readonly source: StreamSource;
  readonly onChange: (change: StreamedChange) => void;
  /** Called once with what keeps the stream from being read, until it can be read again. */
  readonly onTrouble: (error: Error) => void;
}

interface OpenShard {
  iterator: string;
  /** Position up to which it has been read. */
  position: ShardPosition;
}

/** Time between two looks at what is new. */
const POLL_MS = 150;
/** Time between two looks for new shards. When one has ended, they are looked for at once. */
const DISCOVER_MS = 10_000;
const MAX_PAUSE_MS = 5_000;

/**
 * Reads the stream of a table from now on, shard after shard: a shard whose changes come before those of another one is
 * read to its end first.
 */
export class TableReader {
  private readonly open = new Map<string, OpenShard>();
  private readonly done = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** Time of the next look for shards, by `performance.now()`. */
  private discoverAt = 0;
  private pauseMs = 0;

  constructor(private readonly options: TableReaderOptions) {}

  /** Notes where the stream ends now; what is written from then on is reported. */
  async begin(): Promise<void> {
    const { source } = this.options;
    for (const { id, closed } of await source.shards()) {
      const iterator = closed ? undefined : await source.open(id, 'end');
      if (iterator === undefined) this.done.add(id);
      else this.open.set(id, { iterator, position: 'end' });
    }
    this.discoverAt = performance.now() + DISCOVER_MS;
    this.again(0);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private again(inMs: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.turn(), inMs);
  }

  private async turn(): Promise<void> {
    try {
      for (const [id, shard] of this.open) await this.readOn(id, shard);
      if (performance.now() >= this.discoverAt) await this.discover();
      this.pauseMs = 0;
      this.again(POLL_MS);
    } catch (error) {
      if (this.stopped) return;
      if (this.pauseMs === 0) this.options.onTrouble(error as Error);
      this.pauseMs = Math.min(MAX_PAUSE_MS, Math.max(POLL_MS, 2 * this.pauseMs));
      this.again(this.pauseMs);
    }
  }

  /** Reads a shard as far as there is something. */
  private async readOn(id: string, shard: OpenShard): Promise<void> {
    for (;;) {
      const page = await this.page(id, shard);
      if (this.stopped) return;
      for (const change of page?.changes ?? []) this.options.onChange(change);
      const last = page?.changes.at(-1);
      if (last) shard.position = { after: last.sequenceNumber };
      if (page?.next === undefined) {
        this.open.delete(id);
        this.done.add(id);
        this.discoverAt = 0;
        return;
      }
      shard.iterator = page.next;
      if (page.changes.length === 0) return;
    }
  }

  /** An iterator lives for a quarter of an hour, and a change for a day: a machine may have slept meanwhile. */
  private async page(id: string, shard: OpenShard): Promise<ShardPage | undefined> {
    const { source } = this.options;
    try {
      return await source.read(shard.iterator);
    } catch (error) {
      const { name } = error as Error;
      if (name !== 'ExpiredIteratorException' && name !== 'TrimmedDataAccessException') throw error;
      const isTrimmed = name === 'TrimmedDataAccessException' || shard.position === 'end';
      const iterator = await source.open(id, isTrimmed ? 'start' : shard.position);
      if (iterator === undefined) return undefined;
      shard.iterator = iterator;
      return { changes: [], next: iterator };
    }
  }

  private async discover(): Promise<void> {
    const { source } = this.options;
    const shards = await source.shards();
    const listed = new Set(shards.map(({ id }) => id));
    for (const id of this.done) if (!listed.has(id)) this.done.delete(id);
    for (const { id, parent } of shards) {
      if (this.open.has(id) || this.done.has(id)) continue;
      // Its parent comes first; one that is not listed any more has been forgotten.
      if (parent !== undefined && listed.has(parent) && !this.done.has(parent)) continue;
      const iterator = await source.open(id, 'start');
      if (iterator === undefined) this.done.add(id);
      else this.open.set(id, { iterator, position: 'start' });
    }
    this.discoverAt = performance.now() + DISCOVER_MS;
  }
}
