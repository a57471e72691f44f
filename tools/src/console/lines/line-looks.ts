import {
  type BacklogRecord,
  type HeldKeys,
  type LineEntry,
  type LineName,
  type RecordLine,
  RecordLines,
  type RecordLinesOptions,
} from 'dynamo-backlog';
import { isOfStore, systemClock } from 'dynamo-backlog/engine';
import type { ConsoleDeps } from '../deps.js';

/** A line as a look has found it. Undefined: the record is in none, or none has this name. */
export type LineLook = { readonly line: RecordLine } | { readonly problem: string } | undefined;

/** The first records that wait behind the head of a line. */
export interface Followers {
  readonly entries: readonly LineEntry[];
  /** More wait. */
  readonly hasMore: boolean;
}

/** Real time for which a look is shown: pages ask every five seconds, and in AWS each look is billed. */
const SHOWN_FOR_MS = 30_000;
const MAX_LOOKS = 100;

/** Looks at the lines of keys. Records without a number cost nothing. */
export class LineLooks {
  /** Undefined: a store of a test, which has none. */
  private readonly lines: RecordLines | undefined;
  private readonly wall: () => number;
  private readonly shownForMs: number;
  private readonly looks = new Map<string, { readonly at: number; readonly look: Promise<LineLook> }>();

  constructor({ backlog, runtime }: Pick<ConsoleDeps, 'backlog' | 'runtime'>) {
    const hasLines = backlog.store === undefined || 'lines' in backlog.store;
    this.lines = hasLines ? new RecordLines(backlog as RecordLinesOptions) : undefined;
    this.wall = () => (backlog.clock ?? systemClock).wall();
    this.shownForMs = runtime ? 0 : SHOWN_FOR_MS;
  }

  /** The line of a record. */
  async of({ queue, key, seq }: BacklogRecord): Promise<LineLook> {
    return key === undefined || seq === undefined ? undefined : this.look({ queue, key });
  }

  /**
   * The line of a key. One that was looked at a moment ago is shown as it was.
   *
   * @throws ConfigurationError for what is no queue or key
   */
  async look(name: LineName): Promise<LineLook> {
    const { lines, looks } = this;
    if (lines === undefined) return undefined;
    const id = JSON.stringify([name.queue, name.key]);
    const known = looks.get(id);
    if (known && this.wall() - known.at < this.shownForMs) return known.look;
    const look = lines.get(name).then(
      (line): LineLook => line && { line },
      (error: unknown): LineLook => {
        if (!isOfStore(error)) throw error;
        return { problem: error.message };
      },
    );
    looks.delete(id);
    looks.set(id, { at: this.wall(), look });
    for (const oldest of looks.keys()) {
      if (looks.size <= MAX_LOOKS) break;
      looks.delete(oldest);
    }
    return look;
  }

  /** Makes the next pages read again, as after an action. */
  forget(): void {
    this.looks.clear();
  }

  /** The keys of a queue that are held. @throws ConfigurationError for what is no queue, StoreError */
  async held(queue: string): Promise<HeldKeys> {
    return this.lines ? this.lines.held(queue) : { keys: [], hasMore: false };
  }

  /** The first records that wait in a line. @throws ConfigurationError for what is no queue or key, StoreError */
  async followers(name: LineName, most: number): Promise<Followers> {
    const entries: LineEntry[] = [];
    for await (const entry of this.lines?.waiting(name) ?? []) {
      if (entries.length === most) return { entries, hasMore: true };
      entries.push(entry);
    }
    return { entries, hasMore: false };
  }
}
