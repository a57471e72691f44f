import { type BacklogRecord, type RecordLine, RecordLines, type RecordLinesOptions } from 'dynamo-backlog';
import { isOfStore, systemClock } from 'dynamo-backlog/engine';
import type { ConsoleDeps } from '../deps.js';

/** A line as a look has found it. Undefined: the record is in none. */
export type LineLook = { readonly line: RecordLine } | { readonly problem: string } | undefined;

/** Real time for which a look is shown: the page of a record asks every five seconds. */
const SHOWN_FOR_MS = 30_000;
const MAX_LOOKS = 100;

/** Looks at the lines of records that have a key and a number. Others cost nothing. */
export class LineLooks {
  private readonly lines: RecordLines | undefined;
  private readonly wall: () => number;
  private readonly looks = new Map<string, { readonly at: number; readonly look: Promise<LineLook> }>();

  constructor({ backlog }: Pick<ConsoleDeps, 'backlog'>) {
    // A store of a test may have no lines.
    const hasLines = backlog.store === undefined || 'lines' in backlog.store;
    this.lines = hasLines ? new RecordLines(backlog as RecordLinesOptions) : undefined;
    this.wall = () => (backlog.clock ?? systemClock).wall();
  }

  /** The line of a record. One that was looked at a moment ago is shown as it was. */
  async of({ queue, key, seq }: BacklogRecord): Promise<LineLook> {
    const { lines, looks } = this;
    if (lines === undefined || key === undefined || seq === undefined) return undefined;
    const name = JSON.stringify([queue, key]);
    const known = looks.get(name);
    if (known && this.wall() - known.at < SHOWN_FOR_MS) return known.look;
    const look = lines.get({ queue, key }).then(
      (line): LineLook => line && { line },
      (error: unknown): LineLook => {
        if (!isOfStore(error)) throw error;
        return { problem: error.message };
      },
    );
    looks.delete(name);
    looks.set(name, { at: this.wall(), look });
    for (const oldest of looks.keys()) {
      if (looks.size <= MAX_LOOKS) break;
      looks.delete(oldest);
    }
    return look;
  }
}
