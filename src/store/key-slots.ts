import type { KeySlotsAsk } from './store.js';

/** The slots of one run. */
export interface KeySlots {
  /** Real time, epoch milliseconds. */
  readonly until: number;
  /** Numbers of slots, from 1, by the key's short name. */
  readonly slots: ReadonlyMap<string, number>;
}

/** The slots of a run, and how all runs stand with them. */
export interface GrantedKeySlots extends KeySlots {
  /** All runs that have slots, this one included. Undefined: the run's own stay as they are, and there is no write. */
  readonly runs?: ReadonlyMap<string, KeySlots>;
}

/** The slots that a run has after its request: of each key as many as it wants, up to what the other runs leave. */
export function grantedTo(runs: ReadonlyMap<string, KeySlots>, ask: KeySlotsAsk): GrantedKeySlots {
  const current = new Map([...runs].filter(([, { until }]) => until >= ask.now));
  const own = current.get(ask.run);
  current.delete(ask.run);
  const taken = countByKey(current.values());
  const slots = new Map<string, number>();
  for (const [key, count] of wantedBy(ask, own)) {
    const granted = Math.min(count, ask.most - (taken.get(key) ?? 0));
    if (granted > 0) slots.set(key, granted);
  }
  const granted = { until: Math.max(ask.until, own?.until ?? ask.until), slots };
  if (own ? isSame(own, granted) : slots.size === 0) return granted;
  if (slots.size > 0) current.set(ask.run, granted);
  return { ...granted, runs: current };
}

/** A request that has arrived late was followed by another one, whose answer the run goes by: it takes nothing away. */
function wantedBy({ wanted, until }: KeySlotsAsk, own: KeySlots | undefined): ReadonlyMap<string, number> {
  if (!own || until >= own.until || wanted.size === 0) return wanted;
  const all = new Map(wanted);
  for (const [key, count] of own.slots) all.set(key, Math.max(count, all.get(key) ?? 0));
  return all;
}

function countByKey(runs: Iterable<KeySlots>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { slots } of runs)
    for (const [key, count] of slots) counts.set(key, count + (counts.get(key) ?? 0));
  return counts;
}

function isSame(one: KeySlots, other: KeySlots): boolean {
  if (one.until !== other.until || one.slots.size !== other.slots.size) return false;
  return [...one.slots].every(([key, count]) => other.slots.get(key) === count);
}
