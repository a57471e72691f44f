import type { Random } from '../../src/support/random.js';

/** A process of a simulated world. */
export interface Actor {
  readonly name: string;
  isDead: boolean;
}

/** Interleaves processes: each request waits for its turn, and turns are given in a random order. */
export class Turns {
  private waiting: { readonly actor: Actor; readonly go: () => void }[] = [];
  private running = 0;

  constructor(private readonly random: Random) {}

  /** Waits for a turn of this process. A process that is dead never gets one. */
  next(actor: Actor): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ actor, go: resolve }));
  }

  /** Starts a process, and reports its errors. */
  start(work: () => Promise<void>, onError: (error: unknown) => void): void {
    this.running++;
    work()
      .catch(onError)
      .finally(() => {
        this.running--;
      });
  }

  /** Gives turns until no process waits for one. */
  async run(limit: number): Promise<void> {
    for (let turns = 0; turns < limit; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
      this.waiting = this.waiting.filter(({ actor }) => !actor.isDead);
      const [chosen] = this.waiting.splice(Math.floor(this.random() * this.waiting.length), 1);
      if (!chosen) return;
      chosen.go();
    }
    throw new Error(`${this.running} processes go on after ${limit} turns`);
  }
}
