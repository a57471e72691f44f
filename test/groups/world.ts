import type { FinishDeps } from '../../src/groups/finish.js';
import { RecordGroups } from '../../src/groups/index.js';
import { memberChanges } from '../../src/groups/member-changes.js';
import { noteStates } from '../../src/groups/note-states.js';
import { type BacklogRecord, type Item, parseRecord } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';

/** The time at which the tests begin. */
export const START = Date.UTC(2026, 0, 5, 12);

/** A backlog in memory with its groups: tests end its records, and bring what has changed to the function that counts. */
export class GroupWorld {
  now = START;
  readonly slept: number[] = [];
  readonly clock = {
    now: () => this.now,
    wall: () => this.now,
    sleep: async (ms: number) => {
      this.slept.push(ms);
      this.now += ms;
    },
  };
  readonly random = seededRandom(7);
  readonly store = new MemoryStore({ clock: this.clock });
  readonly lines: [string, string, unknown][] = [];
  readonly groups = new RecordGroups({
    table: 'records',
    controlTable: 'control',
    store: this.store,
    clock: this.clock,
    random: this.random,
  });
  readonly deps: FinishDeps = {
    groups: this.store.groups,
    records: this.store.records,
    clock: this.clock,
    random: this.random,
    indexesAtOnce: () => false,
    logger: {
      debug: (text, extra) => this.lines.push(['debug', text, extra]),
      info: (text, extra) => this.lines.push(['info', text, extra]),
      warn: (text, extra) => this.lines.push(['warn', text, extra]),
      error: (text, extra) => this.lines.push(['error', text, extra]),
    },
  };
  private seen = new Map<string, Item>();

  item(id: string): Item {
    const item = this.store.item(id);
    if (!item) throw new Error(`there is no record ${id}`);
    return item;
  }

  payloadOf(id: string): unknown {
    return this.item(id).payload;
  }

  /** Changes attributes of a record as any process may. */
  set(id: string, attributes: Item): void {
    this.store.put({ ...this.item(id), ...attributes });
  }

  succeed(...ids: readonly string[]): void {
    for (const id of ids) this.set(id, { status: 'SUCCESS' });
  }

  die(id: string, deadReason = 'maxAttempts'): void {
    this.set(id, { status: 'DEAD', deadReason });
  }

  /** The changes since the last look, as the table's stream has them. */
  changes() {
    const before = this.seen;
    this.seen = new Map(this.store.items().map((item) => [String(item.id), item]));
    const ids = new Set([...before.keys(), ...this.seen.keys()]);
    const changed = [...ids].filter((id) => before.get(id) !== this.seen.get(id));
    return changed.flatMap((id) =>
      memberChanges({ before: this.read(before.get(id)), after: this.read(this.seen.get(id)) }),
    );
  }

  /** Brings the changes since the last look to the function that counts. */
  async count(): Promise<void> {
    await noteStates(this.changes(), this.deps);
  }

  private read(item: Item | undefined): BacklogRecord | undefined {
    return item && parseRecord(item, this.now);
  }
}

/** Records `first` to `last` of a numbered series. */
export function records(count: number, prefix = 'r') {
  return Array.from({ length: count }, (_, i) => ({ id: `${prefix}${i}`, payload: { i }, queue: 'rows' }));
}

export const onComplete = { queue: 'mail', payload: { to: 'sales' } };
