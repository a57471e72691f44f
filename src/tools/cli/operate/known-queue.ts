import type { Command } from 'commander';
import { nearest } from '../../../nearest.js';
import { lanesInUse } from '../../../operate/stats.js';
import { deadLane, lanesOf } from '../../../record/index.js';
import { DynamoDbOperatorStore } from '../../../store/index.js';
import type { Target } from '../connect.js';
import { printable } from '../output.js';
import { UsageError } from './usage.js';

export interface ForceFlags {
  /** Takes the name of a queue that is not known. */
  readonly force?: boolean | undefined;
}

/** More than these fill a screen. */
const MOST_NAMED = 20;

export function force(command: Command): Command {
  return command.option('--force', 'also for a queue that neither a run nor a record knows');
}

/**
 * Refuses the name of a queue that neither the runtime nor the control table nor an indexed record has: a mistake,
 * mostly, and nothing would attempt the records there.
 *
 * @throws UsageError that names the queues that are known
 */
export async function requireKnownQueue(
  queue: string,
  { target, controlTable }: { readonly target: Target; readonly controlTable: string },
): Promise<void> {
  if (target.queues?.includes(queue)) return;
  const { client, table, clock } = target;
  const store = new DynamoDbOperatorStore({
    client,
    tables: { records: table, control: controlTable },
    clock,
  });
  const [served, { queues: owned }] = await Promise.all([store.readQueues(), store.readRegistry()]);
  const known = [...new Set([...(target.queues ?? []), ...served.keys(), ...owned.keys()])].sort();
  if (known.includes(queue)) return;
  const lanes = lanesOf(queue);
  const inUse = await lanesInUse([...lanes, ...lanes.map(deadLane)], {
    store,
    patiently: (request) => request(),
  });
  if (inUse.size > 0) return;
  throw new UsageError(unknownText(queue, known, target.where));
}

function unknownText(queue: string, known: readonly string[], where: string): string {
  const meant = nearest(queue, known);
  const hint = meant === undefined ? '' : `; did you mean "${printable(meant)}"?`;
  const more = known.length > MOST_NAMED ? `, and ${known.length - MOST_NAMED} more` : '';
  const names =
    known.length === 0
      ? 'No run has served a queue yet'
      : `Known: ${known.slice(0, MOST_NAMED).map(printable).join(', ')}${more}`;
  return `${where} has no queue "${queue}"${hint}\n${names}. --force takes the name as it is.`;
}
