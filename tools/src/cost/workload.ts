import { PAGE } from './units.js';

/** The work of a month, as the flags of `backlog cost` say it. */
export interface Workload {
  /** Records that are inserted per second, on average. */
  readonly perSecond: number;
  /** Bytes of a record's payload and its own attributes. */
  readonly bytes: number;
  /** Share of the attempts that fail, 0 to below 1. */
  readonly failing: number;
  readonly attemptMs: number;
  readonly isProgressive: boolean;
  /** Queues among which the records are shared out evenly. */
  readonly queues: number;
  /** Attempts at once in a run. */
  readonly concurrency: number;
  /** Time for which the intake gathers records; 0: as Lambda reads the stream, four times a second. */
  readonly windowSeconds: number;
  readonly memoryMb: number;
  /** Time for which a record is kept after its success. */
  readonly retentionSeconds: number;
  /** The construct has the prop `minimal`. */
  readonly isMinimal: boolean;
}

/** 365.25 days in twelve parts. */
export const MONTH_SECONDS = 2_629_800;
/** Lambda looks for records in a shard of the stream so often where no window is set. */
const STREAM_POLL_SECONDS = 0.25;
/** DynamoDB writes so much to one partition, which is one shard of the stream. */
const SHARD_WRITES = 1_000;

/** Records and attempts of a month. */
export interface Volume {
  readonly records: number;
  readonly attempts: number;
  /** Failed attempts of records that were just inserted. */
  readonly firstFailures: number;
  /** Failed attempts of records that had failed before. */
  readonly laterFailures: number;
  /** Batches that the stream hands over. */
  readonly batches: number;
  /** Records in one of them, on average. */
  readonly batchRecords: number;
  /** Records that are due at a tick of one queue, on average. */
  readonly duePerTick: number;
}

/** Each attempt fails by the same chance, so a record fails `failing / (1 - failing)` times on average. */
export function volumeOf(work: Workload): Volume {
  const { perSecond, failing, queues, windowSeconds } = work;
  const records = perSecond * MONTH_SECONDS;
  const attempts = records / (1 - failing);
  const firstFailures = records * failing;
  const shards = Math.max(1, Math.ceil(perSecond / SHARD_WRITES));
  // Records arrive at random, and a batch has at least one: the mean of a Poisson distribution without its zero.
  const expected = (perSecond / shards) * Math.max(STREAM_POLL_SECONDS, windowSeconds);
  const gathered = expected < 1e-6 ? 1 : expected / (1 - Math.exp(-expected));
  const batchRecords = Math.min(PAGE, gathered);
  const ticks = MONTH_SECONDS / 60;
  return {
    records,
    attempts,
    firstFailures,
    laterFailures: attempts - records - firstFailures,
    batches: records / batchRecords,
    batchRecords,
    duePerTick: (attempts - records) / ticks / queues,
  };
}
