import {
  type Clock,
  type Item,
  isOfOneRecord,
  itemBytes,
  patiently,
  type Random,
  RateLimiter,
  randomToken,
} from 'dynamo-backlog/engine';
import PQueue from 'p-queue';
import type { RawItems } from '../../../../src/store/dynamodb/raw-items.js';
import type { SegmentState } from './checkpoint.js';
import { AdoptionCounters } from './counters.js';
import { type Plan, planAdoption } from './plan.js';
import type { AdoptionRules } from './rules.js';

export interface AdoptionDeps {
  readonly items: RawItems;
  readonly rules: AdoptionRules;
  readonly clock: Clock;
  readonly random: Random;
  /** Progress of each segment, changed as pages are completed. */
  readonly segments: SegmentState[];
  readonly counters: AdoptionCounters;
  readonly dryRun: boolean;
  /** Items that are looked at, and so written, per second at most; default: no limit. */
  readonly itemsPerSecond?: number | undefined;
  /** Ends the work after the pages at hand. */
  readonly signal: AbortSignal;
  /** Called after each page of a segment. */
  readonly onPage: () => Promise<void>;
  /** DynamoDB throttles, or does not answer: the work waits. */
  readonly onTrouble: (message: string) => void;
}

const PAGE_ITEMS = 500;
const WRITES_AT_ONCE = 32;
/** Number of times that an item is read again because another process keeps changing it. */
const MAX_TRIES = 3;

/** Gives the items of a table what they lack, segment by segment. May be repeated, interrupted and resumed at will. */
export class Adoption {
  private readonly writes = new PQueue({ concurrency: WRITES_AT_ONCE });
  private readonly rateLimiter: RateLimiter;
  private readonly failed = new AbortController();
  private readonly signal: AbortSignal;
  private readonly pageItems: number;

  constructor(private readonly deps: AdoptionDeps) {
    const { itemsPerSecond, clock, segments, signal } = deps;
    this.rateLimiter = new RateLimiter(itemsPerSecond, clock);
    this.signal = AbortSignal.any([signal, this.failed.signal]);
    const share = Math.floor((itemsPerSecond ?? Number.POSITIVE_INFINITY) / segments.length);
    this.pageItems = Math.max(1, Math.min(PAGE_ITEMS, share));
  }

  /** @throws StoreError when DynamoDB does not answer any more; the pages that were completed stay so */
  async run(): Promise<'complete' | 'interrupted'> {
    const { segments } = this.deps;
    const ends = await Promise.allSettled(segments.map((state, number) => this.segment(state, number)));
    const trouble = ends.find((end) => end.status === 'rejected');
    if (trouble) throw trouble.reason;
    return segments.every(({ done }) => done) ? 'complete' : 'interrupted';
  }

  private async segment(state: SegmentState, number: number): Promise<void> {
    const { items, segments, counters, onPage } = this.deps;
    const segment = { number, of: segments.length };
    try {
      while (!state.done && !this.signal.aborted) {
        const page = await this.patiently(() => items.page(segment, state.after, this.pageItems));
        // Counted when the page is done: an adoption that goes on looks again at a page that is not done.
        const counts = await this.adopt(page.items);
        counters.add(counts);
        if (page.next === undefined) state.done = true;
        else state.after = page.next;
        await onPage();
      }
    } catch (error) {
      this.failed.abort();
      throw error;
    }
  }

  private async adopt(items: readonly Item[]): Promise<AdoptionCounters> {
    const { rules, clock, dryRun } = this.deps;
    const counters = new AdoptionCounters();
    const writes: Promise<void>[] = [];
    let trouble: { readonly cause: unknown } | undefined;
    for (const item of items) {
      await this.rateLimiter.acquire();
      if (trouble) break;
      const id = String(item.id);
      const plan = planAdoption(item, rules, clock.now());
      if (plan.do === 'leave') {
        counters.left(id, plan.left);
      } else if (dryRun) {
        counters.wrote(id, plan);
        counters.consumed('write', unitsOf(item, plan));
      } else {
        const write = this.writes.add(() => this.write(item, counters));
        writes.push(
          write.catch((cause) => {
            trouble ??= { cause };
          }),
        );
      }
    }
    // All of them, even if one fails: none may go on when the work has ended.
    await Promise.all(writes);
    if (trouble) throw (trouble as { readonly cause: unknown }).cause;
    return counters;
  }

  /** A process that changes the item meanwhile wins: the item is looked at again. */
  private async write(item: Item, counters: AdoptionCounters): Promise<void> {
    const { items, rules, clock, random } = this.deps;
    const id = String(item.id);
    let found: Item | undefined = item;
    for (let tries = 0; tries < MAX_TRIES && found; tries++) {
      const plan = planAdoption(found, rules, clock.now());
      if (plan.do === 'leave') return counters.left(id, plan.left);
      const rev = randomToken(random);
      try {
        const answer = await this.patiently(() => items.change(id, plan.change, plan.asRead, rev));
        if (answer === 'written') return counters.wrote(id, plan);
      } catch (error) {
        if (!isOfOneRecord(error)) throw error;
        return counters.left(id, { reason: 'refused', detail: reasonOf(error) });
      }
      found = await this.patiently(() => items.get(id));
    }
    if (found) counters.left(id, { reason: 'changing', detail: '' });
  }

  private patiently<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    const { clock, onTrouble } = this.deps;
    return patiently(request, { clock, signal: this.failed.signal, onTrouble });
  }
}

/** Returns the write units that a change costs: one for each KB of the item, and one for its entry in the index. */
function unitsOf(item: Item, { lane }: Extract<Plan, { do: 'write' }>): number {
  return Math.ceil(itemBytes(item) / 1024) + (lane === undefined ? 0 : 1);
}

function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  return cause instanceof Error ? cause.message : (error as Error).message;
}
