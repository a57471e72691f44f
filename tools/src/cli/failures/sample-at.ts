import { CountsReader, type OverviewDeps, type OverviewStats } from 'dynamo-backlog/overview';
import { readSample, type SampleRead } from '../../console/failures/read-causes.js';
import { LARGE_BUDGET } from '../../console/read-budgets.js';
import { refuseUnknownQueues } from '../operate/known-queue.js';
import { type OperateTargetFlags, tablesAt } from '../operate/target.js';
import { RemoteRuntime } from '../top/remote-runtime.js';

/** Records that a command has read. */
export interface SampleAt extends SampleRead {
  /** The queues that were asked for. */
  readonly queues: readonly OverviewStats[];
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** The tables, in words. */
  readonly where: string;
  /** The read units of the counts and of the records. */
  readonly readUnits: number;
}

const LOCAL_BUDGET = { ...LARGE_BUDGET, units: Number.POSITIVE_INFINITY };

/**
 * Reads up to 1,000 records of one queue or of all.
 *
 * @throws UsageError if there is no such queue
 */
export async function sampleAt(flags: OperateTargetFlags, queue: string | undefined): Promise<SampleAt> {
  const at = await tablesAt(flags);
  const { client, table, clock, queues: app, deployed, statusPage, where, local } = at.target;
  try {
    if (queue !== undefined) await refuseUnknownQueues([queue], at);
    const remote = statusPage === undefined ? undefined : new RemoteRuntime(statusPage, table);
    await remote?.refresh();
    const deps: OverviewDeps = {
      backlog: { table, controlTable: at.controlTable, client, clock },
      // A queue that only records name is in no list.
      queues: () => [...(app ?? []), ...(queue === undefined ? [] : [queue])].map((name) => ({ name })),
      deployed,
      runtime: remote?.known,
    };
    const { counts, error } = await new CountsReader(deps).read();
    if (!counts) throw error;
    const queues = counts.stats.queues.filter((stats) => queue === undefined || stats.queue === queue);
    const now = clock.now();
    const read = await readSample(deps, queues, local ? LOCAL_BUDGET : LARGE_BUDGET);
    return { ...read, queues, now, where, readUnits: counts.readUnits + read.readUnits };
  } finally {
    client.destroy();
  }
}
