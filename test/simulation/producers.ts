import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../src/record/index.js';
import type { MemoryStore } from '../../src/store/index.js';
import type { BacklogStore } from '../../src/store/store.js';
import type { Random } from '../../src/support/random.js';
import type { VirtualTime } from '../../src/support/virtual-time.js';
import { otherAttributes } from './overwrites.js';
import { between, chance } from './random.js';
import { WAIT_SECONDS } from './scenario.js';
import type { Bare, Script } from './script.js';
import type { Versions } from './versions.js';
import type { Witness } from './witness.js';

export interface ProducerDeps {
  readonly time: VirtualTime;
  readonly truth: MemoryStore;
  /** The store, whose index sees inserts later. */
  readonly store: BacklogStore;
  readonly witness: Witness;
  readonly versions: Versions;
  /** A new version differs in any attribute; otherwise in the payload. */
  readonly fencesAll: boolean;
  /** Records can be put into the queue `r` as well. */
  readonly hasSecondQueue: boolean;
  /** The dead are found by the sweep alone. */
  readonly mayRaiseDead: boolean;
  /** Adds a write to the table's stream. */
  readonly wrote: (kind: 'INSERT' | 'MODIFY', item: Item) => void;
}

/** The most overwrites of one record, so that it comes to its end. */
const MAX_OVERWRITES = 4;

/** All producers. They write records as the records' scripts say. */
export class Producers {
  /** Records as a producer has put them last. */
  private readonly put = new Map<string, Item>();
  /** All contents with which a record was put: a fence cannot tell a content that comes back from the one that was read. */
  private readonly bare = new Map<string, Set<string>>();
  /** The `rev` that a record had when its producer set it to `NEW`. */
  private readonly renewed = new Map<string, unknown>();
  private moves = 0;
  private readonly overwrites = new Map<string, number>();
  /** Overwrites that are still to come. */
  private toCome = 0;
  constructor(private readonly deps: ProducerDeps) {}

  schedule(script: Script): void {
    const { time } = this.deps;
    const { bare, insertAtMs, overwriteAtMs } = script;
    time.after(insertAtMs, () => (bare ? this.putBare(script, bare, 1) : this.putIndexed(script, 1)));
    if (overwriteAtMs !== undefined) {
      time.after(overwriteAtMs, () => this.writeOver(script));
    }
    if (bare?.renewAtMs !== undefined) time.after(bare.renewAtMs, () => this.renew(script.id));
    if (bare?.moveAtMs !== undefined && this.deps.hasSecondQueue)
      time.after(bare.moveAtMs, () => this.move(script.id));
  }

  /** Overwrites records that are put bare, at any time, in other attributes than the payload, too. */
  scheduleOverwrites(script: Script, random: Random, latestMs: number): void {
    if (!script.bare || !chance(random, 0.5)) return;
    const atMs = script.insertAtMs + between(random, 1, chance(random, 0.5) ? 5_000 : latestMs);
    this.overwriteAfter(atMs, script, random);
  }

  /** An attempt of the record begins: a producer may overwrite the record before its end. */
  sees(script: Script, random: Random): void {
    if (!script.bare || !chance(random, 0.3)) return;
    this.overwriteAfter(between(random, 0, 3_000), script, random);
  }

  get isDone(): boolean {
    return this.toCome === 0;
  }

  /** Its producer has ended the record itself. */
  hasEnded(id: string): boolean {
    const { status } = this.put.get(id) ?? {};
    return status === 'SUCCESS' || status === 'DEAD';
  }

  /** True for a record that was set to `NEW` with the end that its success had given it, and not written since. */
  keepsItsEnd({ id, rev, status }: Item): boolean {
    return status === 'NEW' && rev !== undefined && this.renewed.get(String(id)) === rev;
  }

  private overwriteAfter(milliseconds: number, script: Script, random: Random): void {
    this.toCome++;
    this.deps.time.after(milliseconds, () => {
      this.toCome--;
      this.overwriteOther(script, random);
    });
  }

  private overwriteOther({ id, maxAttempts }: Script, random: Random): void {
    const previous = this.put.get(id);
    const count = this.overwrites.get(id) ?? 0;
    if (!previous || count >= MAX_OVERWRITES) return;
    this.overwrites.set(id, count + 1);
    const { time, hasSecondQueue, witness } = this.deps;
    const hasOwnPolicy = maxAttempts !== undefined;
    const wasWritten = (next: Item) => this.wasWritten(next);
    const deps = { random, now: () => time.now, hasSecondQueue, hasOwnPolicy, wasWritten };
    const item = otherAttributes(previous, deps);
    // Put with a lane, it is due when its due time says.
    const isDelayed = item.lane === undefined && typeof item.availableAt === 'string';
    const availableAt = isDelayed ? Date.parse(String(item.availableAt)) : 0;
    witness.appears(id, Math.max(time.now, availableAt));
    this.write(item);
  }

  private putIndexed(script: Script, version: number): void {
    const { truth, store, time, witness } = this.deps;
    const born = time.now - script.ageMs;
    const availableAt = script.delayMs === undefined ? undefined : time.now + script.delayMs;
    const item = {
      ...this.common(script, version),
      insertedAt: new Date(born).toISOString(),
      lane: 'q',
      dueAt: new Date(availableAt ?? born).toISOString(),
      rev: version === 1 ? `new-${script.id}` : `over-${script.id}`,
    };
    witness.appears(script.id, availableAt ?? time.now);
    this.deps.versions.wrote(script.id);
    witness.isWritten(script.id, this.stored(script.id), item);
    if (version > 1) truth.put(item);
    else void store.records.insert(item);
  }

  private putBare(script: Script, { attributes, isDated }: Bare, version: number): void {
    const { time, witness } = this.deps;
    const insertedAt = isDated ? { insertedAt: new Date(time.now - script.ageMs).toISOString() } : {};
    const item = { ...this.common(script, version), ...insertedAt, ...attributes };
    witness.appears(script.id, time.now + (script.delayMs ?? 0));
    this.write(item);
  }

  private writeOver(script: Script): void {
    const stored = this.stored(script.id);
    // An update of what has no fence of its own: its payload is all that tells.
    const isFresh = stored !== undefined && stored.rev === undefined;
    if (!script.bare) this.putIndexed(script, 2);
    else if (script.bare.isUpdated && isFresh) this.write({ ...stored, payload: { version: 2 } });
    else this.putBare(script, script.bare, 2);
  }

  private renew(id: string): void {
    const stored = this.stored(id);
    const isDone = stored?.status === 'SUCCESS';
    const isDead = stored?.status === 'DEAD' && this.deps.mayRaiseDead;
    if (!stored || (!isDone && !isDead)) return;
    // Its end was set by hand, maybe during an attempt: this would put it back exactly as it was read.
    const isByHand =
      stored.rev !== undefined && stored.lane !== undefined && !String(stored.lane).endsWith('/dead');
    if (isByHand) return;
    const renewed = { ...stored, status: 'NEW' };
    if (this.wasWritten(renewed)) return;
    this.deps.witness.appears(id, this.deps.time.now);
    this.renewed.set(id, stored.rev);
    this.write(renewed);
  }

  private move(id: string): void {
    const stored = this.stored(id);
    if (!stored || stored.status === 'SUCCESS' || stored.status === 'DEAD') return;
    const moved = { ...stored, queue: stored.queue === 'q' ? 'r' : 'q' };
    // If it was moved before during an attempt, this would put it back exactly as it was read.
    const item = stored.rev === undefined ? moved : { ...moved, payload: { moves: ++this.moves } };
    if (!this.wasWritten(item)) this.write(item);
  }

  /** Notes the contents of an item that was written, for `wasWritten`. */
  notes(item: Item): void {
    const id = String(item.id);
    if (item.rev === undefined) this.bare.set(id, (this.bare.get(id) ?? new Set()).add(contentsOf(item)));
  }

  wasWritten(item: Item): boolean {
    return this.bare.get(String(item.id))?.has(contentsOf(item)) === true;
  }

  private common({ id, delayMs, maxAttempts, task, key }: Script, version: number) {
    const { time } = this.deps;
    const own = { type: 'constant', interval: WAIT_SECONDS, jitter: 'none' };
    return {
      id,
      status: 'NEW',
      queue: 'q',
      payload: { version },
      ...(this.deps.fencesAll ? { note: 0 } : {}),
      ...(task === undefined ? {} : { task }),
      ...(key === undefined ? {} : { key }),
      ...(delayMs === undefined ? {} : { availableAt: new Date(time.now + delayMs).toISOString() }),
      ...(maxAttempts === undefined ? {} : { retry: { ...own, maxAttempts } }),
    };
  }

  private write(item: Item): void {
    const { truth, witness, wrote } = this.deps;
    const id = String(item.id);
    const stored = this.stored(id);
    const kind = stored ? 'MODIFY' : 'INSERT';
    if (item.rev === undefined) {
      const isOther = this.deps.fencesAll || !isDeepStrictEqual(item.payload, this.put.get(id)?.payload);
      if (isOther) this.deps.versions.wrote(id);
      this.put.set(id, item);
    }
    this.notes(item);
    witness.isWritten(id, stored, item);
    truth.put(item);
    wrote(kind, item);
  }

  private stored(id: string): Item | undefined {
    return this.deps.truth.item(id);
  }
}

/** An item as it is stored: an attribute that is set to `undefined` is none. */
function contentsOf(item: Item): string {
  const attributes = Object.entries(item).filter(([, value]) => value !== undefined);
  return JSON.stringify(attributes.sort(([one], [other]) => (one < other ? -1 : 1)));
}
