export interface CounterOptions<Counts> {
  readonly count: (signal: AbortSignal) => Promise<Counts>;
  readonly onCounts: (counts: Counts) => void;
  /** Real time. Default 1,000. */
  readonly everyMs?: number | undefined;
}

/** Counting takes at most this share of the time: the more records there are, the less often they are counted. */
const MAX_SHARE = 0.05;

/** Counts again and again until it is stopped. */
export class Counter<Counts> {
  readonly #options: CounterOptions<Counts>;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #counting: Promise<void> | undefined;

  constructor(options: CounterOptions<Counts>) {
    this.#options = options;
  }

  start(): void {
    void this.countNow();
  }

  /** Counts at once; joins a count that is under way. */
  countNow(): Promise<void> {
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#abort.abort();
    await this.#counting;
    clearTimeout(this.#timer);
  }

  async #count(): Promise<void> {
    const { count, onCounts, everyMs = 1_000 } = this.#options;
    const startedAt = performance.now();
    clearTimeout(this.#timer);
    try {
      onCounts(await count(this.#abort.signal));
    } catch {
      // The next one may succeed; the runs themselves report what is wrong with the table.
    }
    if (this.#abort.signal.aborted) return;
    const tookMs = performance.now() - startedAt;
    this.#timer = setTimeout(() => this.countNow(), Math.max(everyMs, tookMs / MAX_SHARE));
  }
}
