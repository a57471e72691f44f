import { StoreError } from 'dynamo-backlog';
import { operatorAt } from '../operate/target.js';
import { type Output, printable } from '../output.js';
import type { Change } from './change.js';
import type { PhysicalTables } from './compare.js';
import type { DescribedTemplate } from './read-metadata.js';

/** Adds to the changes how many records wait in the queues that they concern, where the deployed tables are known. */
export async function withCounts(
  changes: readonly Change[],
  { backlogs }: DescribedTemplate,
  { tables, endpoint }: { readonly tables: PhysicalTables; readonly endpoint: string | undefined },
  output: Output,
): Promise<Change[]> {
  const counted: Change[] = [];
  for (const path of new Set(changes.map(({ backlog }) => backlog))) {
    const ofBacklog = changes.filter(({ backlog }) => backlog === path);
    const { records, control } = tables.get(path) ?? {};
    const { queues = {} } = backlogs.get(path) ?? {};
    if (records === undefined || control === undefined) {
      counted.push(...ofBacklog);
      continue;
    }
    const concerned = (change: Change) => (concernsAll(change) ? Object.keys(queues) : (change.queue ?? []));
    const names = [...new Set(ofBacklog.flatMap(concerned))];
    const target = { table: records, controlTable: control, endpoint };
    const pending = await pendingOf(names, target, output);
    counted.push(
      ...ofBacklog.map((change) => {
        const its = [concerned(change)].flat();
        if (!pending || its.length === 0) return change;
        return { ...change, waiting: its.reduce((sum, queue) => sum + (pending.get(queue) ?? 0), 0) };
      }),
    );
  }
  return counted;
}

const OF_ALL = ['records.replaced', 'records.deleted', 'records.unknown', 'backlog.removed'];

function concernsAll({ kind }: Change): boolean {
  return OF_ALL.includes(kind);
}

async function pendingOf(
  queues: readonly string[],
  target: Parameters<typeof operatorAt>[0],
  output: Output,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (queues.length === 0) return undefined;
  const { operator, target: found } = await operatorAt(target);
  try {
    const stats = await operator.stats({ queues });
    return new Map(stats.queues.map(({ queue, pending }) => [queue, pending]));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    output.message(`records are not counted: ${printable(error.message)}`);
    return undefined;
  } finally {
    found.client.destroy();
  }
}
