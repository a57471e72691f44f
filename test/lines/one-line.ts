import { lineKey, linePageKey } from '../../src/lines/names.js';
import type { OrderRules } from '../../src/lines/rules.js';
import { type LineChange, type Turn, takeTurns } from '../../src/lines/take-turns.js';
import { type BacklogRecord, type Item, isPending, parseRecord } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';

const START = Date.UTC(2026, 0, 1);
const NAME = { queue: 'q', key: 'k' };

/** One line in memory, whose records come and end as a test says. */
export class OneLine {
  now = START;
  rules: OrderRules = { onDeadHead: 'hold', skipGapAfter: 120 };
  readonly clock = { now: () => this.now, wall: () => this.now, sleep: async () => {} };
  readonly store = new MemoryStore({ clock: this.clock });
  /** Ids of records that a run may be attempting. */
  readonly underAttempt = new Set<string>();
  readonly errors: string[] = [];
  /** Called before each request of lines. */
  before: (method: 'read' | 'write' | 'remove', key: string) => Promise<void> | void = () => {};
  checksHead = false;

  put(id: string, seq: number, more: Item = {}): void {
    this.store.put({ id, status: 'NEW', queue: 'q', payload: 0, key: 'k', seq, ...more });
  }

  /** Puts records with these numbers and ids, and takes note of them. */
  come(...seqs: number[]): Promise<Turn> {
    for (const seq of seqs) this.put(`${seq}`, seq);
    return this.take(seqs.map((seq) => this.change(`${seq}`)));
  }

  /** A record ends by its attempt, or by another hand. */
  end(id: string, more: Item = {}, isOwnEnd = true): Promise<Turn> {
    this.put(id, this.record(id)?.seq ?? Number(id), { status: 'SUCCESS', ...more });
    return this.take([{ ...this.change(id), isOwnEnd }]);
  }

  look(id: string): Promise<Turn> {
    return this.take([{ ...this.change(id), isLook: !isPending(this.record(id) as BacklogRecord) }]);
  }

  /** Looks again as long as the line asks for that at once. */
  async lookOn(turn: Turn): Promise<{ turn: Turn; looks: number }> {
    let [last, looks] = [turn, 0];
    for (; last.later?.seconds === 0 && looks < 1_000; looks++) last = await this.look(last.later.id);
    return { turn: last, looks };
  }

  take(changes: readonly LineChange[]): Promise<Turn> {
    const { lines } = this.store;
    const log = { debug() {}, info() {}, warn() {}, error: (text: string) => void this.errors.push(text) };
    return takeTurns(NAME, changes, this.rules, {
      lines: {
        read: async (keys) => {
          await this.before('read', String(keys[0]));
          return lines.read(keys);
        },
        create: (key, attributes) => lines.create(key, attributes),
        write: async (key, attributes, expected) => {
          await this.before('write', key);
          return lines.write(key, attributes, expected);
        },
        remove: async (key, expected) => {
          await this.before('remove', key);
          return lines.remove(key, expected);
        },
        list: (prefix) => lines.list(prefix),
      },
      records: this.store.records,
      ...{ clock: this.clock, random: Math.random, logger: log, checksHead: this.checksHead },
      isUnderAttempt: async (id) => this.underAttempt.has(id),
    });
  }

  /** A change by which a record is as it is now. */
  change(id: string, seq = this.record(id)?.seq ?? 0): LineChange {
    return { id, place: { ...NAME, seq }, record: this.record(id) };
  }

  record(id: string): BacklogRecord | undefined {
    const item = this.store.item(id);
    return item && parseRecord(item, this.now);
  }

  async line(): Promise<Item> {
    return (await this.store.lines.read([lineKey(NAME)])).get(lineKey(NAME)) ?? {};
  }

  async page(number: number): Promise<Item | undefined> {
    const key = linePageKey(NAME, number);
    return (await this.store.lines.read([key])).get(key);
  }

  /** Does something once, before the next request that fits. */
  once(method: 'read' | 'write' | 'remove', key: string, act: () => Promise<unknown> | unknown): void {
    this.before = async (which, name) => {
      if (which !== method || !name.startsWith(key)) return;
      this.before = () => {};
      await act();
    };
  }
}

/** Whole numbers from one to another. */
export function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
