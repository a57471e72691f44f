import type { Logger } from '@aws-lambda-powertools/logger';
import {
  type GaugeValues,
  type KeyGaugeValues,
  type MeterProvider,
  observeKeys,
  observeQueues,
  type QueueGaugeValues,
} from '../../src/monitor/index.js';
import type { Clock } from '../../src/support/clock.js';

/** Longest time of an export. A collector that does not answer must not cost the monitor its own time. */
const EXPORT_MS = 5_000;

/** Exports what the monitor has read by OpenTelemetry. Made only where an SDK has registered a provider. */
export class GaugeExport {
  private readonly noted = new Map<string, QueueGaugeValues>();
  /** Keys by queue; undefined: no queue has had any. */
  private keys: Map<string, readonly Omit<KeyGaugeValues, 'table' | 'queue'>[]> | undefined;
  /** Times of the last counts by queue, the backlog's, epoch milliseconds. */
  private readonly countedAt = new Map<string, number>();

  constructor(
    private readonly provider: MeterProvider,
    private readonly table: string,
  ) {
    observeQueues(provider, () => [...this.noted.values()]);
  }

  note(queue: string, values: GaugeValues, now: number): void {
    this.noted.set(queue, { table: this.table, queue, values });
    if (values.readingAge !== undefined) this.countedAt.set(queue, now - values.readingAge * 1000);
  }

  noteKeys(queue: string, worst: readonly Omit<KeyGaugeValues, 'table' | 'queue'>[]): void {
    if (!this.keys) {
      const { provider, table } = this;
      const keys = new Map<string, typeof worst>();
      const valuesOf = ([of, all]: [string, typeof worst]) =>
        all.map((one) => ({ table, queue: of, ...one }));
      observeKeys(provider, () => [...keys].flatMap(valuesOf));
      this.keys = keys;
    }
    this.keys.set(queue, worst);
  }

  /** Notes the age of the last count alone: SDKs may repeat the other values of a queue, and so it shows that they are old. */
  noteUnread(queue: string, now: number): void {
    const at = this.countedAt.get(queue);
    if (at !== undefined) this.note(queue, { readingAge: (now - at) / 1000 }, now);
  }

  /** Exports at once, as Lambda freezes the process after the invocation. */
  async flush(clock: Pick<Clock, 'sleep'>, logger: Logger): Promise<void> {
    const done = new AbortController();
    const late = clock.sleep(EXPORT_MS, done.signal).then(() => {
      if (!done.signal.aborted) throw new Error(`no answer within ${EXPORT_MS / 1000} s`);
    });
    try {
      await Promise.race([this.provider.forceFlush?.(), late]);
    } catch (error) {
      logger.warn('the gauges could not be exported by OpenTelemetry', error as Error);
    } finally {
      done.abort();
      this.noted.clear();
      this.keys?.clear();
    }
  }
}
