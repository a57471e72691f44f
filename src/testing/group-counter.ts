import { memberChanges, type RecordVersions } from '../groups/member-changes.js';
import { MEMBER_ATTRIBUTE } from '../groups/names.js';
import { noteStates } from '../groups/note-states.js';
import { type Item, parseRecord } from '../record/index.js';
import type { MemoryStore } from '../store/memory/store.js';
import type { AttemptLogger } from '../support/logger.js';
import type { Random } from '../support/random.js';
import type { VirtualTime } from '../support/virtual-time.js';

export interface GroupCounterDeps {
  readonly time: VirtualTime;
  readonly store: MemoryStore;
  readonly random: Random;
  readonly logger: AttemptLogger;
  /** Called with errors that no test must overlook. */
  readonly onTrouble: (error: unknown) => void;
}

/** The function that counts the ends of members of groups, behind the table's stream. */
export class GroupCounter {
  private waiting: RecordVersions[] = [];

  constructor(private readonly deps: GroupCounterDeps) {}

  /** Notes a change of the table. The stream brings it at once, before any time passes. */
  changed(before: Item | undefined, after: Item | undefined): void {
    if (before?.[MEMBER_ATTRIBUTE] === undefined && after?.[MEMBER_ATTRIBUTE] === undefined) return;
    const { time } = this.deps;
    const read = (item: Item | undefined) => item && parseRecord(item, time.now);
    this.waiting.push({ before: read(before), after: read(after) });
    if (this.waiting.length === 1) time.after(0, () => this.count());
  }

  private count(): void {
    const { time, store, random, logger, onTrouble } = this.deps;
    const changes = this.waiting.splice(0).flatMap(memberChanges);
    const { groups, records } = store;
    const deps = { groups, records, clock: time.clock(), random, logger, indexesAtOnce: () => false };
    noteStates(changes, deps).catch(onTrouble);
  }
}
