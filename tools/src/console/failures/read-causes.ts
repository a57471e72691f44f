import { Tables } from 'dynamo-backlog/engine';
import {
  causesOf,
  type FailureCause,
  leastExact,
  type OverviewDeps,
  type OverviewStats,
  type ReadBudget,
  type Stratum,
  sampleRecords,
} from 'dynamo-backlog/overview';

/** Records that were read to know causes and keys, and what that has cost. */
export interface SampleRead {
  readonly strata: readonly Stratum[];
  /** The number of records that were read, of those that are not finished. */
  readonly examined: number;
  /** The number of records that are not finished, and its exactness. */
  readonly total: number;
  readonly counted: OverviewStats['counted'];
  /** Not all records that are not finished were read. */
  readonly isSampled: boolean;
  readonly readUnits: number;
}

/** The causes of failures, and what was read to know them. */
export interface CausesRead extends Omit<SampleRead, 'strata'> {
  readonly causes: readonly FailureCause[];
}

type Deps = Pick<OverviewDeps, 'backlog' | 'runtime'>;

/** Reads records of these queues within a budget. */
export async function readSample(
  deps: Deps,
  queues: readonly OverviewStats[],
  budget: ReadBudget,
): Promise<SampleRead> {
  const { strata, readUnits } = await sampleRecords(new Tables(deps.backlog), queues, budget);
  const examined = strata.reduce((sum, { records }) => sum + records.length, 0);
  const total = strata.reduce((sum, stratum) => sum + stratum.total, 0);
  const counted = leastExact(queues);
  return {
    strata: strata.map((stratum) => ({ ...stratum, failed: failedOf(deps, queues, stratum) })),
    examined,
    total,
    counted,
    isSampled: examined < total || counted === 'atLeast',
    readUnits,
  };
}

/** Reads records of these queues within a budget, and finds the causes of their failures. */
export async function readCauses(
  deps: Deps,
  queues: readonly OverviewStats[],
  { budget, now }: { readonly budget: ReadBudget; readonly now: number },
): Promise<CausesRead> {
  const read = await readSample(deps, queues, budget);
  return { ...read, causes: causesOf(read.strata, now) };
}

/** The number of records in retry: the local runtime has counted it, or the monitor; undefined: not known. */
function failedOf(
  { runtime, backlog }: Deps,
  queues: readonly OverviewStats[],
  { queue, dead }: Stratum,
): number | undefined {
  if (dead) return undefined;
  const isOwn = ({ name, table }: { name: string; table: string }) =>
    name === queue && table === backlog.table;
  const counted = runtime?.status().queues.find(isOwn)?.ERROR;
  return counted ?? queues.find((stats) => stats.queue === queue)?.inRetry;
}
