import type { VirtualTime } from '../../src/lab/virtual-time.js';
import type { Item } from '../../src/record/index.js';
import type { MemoryStore } from '../../src/store/index.js';
import type { BacklogStore } from '../../src/store/store.js';
import { WAIT_SECONDS } from './scenario.js';
import type { Bare, Script } from './script.js';
import type { Witness } from './witness.js';

export interface ProducerParts {
  readonly time: VirtualTime;
  readonly truth: MemoryStore;
  /** Where inserts are seen by the index later. */
  readonly store: BacklogStore;
  readonly witness: Witness;
  /** Records can be put into the queue `r` as well. */
  readonly hasSecondQueue: boolean;
  /** The dead are found by the sweep alone. */
  readonly mayRaiseDead: boolean;
  /** What the table's stream is told. */
  readonly wrote: (kind: 'INSERT' | 'MODIFY', item: Item) => void;
}

/** Everybody who writes records, as their scripts have it. */
export class Producers {
  constructor(private readonly parts: ProducerParts) {}

  schedule(script: Script): void {
    const { time } = this.parts;
    const { bare, insertAtMs, overwriteAtMs } = script;
    time.after(insertAtMs, () => (bare ? this.putBare(script, bare, 1) : this.putIndexed(script, 1)));
    if (overwriteAtMs !== undefined) {
      time.after(overwriteAtMs, () => this.writeOver(script));
    }
    if (bare?.renewAtMs !== undefined) time.after(bare.renewAtMs, () => this.renew(script.id));
    if (bare?.moveAtMs !== undefined && this.parts.hasSecondQueue)
      time.after(bare.moveAtMs, () => this.move(script.id));
  }

  private putIndexed(script: Script, version: number): void {
    const { truth, store, time, witness } = this.parts;
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
    if (version > 1) truth.put(item);
    else void store.insert(item);
  }

  private putBare(script: Script, { attributes, isDated }: Bare, version: number): void {
    const { time, witness } = this.parts;
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
    const isDead = stored?.status === 'DEAD' && this.parts.mayRaiseDead;
    if (!stored || (!isDone && !isDead)) return;
    this.parts.witness.appears(id, this.parts.time.now);
    this.write({ ...stored, status: 'NEW' });
  }

  private move(id: string): void {
    const stored = this.stored(id);
    if (!stored || stored.status === 'SUCCESS' || stored.status === 'DEAD') return;
    this.write({ ...stored, queue: stored.queue === 'q' ? 'r' : 'q' });
  }

  private common({ id, delayMs, maxAttempts }: Script, version: number) {
    const { time } = this.parts;
    const own = { type: 'constant', intervalSeconds: WAIT_SECONDS, jitter: 'none' };
    return {
      id,
      status: 'NEW',
      queue: 'q',
      payload: { version },
      ...(delayMs === undefined ? {} : { availableAt: new Date(time.now + delayMs).toISOString() }),
      ...(maxAttempts === undefined ? {} : { retry: { ...own, maxAttempts } }),
    };
  }

  private write(item: Item): void {
    const { truth, wrote } = this.parts;
    const kind = this.stored(String(item.id)) ? 'MODIFY' : 'INSERT';
    truth.put(item);
    wrote(kind, item);
  }

  private stored(id: string): Item | undefined {
    return this.parts.truth.items().find((item) => item.id === id);
  }
}
