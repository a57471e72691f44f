import type { Clock } from './clock.js';

interface Event {
  readonly at: number;
  readonly order: number;
  readonly action: () => void;
  cancelled: boolean;
}

/**
 * A clock that moves only when asked to. Whatever waits in the simulation waits here, so this class decides the order
 * in which things happen: by time, and among those of the same millisecond in the order of their calls.
 */
export class VirtualTime {
  /** A binary heap: the next event first. */
  private heap: Event[] = [];
  private order = 0;
  private cancelled = 0;

  /** @param settled settles when the code under test waits for this time and for nothing else */
  constructor(
    /** The time, epoch milliseconds. */
    public now: number,
    private readonly settled: () => Promise<void> = microtasks,
  ) {}

  /** Lets something happen later. Returns what calls it off. */
  after(milliseconds: number, action: () => void): () => void {
    const event = { at: this.now + Math.max(0, milliseconds), order: this.order++, action, cancelled: false };
    this.heap.push(event);
    this.rise(this.heap.length - 1);
    return () => this.cancel(event);
  }

  /** Lets everything happen up to a time. */
  async runUntil(time: number): Promise<void> {
    await this.settled();
    for (let next = this.next(); next && next.at <= time; next = this.next()) {
      this.takeNext();
      this.now = next.at;
      next.cancelled = true;
      next.action();
      await this.settled();
    }
    this.now = Math.max(this.now, time);
  }

  /** Lets things happen, and time pass, until a promise is settled. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const note = () => {
      settled = true;
    };
    promise.then(note, note);
    await this.settled();
    while (!settled) {
      const next = this.next();
      if (!next) throw new Error('waits for something that nothing will bring');
      await this.runUntil(next.at);
    }
    return promise;
  }

  /** A clock that shows this time. */
  clock(): Clock {
    return {
      now: () => this.now,
      wall: () => this.now,
      sleep: (milliseconds, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve();
          const wake = () => {
            cancel();
            signal?.removeEventListener('abort', wake);
            resolve();
          };
          const cancel = this.after(milliseconds, wake);
          signal?.addEventListener('abort', wake, { once: true });
        }),
    };
  }

  /** Lets everything happen until nothing waits any more, or the time is over. True if all is quiet. */
  async runUntilQuiet(latest: number): Promise<boolean> {
    await this.settled();
    for (let next = this.next(); next && next.at <= latest; next = this.next()) await this.runUntil(next.at);
    return this.next() === undefined;
  }

  /** The time of the next event; undefined: nothing waits. */
  get nextAt(): number | undefined {
    return this.next()?.at;
  }

  private next(): Event | undefined {
    while (this.heap[0]?.cancelled) {
      this.takeNext();
      this.cancelled--;
    }
    return this.heap[0];
  }

  private takeNext(): void {
    const last = this.heap.pop();
    if (!last || this.heap.length === 0) return;
    this.heap[0] = last;
    this.sink(0);
  }

  /** Cancels an event. Most waits are limits that are never reached: cancelled ones are removed when they are the majority. */
  private cancel(event: Event): void {
    if (event.cancelled) return;
    event.cancelled = true;
    this.cancelled++;
    if (this.cancelled < 1000 || this.cancelled < this.heap.length / 2) return;
    this.heap = this.heap.filter(({ cancelled }) => !cancelled).sort((a, b) => (isBefore(a, b) ? -1 : 1));
    this.cancelled = 0;
  }

  private rise(from: number): void {
    for (let place = from; place > 0; ) {
      const parent = (place - 1) >>> 1;
      if (!this.isBefore(place, parent)) return;
      this.swap(place, parent);
      place = parent;
    }
  }

  private sink(from: number): void {
    for (let place = from; ; ) {
      const left = 2 * place + 1;
      const first = this.isBefore(left + 1, left) ? left + 1 : left;
      if (!this.isBefore(first, place)) return;
      this.swap(place, first);
      place = first;
    }
  }

  private isBefore(one: number, other: number): boolean {
    const [a, b] = [this.heap[one], this.heap[other]];
    return a !== undefined && b !== undefined && isBefore(a, b);
  }

  private swap(one: number, other: number): void {
    const [a, b] = [this.heap[one], this.heap[other]];
    if (!a || !b) return;
    this.heap[one] = b;
    this.heap[other] = a;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** The code under test waits for promises only: when the microtasks are through, it waits for the world. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
