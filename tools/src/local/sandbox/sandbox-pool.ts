import type { LocalFunction } from '../template/local-app.js';
import type { Invocation, Sandbox } from './sandbox.js';

export interface SandboxPoolOptions {
  /** Sandboxes at once, over all functions. */
  readonly size: number;
  /** Real time that an event waits for a sandbox before it is given up. */
  readonly maxWaitMs: number;
  /** A function that has one sandbox at a time; its events wait for it for as long as it takes. Default: none has. */
  readonly isAlone?: (lambda: LocalFunction) => boolean;
  readonly open: (lambda: LocalFunction) => PooledSandbox;
  /**
   * Returns a function as it is now: another object has other code or settings, undefined is gone. Default: it does not
   * change.
   */
  readonly latest?: (lambda: LocalFunction) => LocalFunction | undefined;
}

/** The parts of a sandbox that the pool needs. */
export type PooledSandbox = Pick<
  Sandbox,
  'functionName' | 'alive' | 'loaded' | 'invoke' | 'setClock' | 'kill' | 'close'
>;

/** An event that found no sandbox in time, or came when the pool was closed. */
export type GivenUp = { readonly type: 'givenUp'; readonly message: string };

interface Waiter {
  readonly lambda: LocalFunction;
  readonly go: (sandbox: PooledSandbox | undefined) => void;
}

/**
 * The sandboxes of all functions: an event gets one that is free, else a new one while there is room, else it waits
 * its turn.
 */
export class SandboxPool {
  readonly #options: SandboxPoolOptions;
  /** Idle sandboxes, the least recently used first. */
  readonly #idle: PooledSandbox[] = [];
  readonly #busy = new Set<PooledSandbox>();
  /** Function that each sandbox runs. */
  readonly #runs = new WeakMap<PooledSandbox, LocalFunction>();
  readonly #waiters: Waiter[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  constructor(options: SandboxPoolOptions) {
    this.#options = options;
  }

  get busy(): number {
    return this.#busy.size;
  }

  /** Opens a sandbox before its first event, as loading takes a moment. Resolves when it is loaded. */
  async warm(lambda: LocalFunction): Promise<void> {
    if (this.#closed || this.#count() >= this.#options.size) return;
    const sandbox = this.#open(lambda);
    this.#idle.push(sandbox);
    await sandbox.loaded;
  }

  /**
   * Closes the idle sandboxes of functions that have changed. One that is at work ends its event first.
   *
   * @returns the functions as they were
   */
  retire(): LocalFunction[] {
    const old = this.#idle.filter((sandbox) => !this.#isCurrent(sandbox));
    for (const sandbox of old) {
      this.#idle.splice(this.#idle.indexOf(sandbox), 1);
      void sandbox.close();
    }
    return old.flatMap((sandbox) => this.#runs.get(sandbox) ?? []);
  }

  /** The functions that are at work. */
  get working(): LocalFunction[] {
    return [...this.#busy].flatMap((sandbox) => this.#runs.get(sandbox) ?? []);
  }

  async invoke(lambda: LocalFunction, event: unknown): Promise<Invocation | GivenUp> {
    const run = this.#invoke(lambda, event);
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
    }
  }

  /**
   * Sets the clock of all functions. Waits, for `withinMs` at most, for those that are at work: an idle one reads this
   * message before its next event.
   */
  async setClock(clock: string, withinMs: number): Promise<void> {
    for (const sandbox of this.#idle) void sandbox.setClock(clock, withinMs);
    await Promise.all([...this.#busy].map((sandbox) => sandbox.setClock(clock, withinMs)));
  }

  /** Takes no more events; those that run may finish in `graceMs`, the rest is killed. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.go(undefined);
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.allSettled(this.#running), grace]);
    clearTimeout(timer);
    const sandboxes = [...this.#idle, ...this.#busy];
    for (const sandbox of this.#busy) sandbox.kill();
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  }

  /** Ends everything at once. */
  kill(): void {
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.go(undefined);
    for (const sandbox of [...this.#idle, ...this.#busy]) sandbox.kill();
  }

  async #invoke(lambda: LocalFunction, event: unknown): Promise<Invocation | GivenUp> {
    const sandbox = this.#acquire(lambda) ?? (await this.#wait(lambda));
    if (!sandbox) {
      const seconds = this.#options.maxWaitMs / 1000;
      const message = this.#closed ? 'the runtime is stopping' : `no sandbox was free for ${seconds} s`;
      return { type: 'givenUp', message };
    }
    try {
      return await sandbox.invoke(event);
    } finally {
      this.#release(sandbox);
    }
  }

  #acquire(lambda: LocalFunction): PooledSandbox | undefined {
    if (this.#closed) return undefined;
    for (let i = this.#idle.length - 1; i >= 0; i--) {
      const sandbox = this.#idle[i];
      if (sandbox && !sandbox.alive) {
        this.#idle.splice(i, 1);
      } else if (sandbox?.functionName === lambda.name) {
        this.#idle.splice(i, 1);
        this.#busy.add(sandbox);
        return sandbox;
      }
    }
    if (this.#options.isAlone?.(lambda) && this.#isAtWork(lambda)) return undefined;
    if (this.#count() >= this.#options.size) {
      const oldest = this.#idle.shift();
      if (!oldest) return undefined;
      void oldest.close();
    }
    const sandbox = this.#open(lambda);
    this.#busy.add(sandbox);
    return sandbox;
  }

  #open(lambda: LocalFunction): PooledSandbox {
    const sandbox = this.#options.open(lambda);
    this.#runs.set(sandbox, lambda);
    return sandbox;
  }

  #isCurrent(sandbox: PooledSandbox): boolean {
    const { latest } = this.#options;
    const lambda = this.#runs.get(sandbox);
    return !latest || !lambda || latest(lambda) === lambda;
  }

  #wait(lambda: LocalFunction): Promise<PooledSandbox | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        lambda,
        go: (sandbox) => {
          clearTimeout(timer);
          resolve(sandbox);
        },
      };
      const giveUp = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        resolve(undefined);
      };
      const isPatient = this.#options.isAlone?.(lambda) === true;
      const timer = isPatient ? undefined : setTimeout(giveUp, this.#options.maxWaitMs);
      this.#waiters.push(waiter);
    });
  }

  #release(sandbox: PooledSandbox): void {
    this.#busy.delete(sandbox);
    if (!this.#isCurrent(sandbox)) void sandbox.close();
    else if (sandbox.alive) this.#idle.push(sandbox);
    for (const [i, next] of this.#waiters.entries()) {
      // It may have changed while the event waited.
      const free = this.#acquire(this.#options.latest?.(next.lambda) ?? next.lambda);
      // One that waits for the only sandbox of its function keeps no other waiting.
      if (!free) continue;
      this.#waiters.splice(i, 1);
      next.go(free);
      return;
    }
  }

  #isAtWork({ name }: LocalFunction): boolean {
    return [...this.#busy].some(({ functionName }) => functionName === name);
  }

  #count(): number {
    return this.#idle.length + this.#busy.size;
  }
}
