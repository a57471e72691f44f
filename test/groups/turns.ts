import type { Random } from '../../src/support/random.js';

/** Thrown in a process that was killed: no line of it runs any more. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

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

  /** Starts a process. Errors other than that it was killed end the world. */
  start(work: () => Promise<void>, onError: (error: unknown) => void): void {
    this.running++;
    work()
      .catch((error: unknown) => {
        if (!(error instanceof Killed)) onError(error);
      })
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
