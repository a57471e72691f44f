import { setTimeout } from 'node:timers/promises';
import type { BacklogRecord } from '../record/index.js';
import { BRAND, describe } from '../record/outcomes/brand.js';
import { jsonOf } from '../support/json.js';
import type { AttemptContext, ProcessResult } from '../worker/index.js';
import type { BatchSettings, Member, ProcessBatch } from './batch.js';
import { BatchCalls } from './batch-calls.js';

/** A wait that ends so late says that its process was frozen: its records may be under attempt elsewhere. */
const MAX_LATE_MS = 5_000;

/** Members that wait for others. */
interface OpenBatch {
  readonly members: Map<string, Member>;
  bytes: number;
  /** Ends the wait. */
  readonly full: AbortController;
}

/** Collects the records of attempts that are under way at the same time, and has them worked off in batches. */
export class Collector {
  private readonly open = new Map<string, OpenBatch>();
  private readonly calls: BatchCalls;
  /** Attempts at once of each queue. */
  private readonly atOnce = new Map<string, number>();

  constructor(
    processBatch: ProcessBatch,
    private readonly settings: BatchSettings,
  ) {
    this.calls = new BatchCalls(processBatch, { sleep: realSleep, ...settings });
  }

  /** Notes how many records of a queue are under attempt at once. */
  expect(queue: string, concurrency: number): void {
    if (!this.atOnce.has(queue)) this.atOnce.set(queue, concurrency);
  }

  /** Resolves, or rejects, as the `process` of one record does. */
  async add(record: BacklogRecord, context: AttemptContext): Promise<ProcessResult> {
    this.warnOfSmallBatches(record, context);
    const { maxBytes, maxRecords } = this.settings;
    const name = this.nameOf(record);
    const bytes = maxBytes === Number.POSITIVE_INFINITY ? 0 : Buffer.byteLength(jsonOf(record.payload));
    const waiting = this.open.get(name);
    if (waiting && (waiting.bytes + bytes > maxBytes || waiting.members.has(record.id))) this.close(name);
    const batch = this.open.get(name) ?? this.begin(name);
    batch.bytes += bytes;
    return new Promise((resolve, reject) => {
      batch.members.set(record.id, { record, context, resolve, reject });
      if (batch.members.size >= maxRecords || batch.bytes >= maxBytes) this.close(name);
    });
  }

  private nameOf(record: BacklogRecord): string {
    const { by } = this.settings;
    const name: unknown = by ? by(record) : '';
    // A promise, or an object, would put the records of all customers together.
    if (typeof name === 'string') return name;
    throw new TypeError(`inBatches.by returned ${describe(name)}: expected a string`);
  }

  /** Warns once of a queue in which no batch can be full. */
  private warnOfSmallBatches({ queue }: BacklogRecord, { logger }: AttemptContext): void {
    const concurrency = this.atOnce.get(queue) ?? Number.POSITIVE_INFINITY;
    const { givenMaxRecords: maxRecords = 0 } = this.settings;
    this.atOnce.set(queue, Number.POSITIVE_INFINITY);
    if (concurrency >= maxRecords) return;
    logger.warn('no batch can be full, as the queue attempts fewer records at once', {
      queue,
      maxRecords,
      concurrency,
    });
  }

  private begin(name: string): OpenBatch {
    const batch: OpenBatch = { members: new Map(), bytes: 0, full: new AbortController() };
    this.open.set(name, batch);
    void this.callOf(name, batch);
    return batch;
  }

  /** Ends the wait of a batch: later records are in another one. */
  private close(name: string): void {
    const batch = this.open.get(name);
    this.open.delete(name);
    batch?.full.abort();
  }

  private async callOf(name: string, batch: OpenBatch): Promise<void> {
    const { sleep = realSleep, now = Date.now, maxWaitMs } = this.settings;
    const until = now() + maxWaitMs;
    await sleep(maxWaitMs, batch.full.signal);
    if (this.open.get(name) === batch) this.open.delete(name);
    const members = [...batch.members.values()];
    try {
      if (now() > until + MAX_LATE_MS) throw wasFrozen();
      await this.calls.work(members, name);
    } catch (error) {
      for (const { reject } of members) reject(error);
    }
  }
}

/** A timer of a wait that has ended early must keep no process alive. */
const realSleep: NonNullable<BatchSettings['sleep']> = (milliseconds, signal) =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => {});

/** A `Snooze` without a delay. Its class is not loaded with this file. */
function wasFrozen(): Error {
  const reason = 'its process was frozen while it waited for others';
  return Object.assign(new Error(reason), { [BRAND]: 'snooze', seconds: 0 });
}
