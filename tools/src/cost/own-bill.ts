import { each, type Item, LINES, lambdaItems, perMillion } from './bill.js';
import type { Prices } from './prices.js';
import { CLAIM_UNITS, LEASE_UNITS, MONITOR, PAGE, POLL_READ_UNITS, WRITES } from './units.js';
import { MONTH_SECONDS, type Volume, volumeOf, type Workload } from './workload.js';

/** Bytes that the library's own attributes add to a record. */
export const OWN_BYTES = 250;
const KB = 1_024;
const READ_BYTES = 4 * KB;
export const GB = 1_000_000_000;
/** Seconds of a run beside its attempts: requests to DynamoDB one after the other, of some milliseconds each. An assumption. */
const RUN_SECONDS = 0.06;
const POLL_SECONDS = 0.015;
const INTAKE_SECONDS = 0.04;
const SETTLE_SECONDS = 0.01;
/** Bytes of a run's line of metrics, and of a failed attempt's line: see docs/logs.md. */
const METRICS_LINE = 400;
const FAILURE_LINE = 400;
const MONITOR_SECONDS = 300;
/**
 * Metrics that alarms read, metrics of a queue that always has work, and the like, with queues that have code of their own. A test
 * compares them with the construct.
 */
export const MONITORING = {
  full: { alarms: 12, alarmsPerQueue: 6, metricsPerQueue: 7, composites: 1, dashboards: 1 },
  minimal: { alarms: 6, alarmsPerQueue: 0, metricsPerQueue: 0, composites: 0, dashboards: 0 },
} as const;
/** Metrics by the table alone that `minimal` writes while there is work. */
const MINIMAL_METRICS = 3;

/** The size of an item by which its writes are billed: whole kilobytes. */
export function itemKilobytes({ bytes }: Workload): number {
  return Math.ceil((bytes + OWN_BYTES) / KB);
}

/** The bill of a month for records that are attempted on insertion, and retried by rules that fire each minute. */
export function ownBill(work: Workload, prices: Prices): Item[] {
  const volume = volumeOf(work);
  const runs = runsOf(work, volume);
  const kb = itemKilobytes(work);
  const stored = (volume.records * (work.bytes + OWN_BYTES) * work.retentionSeconds) / MONTH_SECONDS / GB;
  const lines = volume.batches + runs.busy;
  const logged = (lines * METRICS_LINE + (volume.attempts - volume.records) * FAILURE_LINE) / GB;
  return [
    perMillion(LINES.writes, writes(work, volume, runs.busy, kb), 'write unit', prices.writeUnits),
    perMillion(LINES.reads, reads(work, volume, stored, runs.polls), 'read unit', prices.readUnits),
    each(LINES.storage, stored, 'GB', prices.tableStorage),
    each(LINES.backup, stored, 'GB', prices.backup),
    ...lambdaItems(LINES.runs, { ...runs, memoryMb: work.memoryMb }, prices),
    ...lambdaItems(LINES.helpers, helpers(work, volume), prices),
    each(LINES.logs, logged, 'GB', prices.logs),
    ...monitoring(work, prices),
  ];
}

function writes(work: Workload, volume: Volume, busy: number, kb: number): number {
  const { records, firstFailures, laterFailures, batches } = volume;
  const units = ({ table, index }: { table: number; index: number }) => table * kb + index;
  const later = work.isProgressive ? WRITES.laterFailureProgressive : WRITES.laterFailure;
  return (
    records * units(WRITES.insert) +
    (records - firstFailures) * units(WRITES.successOnArrival) +
    firstFailures * units(WRITES.failureOnArrival) +
    laterFailures * units(later) +
    // Every record that has failed succeeds later.
    firstFailures * units(WRITES.laterSuccess) +
    batches * CLAIM_UNITS +
    busy * LEASE_UNITS +
    work.queues * (MONTH_SECONDS / MONITOR_SECONDS) * MONITOR.writes
  );
}

function reads(work: Workload, { attempts, batches }: Volume, storedGb: number, polls: number): number {
  const perRecord = Math.ceil((work.bytes + OWN_BYTES) / READ_BYTES);
  // The sweep reads the table once a day, at half a unit for each 4 KB.
  const swept = ((storedGb * GB) / READ_BYTES / 2) * (MONTH_SECONDS / 86_400);
  const monitored = work.queues * (MONTH_SECONDS / MONITOR_SECONDS) * MONITOR.reads;
  return attempts * perRecord + batches + polls * POLL_READ_UNITS + swept + monitored;
}

/** Invocations of the queues' functions in a month, and their seconds. */
function runsOf(work: Workload, { batches, batchRecords, duePerTick }: Volume) {
  const { attemptMs, concurrency, queues } = work;
  const secondsFor = (records: number) =>
    RUN_SECONDS + Math.max(1, records / concurrency) * (attemptMs / 1000 + SETTLE_SECONDS);
  const polls = (MONTH_SECONDS / 60) * queues;
  // Retries are spread at random: some ticks find none.
  const busy = polls * (1 - Math.exp(-duePerTick));
  const duePerBusy = busy === 0 ? 0 : (duePerTick * polls) / busy;
  const seconds = batches * secondsFor(batchRecords) + busy * secondsFor(duePerBusy) + polls * POLL_SECONDS;
  return { requests: batches + polls, seconds, polls, busy: busy * Math.max(1, duePerBusy / PAGE) };
}

function helpers(work: Workload, { batches }: Volume) {
  const readings = MONTH_SECONDS / MONITOR_SECONDS;
  const seconds = batches * INTAKE_SECONDS + readings * (0.1 + 0.02 * work.queues);
  return { requests: batches + readings, seconds, memoryMb: work.memoryMb };
}

function monitoring({ isMinimal, queues }: Workload, prices: Prices): Item[] {
  const kind = isMinimal ? MONITORING.minimal : MONITORING.full;
  const metrics = kind.metricsPerQueue * queues + (isMinimal ? MINIMAL_METRICS : 0);
  return [
    each(LINES.metrics, metrics, 'metric', prices.metric),
    each(LINES.alarms, kind.alarms + kind.alarmsPerQueue * queues, 'alarm', prices.alarm),
    each(LINES.composites, kind.composites, 'alarm', prices.compositeAlarm),
    each(LINES.dashboards, kind.dashboards, 'dashboard', prices.dashboard),
  ].filter(({ quantity }) => quantity > 0);
}
