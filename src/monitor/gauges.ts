import { FIRST_ENTRIES, firstDueTime } from '../operate/queue-stats.js';
import {
  DEFAULT_TIERS,
  type RetryPolicy,
  resolvePolicy,
  type TierBand,
  tierBands,
} from '../policies/index.js';
import { lanesToRead } from '../record/busy-keys.js';
import type { RetryMode } from '../record/index.js';
import type { OverviewStore } from '../store/operator-store.js';
import { lagSeconds } from '../worker/counters.js';

/** A queue as the monitor knows it. */
export interface MonitoredQueue {
  /** Its name. */
  readonly name: string;
  /** Lanes that its records are spread over. */
  readonly shards: number;
  /** The tiers of a progressive queue; empty for one that retries per record. */
  readonly bands: readonly TierBand[];
  /** The policy that the app gives. Default: that of its retry mode. */
  readonly retry?: RetryPolicy | undefined;
  /** False: its runs make no probes. Default: they do, or it is not known. */
  readonly probes?: boolean | undefined;
  /** Its busy keys, as its item has them. Default: it has none. */
  readonly busyKeys?: string | undefined;
}

/** The settings of a queue that its gauges depend on. */
export interface DescribedQueue {
  /** The queue's retry mode. */
  readonly retryMode: RetryMode;
  /** The policy. Default: that of the retry mode; also for an invalid one, as any service may have written it. */
  readonly retry?: RetryPolicy | undefined;
  /** Lanes that its records are spread over. Default: 1. */
  readonly shards?: number | undefined;
  /** False: its runs make no probes. Default: they do, or it is not known. */
  readonly probes?: boolean | undefined;
  /** Seconds that its function may take, which the age bands of a progressive queue depend on. */
  readonly timeout?: number | undefined;
}

/**
 * The queue of such settings, as the monitor and a `GaugeReader` take it.
 *
 * @param timeoutSeconds of functions, where the description has none
 */
export function monitoredQueue(
  name: string,
  described: DescribedQueue,
  timeoutSeconds: number,
): MonitoredQueue {
  const { retryMode, shards = 1, probes, timeout = timeoutSeconds } = described;
  const retry = policyOf(described);
  const { tiers = DEFAULT_TIERS } = retry ? resolvePolicy(retry) : {};
  const bands = retryMode === 'progressive' ? tierBands(tiers, timeout) : [];
  return { name, shards, bands, retry, probes };
}

function policyOf({ retry }: DescribedQueue): RetryPolicy | undefined {
  try {
    if (retry !== undefined) resolvePolicy(retry);
    return retry;
  } catch {
    return undefined;
  }
}

export interface GaugeDeps {
  readonly store: Pick<OverviewStore, 'pages' | 'records'>;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
}

/** Records of each end of a tier that are looked at. Some of them may wait for a reason of their own, such as a snooze. */
const SAMPLES = 3;

/**
 * The lateness of the record that is due for longest, in the backlog's seconds; 0 if none is due.
 *
 * Of a queue that retries per record, the index knows: one query per lane. Of a progressive queue it holds
 * the insertion only, so the oldest and the youngest records of each tier are looked at: a tier that does not run has
 * attempted neither.
 */
export async function oldestDueAge(queue: MonitoredQueue, deps: GaugeDeps): Promise<number> {
  const lanes = lanesToRead(queue.name, queue.shards, queue.busyKeys);
  const ages =
    queue.bands.length === 0
      ? lanes.map((lane) => ageOfFirst(lane, deps))
      : lanes.flatMap((lane) => queue.bands.map((band) => latenessIn(lane, band, deps)));
  return Math.max(0, ...(await Promise.all(ages)));
}

async function ageOfFirst(lane: string, { store, now }: GaugeDeps): Promise<number> {
  const query = { lane, until: now, order: 'oldestFirst', limit: FIRST_ENTRIES } as const;
  const { keys } = await store.pages.query(query);
  const dueAt = Date.parse(firstDueTime(keys.map((key) => key.dueAt)) ?? '');
  // A due time that cannot be read is no age.
  return Number.isNaN(dueAt) ? 0 : (now - dueAt) / 1000;
}

async function latenessIn(lane: string, band: TierBand, { store, now }: GaugeDeps): Promise<number> {
  const range = bandRange(band, now);
  const ends = await Promise.all(
    (['oldestFirst', 'newestFirst'] as const).map((order) =>
      store.pages.query({ lane, ...range, order, limit: SAMPLES }),
    ),
  );
  const ids = new Set(ends.flatMap(({ keys }) => keys.map(({ id }) => id)));
  if (ids.size === 0) return 0;
  const records = await store.records.getMany([...ids]);
  const waiting = records.filter((record) => record.lane === lane);
  return Math.max(0, ...waiting.map((record) => lagSeconds(record, band, now)));
}

function bandRange({ fromAge, untilAge, last }: TierBand, now: number) {
  return { until: now - fromAge * 1000, ...(last ? {} : { from: now - untilAge * 1000 }) };
}
