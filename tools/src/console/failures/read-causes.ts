import { Tables } from 'dynamo-backlog/engine';
import {
  causesOf,
  type FailureCause,
  leastExact,
  type OverviewDeps,
  type OverviewStats,
  type Stratum,
} from 'dynamo-backlog/overview';
import type { ReadBudget } from '../read-within.js';
import { sampleRecords } from './sample.js';

/** The causes of failures, and what was read to know them. */
export interface CausesRead {
  readonly causes: readonly FailureCause[];
  /** The number of records that were read, of those that are not finished. */
  readonly examined: number;
  /** The number of records that are not finished, and its exactness. */
  readonly total: number;
  readonly counted: OverviewStats['counted'];
  /** Not all records that are not finished were read. */
  readonly isSampled: boolean;
  readonly readUnits: number;
}

/** Reads records of these queues within a budget, and finds the causes of their failures. */
export async function readCauses(
  deps: Pick<OverviewDeps, 'backlog' | 'runtime'>,
  queues: readonly OverviewStats[],
  { budget, now }: { readonly budget: ReadBudget; readonly now: number },
): Promise<CausesRead> {
  const { strata, readUnits } = await sampleRecords(new Tables(deps.backlog), queues, budget);
  const examined = strata.reduce((sum, { records }) => sum + records.length, 0);
  const total = strata.reduce((sum, stratum) => sum + stratum.total, 0);
  const counted = leastExact(queues);
  return {
    causes: causesOf(
      strata.map((stratum) => ({ ...stratum, failed: failedOf(deps, queues, stratum) })),
      now,
    ),
    examined,
    total,
    counted,
    isSampled: examined < total || counted === 'atLeast',
    readUnits,
  };
}

/** The number of records in retry: the local runtime has counted it, or the monitor; undefined: not known. */
function failedOf(
  { runtime, backlog }: Pick<OverviewDeps, 'backlog' | 'runtime'>,
  queues: readonly OverviewStats[],
  { queue, dead }: Stratum,
): number | undefined {
  if (dead) return undefined;
  const isOwn = ({ name, table }: { name: string; table: string }) =>
    name === queue && table === backlog.table;
  const counted = runtime?.status().queues.find(isOwn)?.ERROR;
  return counted ?? queues.find((stats) => stats.queue === queue)?.inRetry;
}
