import { FENCED, type Item } from '../../src/record/index.js';
import type { MemoryStore } from '../../src/store/index.js';
import type { Random } from '../../src/support/random.js';
import type { VirtualTime } from '../../src/support/virtual-time.js';
import type { ProducerDeps } from './producers.js';
import { between, chance, pick } from './random.js';
import type { Script } from './script.js';

export interface EditsDeps extends Pick<ProducerDeps, 'witness' | 'versions' | 'wrote'> {
  readonly time: VirtualTime;
  readonly truth: MemoryStore;
  readonly random: Random;
  /** Records can be put into the queue `r` as well. */
  readonly hasSecondQueue: boolean;
  /** A producer has put the same item before. */
  readonly wasWritten: (item: Item) => boolean;
  /** Records that are not indexed are found. */
  readonly hasArrivals: boolean;
}

/** The most changes of one record, so that it comes to its end. */
const MAX_EDITS = 4;

const ATTRIBUTES = [
  'payload',
  'payload',
  'payload',
  'task',
  'queue',
  'retry',
  'dueAt',
  'failures',
  'insertedAt',
  'availableAt',
  'traceparent',
  'status',
] as const;

/** Ways to overwrite a record. Some keep `rev` and what the library has written, some do not. */
const KINDS = ['update', 'update', 'readAndPut', 'put', 'deleteAndInsert'] as const;

/**
 * A producer or operator that changes records of every kind at any moment. It does so by an UpdateItem that leaves `rev`, by a
 * PutItem of what was read a moment ago, and by one that drops `rev`. It also deletes a record and inserts its id again.
 */
export class Edits {
  private readonly counts = new Map<string, number>();
  private readonly ended = new Set<string>();
  /** Contents of each record at its changes. */
  private readonly written = new Map<string, Set<string>>();
  private toCome = 0;
  private edits = 0;

  constructor(private readonly deps: EditsDeps) {}

  schedule(script: Script, latestMs: number): void {
    if (chance(this.deps.random, 0.6))
      this.editAfter(script.insertAtMs + between(this.deps.random, 1, latestMs), script);
  }

  /** An attempt of the record begins: it is changed before its end. */
  sees(script: Script): void {
    const { random } = this.deps;
    if (chance(random, 0.3)) this.editAfter(between(random, 0, 3_000), script);
  }

  get isDone(): boolean {
    return this.toCome === 0;
  }

  /** A person has ended the record. */
  hasEnded(id: string): boolean {
    return this.ended.has(id);
  }

  private editAfter(milliseconds: number, script: Script): void {
    this.after(milliseconds, () => this.edit(script));
  }

  private after(milliseconds: number, act: () => void): void {
    this.toCome++;
    this.deps.time.after(milliseconds, () => {
      this.toCome--;
      act();
    });
  }

  private edit(script: Script): void {
    const { random } = this.deps;
    const { id } = script;
    const stored = this.stored(id);
    const count = this.counts.get(id) ?? 0;
    if (!stored || count >= MAX_EDITS) return;
    this.counts.set(id, count + 1);
    const kind = pick(random, KINDS);
    switch (kind) {
      case 'update':
        this.write(this.changed(stored, script));
        return;
      case 'readAndPut':
        this.after(between(random, 1, 2_000), () => {
          if (this.stored(id)) this.putAgain(this.changed(stored, script));
        });
        return;
      case 'put':
        this.putAgain(this.asPut(stored, script));
        return;
      case 'deleteAndInsert':
        this.deps.truth.delete(id);
        this.deps.versions.wrote(id);
        this.deps.witness.isWritten(id, stored, undefined);
        this.after(between(random, 0, 5_000), () => {
          const { rev: _, ...item } = this.asPut(stored, script);
          this.putAgain(chance(random, 0.5) && item.lane ? { ...item, rev: `again-${++this.edits}` } : item);
        });
        return;
      default:
        throw new Error(`unknown kind ${kind satisfies never}`);
    }
  }

  /** An item as its producer puts it for the first time: with a lane, or where the stream brings it, mostly without. */
  private asPut({ id, queue, insertedAt, task, retry }: Item, script: Script): Item {
    const { hasArrivals, random, time } = this.deps;
    const isBare = hasArrivals && script.bare !== undefined && !chance(random, 0.2);
    const now = new Date(time.now).toISOString();
    const own = { ...(task === undefined ? {} : { task }), ...(retry === undefined ? {} : { retry }) };
    const born = typeof insertedAt === 'string' && chance(random, 0.5) ? insertedAt : now;
    const item = { id, status: 'NEW', queue, ...own, payload: { edit: ++this.edits } };
    return isBare ? item : { ...item, insertedAt: born, lane: String(queue), dueAt: born };
  }

  private changed(stored: Item, script: Script): Item {
    const { random } = this.deps;
    const next: Record<string, unknown> = { ...stored };
    const several = chance(random, 0.3) ? between(random, 2, 4) : 1;
    for (let i = 0; i < several; i++) this.change(pick(random, ATTRIBUTES), next, script);
    return this.neverAsBefore(stored, next);
  }

  /** A record that is put back exactly as it was has not been replaced, for all that a fence can tell. */
  private neverAsBefore(read: Item, next: Item): Item {
    const contents = (item: Item) => JSON.stringify(FENCED.map((name) => item[name]));
    const id = String(next.id);
    const written = this.written.get(id) ?? new Set();
    this.written.set(id, written);
    for (const item of [read, this.stored(id)]) if (item) written.add(contents(item));
    const isOld = written.has(contents(next)) || this.deps.wasWritten(next);
    const other = isOld ? { ...next, payload: { edit: ++this.edits } } : next;
    written.add(contents(other));
    return other;
  }

  private change(
    attribute: (typeof ATTRIBUTES)[number],
    item: Record<string, unknown>,
    script: Script,
  ): void {
    const { hasSecondQueue, random, time } = this.deps;
    const number = ++this.edits;
    const at = (ms: number) => new Date(ms).toISOString();
    const waits = item.status === 'NEW' || item.status === 'ERROR';
    switch (attribute) {
      case 'payload':
        item.payload = { edit: number };
        return;
      case 'task':
        item.task = item.task === 'one' ? 'other' : 'one';
        return;
      case 'queue':
        if (hasSecondQueue && waits) item.queue = item.queue === 'q' ? 'r' : 'q';
        return;
      case 'retry':
        if (script.maxAttempts === undefined)
          item.retry = { type: 'constant', interval: 60, jitter: 'none', maxAttempts: 100 + number };
        return;
      case 'dueAt':
        if (waits && item.lane !== undefined) item.dueAt = at(time.now + between(random, -60_000, 180_000));
        return;
      case 'failures':
        if (waits) item.failures = between(random, 0, 1);
        return;
      case 'insertedAt':
        item.insertedAt = at(time.now - between(random, 0, 60_000));
        return;
      case 'availableAt':
        item.availableAt = at(time.now + between(random, -60_000, 180_000));
        return;
      case 'traceparent':
        item.traceparent = `00-4bf92f3577b34da6a3ce929d0e0e${String(number).padStart(4, '0')}-00f067aa0ba902b7-01`;
        return;
      case 'status':
        if (waits && chance(random, 0.5)) item.status = pick(random, ['NEW', 'ERROR', 'SUCCESS', 'DEAD']);
        return;
      default:
        throw new Error(`unknown attribute ${attribute satisfies never}`);
    }
  }

  /** Nothing that was known of it counts any more. */
  private putAgain(item: Item): void {
    this.deps.witness.appears(String(item.id), Number.NEGATIVE_INFINITY);
    this.write(item);
  }

  private write(item: Item): void {
    const { truth, versions, witness, wrote } = this.deps;
    const id = String(item.id);
    const stored = this.stored(id);
    const isSame = stored !== undefined && JSON.stringify(stored) === JSON.stringify(item);
    if (isSame) return;
    versions.wrote(id);
    if (item.dueAt !== stored?.dueAt || item.availableAt !== stored?.availableAt)
      witness.appears(id, Number.NEGATIVE_INFINITY);
    if (item.status === 'SUCCESS' || item.status === 'DEAD') this.ended.add(id);
    witness.isWritten(id, stored, item);
    truth.put(item);
    wrote(stored ? 'MODIFY' : 'INSERT', item);
  }

  private stored(id: string): Item | undefined {
    return this.deps.truth.item(id);
  }
}
