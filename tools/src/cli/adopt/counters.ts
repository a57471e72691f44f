import * as z from 'zod';
import type { Note, Plan } from './plan.js';
import type { Left } from './rules.js';

const SHOWN_IDS = 5;
/** Groups of one reason; a column that is no status has as many values as items. */
const MAX_GROUPS = 20;
const OTHERS = 'others';

const groupSchema = z.object({ count: z.int(), ids: z.array(z.string()) });

export const countersSchema = z.object({
  /** Items looked at. */
  items: z.int(),
  /** Items that were indexed, by lane. */
  indexed: z.record(z.string(), groupSchema),
  /** Items that are done, and were given the status that says so. */
  finished: groupSchema,
  /** Items that were left alone, by reason and by what it is about. */
  left: z.record(z.string(), z.record(z.string(), groupSchema)),
  notes: z.record(z.string(), groupSchema),
  readUnits: z.number(),
  writeUnits: z.number(),
  /** Seconds of work, without interruptions. */
  seconds: z.number(),
});

export type CounterState = z.output<typeof countersSchema>;
type Group = z.output<typeof groupSchema>;

/** Counts what an adoption has done so far. */
export class AdoptionCounters {
  readonly state: CounterState;

  constructor(
    state: CounterState = {
      items: 0,
      indexed: {},
      finished: { count: 0, ids: [] },
      left: {},
      notes: {},
      readUnits: 0,
      writeUnits: 0,
      seconds: 0,
    },
  ) {
    this.state = state;
  }

  get written(): number {
    return Object.values(this.state.indexed).reduce(
      (sum, { count }) => sum + count,
      this.state.finished.count,
    );
  }

  left(id: string, left: Left): void {
    this.state.items++;
    const groups = own(this.state.left, left.reason, () => ({}));
    add(groupOf(groups, 'detail' in left ? left.detail : ''), id);
  }

  wrote(id: string, { lane, notes }: Extract<Plan, { do: 'write' }>): void {
    this.state.items++;
    add(lane === undefined ? this.state.finished : groupOf(this.state.indexed, lane), id);
    for (const note of new Set<Note>(notes)) add(groupOf(this.state.notes, note), id);
  }

  /** Takes over what another one has counted. */
  add({ state: other }: AdoptionCounters): void {
    const { state } = this;
    state.items += other.items;
    merge(state.finished, other.finished);
    for (const [lane, group] of Object.entries(other.indexed)) merge(groupOf(state.indexed, lane), group);
    for (const [note, group] of Object.entries(other.notes)) merge(groupOf(state.notes, note), group);
    for (const [reason, groups] of Object.entries(other.left)) {
      const mine = own(state.left, reason, () => ({}));
      for (const [detail, group] of Object.entries(groups)) merge(groupOf(mine, detail), group);
    }
    state.readUnits += other.readUnits;
    state.writeUnits += other.writeUnits;
  }

  consumed(kind: 'read' | 'write', units: number): void {
    if (kind === 'read') this.state.readUnits += units;
    else this.state.writeUnits += units;
  }
}

function add(group: Group, id: string): void {
  merge(group, { count: 1, ids: [id] });
}

function merge(group: Group, other: Group): void {
  group.count += other.count;
  group.ids.push(...other.ids.slice(0, SHOWN_IDS - group.ids.length));
}

function groupOf(groups: Record<string, Group>, name: string): Group {
  const full = Object.keys(groups).length >= MAX_GROUPS && !Object.hasOwn(groups, name);
  return own(groups, full ? OTHERS : name, () => ({ count: 0, ids: [] }));
}

function own<Value>(values: Record<string, Value>, name: string, empty: () => Value): Value {
  if (!Object.hasOwn(values, name)) values[name] = empty();
  return values[name] as Value;
}
