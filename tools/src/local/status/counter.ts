export interface CounterOptions<Counts> {
  readonly count: (signal: AbortSignal) => Promise<Counts>;
  readonly onCounts: (counts: Counts) => void;
  /** Real time. Default 1,000. */
  readonly everyMs?: number | undefined;
}

/** Counting takes at most this share of the time: the more records there are, the less often they are counted. */
const MAX_SHARE = 0.05;
/** Shortest rest between two planned counts. */
const SOON_MS = 50;

/** Counts again and again until it is stopped. */
export class Counter<Counts> {
  readonly #options: CounterOptions<Counts>;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #counting: Promise<void> | undefined;
  /** Time before which no planned count begins, by `performance.now()`. */
  #restUntil = 0;
  #wanted = false;

  constructor(options: CounterOptions<Counts>) {
    this.#options = options;
  }

  /** Something has changed: counts as soon as that takes no more than its share of the time. */
  soon(): void {
    this.#wanted = true;
    if (!this.#counting) this.#plan();
  }

  /** Counts at once, after a count that is under way: that one may have read what has changed since. */
  async countNow(): Promise<void> {
    await this.#counting;
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined;
    });
    await this.#counting;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#abort.abort();
    await this.#counting;
    clearTimeout(this.#timer);
  }

  async #count(): Promise<void> {
    const { count, onCounts } = this.#options;
    const startedAt = performance.now();
    clearTimeout(this.#timer);
    this.#wanted = false;
    try {
      onCounts(await count(this.#abort.signal));
    } catch {
      // The next one may succeed; the runs themselves report what is wrong with the table.
    }
    const now = performance.now();
    this.#restUntil = now + Math.max(SOON_MS, (now - startedAt) / MAX_SHARE);
    this.#plan();
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#abort.signal.aborted) return;
    const { everyMs = 1_000 } = this.#options;
    const restMs = this.#restUntil - performance.now();
    this.#timer = setTimeout(() => this.countNow(), Math.max(this.#wanted ? 0 : everyMs, restMs));
  }
}
