import type { AttributeMap, Change } from './change.js';

/** Items of one table as they are now. */
export interface Snapshot {
  readonly table: string;
  /** Names of the table's key attributes. */
  readonly keys: readonly string[];
  readonly items: AsyncIterable<AttributeMap>;
}

/** Receives the changes. */
export interface Listener {
  add(change: Change): void;
  /** Tells whether it wants to receive such a change. */
  wants(change: Change): boolean;
}

/** A change that has no time of its own is reported within this time of its write. */
const REPORTED_AFTER_MS = 1_000;
/** A stream that is polled now and then reports a change later. */
const REMEMBERED_MS = 60_000;

/**
 * Finds what a runtime before this one had not delivered, by reading the tables while others write to them. Each item
 * is reported once, as if it had just been put: one that is read may also be among the changes, and two runs would
 * attempt it at the same time.
 */
export class Beginning {
  private readonly held: Change[] = [];
  private report: ((change: Change) => void) | undefined;

  /** Takes a change, at once or when all items have been read. */
  add(change: Change): void {
    if (this.report) this.report(change);
    else this.held.push(change);
  }

  async open(listener: Listener, snapshots: readonly Snapshot[] = []): Promise<void> {
    const keysOf = new Map(snapshots.map(({ table, keys }) => [table, keys]));
    const keyOf = ({ table, before, after }: Change) => {
      const item = after ?? before ?? {};
      return JSON.stringify([table, (keysOf.get(table) ?? []).map((name) => item[name])]);
    };
    const found: Change[] = [];
    for (const { table, items } of snapshots) {
      for await (const after of items) {
        const change = { table, before: undefined, after };
        if (listener.wants(change)) found.push(change);
      }
    }
    const changed = new Set(this.held.map(keyOf));
    const reported = new Set<string>();
    const readAt = Date.now();
    const forgetAt = performance.now() + REMEMBERED_MS;
    for (const change of found) {
      const key = keyOf(change);
      if (changed.has(key)) continue;
      reported.add(key);
      listener.add(change);
    }
    this.report = (change) => {
      if (performance.now() > forgetAt) reported.clear();
      const isFromBefore = (change.at ?? Date.now() - REPORTED_AFTER_MS) <= readAt;
      if (change.before === undefined && isFromBefore && reported.delete(keyOf(change))) return;
      listener.add(change);
    };
    for (const change of this.held.splice(0)) this.report(change);
  }
}
