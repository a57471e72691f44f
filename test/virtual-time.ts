import type { Clock } from '../src/clock.js';

/**
 * A clock that only moves when told to. Whatever waits in the world waits here, so this class owns the order in which
 * things happen: by time, and by chance among those of the same millisecond.
 */
export class VirtualTime {
  private readonly queue: { at: number; order: number; action: () => void }[] = [];
  private order = 0;

  constructor(public now: number) {}

  after(milliseconds: number, action: () => void): void {
    const event = { at: this.now + Math.max(0, milliseconds), order: this.order++, action };
    let low = 0;
    let high = this.queue.length;
    // Latest first, so that the next event is popped from the end.
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.queue[middle];
      if (other && (other.at > event.at || (other.at === event.at && other.order > event.order)))
        low = middle + 1;
      else high = middle;
    }
    this.queue.splice(low, 0, event);
  }

  /** Lets everything happen up to a time. */
  async runUntil(time: number): Promise<void> {
    await microtasks();
    for (let next = this.queue.at(-1); next && next.at <= time; next = this.queue.at(-1)) {
      this.queue.pop();
      this.now = next.at;
      next.action();
      await microtasks();
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
    await microtasks();
    while (!settled) {
      const next = this.queue.at(-1);
      if (!next) throw new Error('waits for something that nothing will bring');
      await this.runUntil(next.at);
    }
    return promise;
  }

  /** A clock that stands where this time stands. */
  clock(): Clock {
    return {
      now: () => this.now,
      wall: () => this.now,
      sleep: (milliseconds, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve();
          signal?.addEventListener('abort', () => resolve(), { once: true });
          this.after(milliseconds, resolve);
        }),
    };
  }

  /** Lets everything happen until nothing waits any more, or the time is over. True if all is quiet. */
  async runUntilQuiet(latest: number): Promise<boolean> {
    await microtasks();
    for (let next = this.queue.at(-1); next && next.at <= latest; next = this.queue.at(-1))
      await this.runUntil(next.at);
    return this.queue.length === 0;
  }
}

/** The code under test waits for promises only: when the microtasks are through, it waits for the world. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
