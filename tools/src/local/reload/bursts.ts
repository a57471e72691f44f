export interface BurstsOptions<Item> {
  /** Called with what was added, and with when it began (`performance.now`), one call after the other. It does not throw. */
  readonly handle: (items: ReadonlySet<Item>, beganAt: number) => Promise<void>;
  /** A burst is over when nothing has been added for so long. */
  readonly quietMs?: number | undefined;
}

/**
 * Editors write a file twice, and the watcher tells no second change within 50 ms. Read after that time, a file is as it
 * was written last.
 */
const QUIET_MS = 60;
/** Longest time until a burst is handled, if items come without end. */
const MAX_MS = 1_000;

/** Gathers what comes within moments: a save, or a checkout of two hundred files, is one burst. */
export class Bursts<Item> {
  readonly #options: BurstsOptions<Item>;
  #items = new Set<Item>();
  #beganAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #handling: Promise<void> | undefined;
  #stopped = false;

  constructor(options: BurstsOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    if (this.#stopped) return;
    if (this.#items.size === 0) this.#beganAt = performance.now();
    this.#items.add(item);
    this.#wait();
  }

  /** Handles nothing more; resolves when the last burst has been handled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#handling;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#handling || this.#stopped || this.#items.size === 0) return;
    const { quietMs = QUIET_MS } = this.#options;
    const leftMs = this.#beganAt + MAX_MS - performance.now();
    this.#timer = setTimeout(() => this.#handle(), Math.max(0, Math.min(quietMs, leftMs)));
  }

  #handle(): void {
    const items = this.#items;
    this.#items = new Set();
    this.#handling = this.#options.handle(items, this.#beganAt).finally(() => {
      this.#handling = undefined;
      this.#wait();
    });
  }
}
