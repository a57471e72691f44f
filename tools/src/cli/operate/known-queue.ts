import type { Command } from 'commander';
import { DynamoDbOperatorStore, deadLane, didYouMean, lanesInUse, lanesOf } from 'dynamo-backlog/engine';
import type { Target } from '../connect.js';
import { printable } from '../output.js';
import { controlTableIfKnown } from './target.js';
import { UsageError } from './usage.js';

export interface ForceFlags {
  /** Takes the name of a queue that is not known. */
  readonly force?: boolean | undefined;
}

interface Tables {
  readonly target: Target;
  readonly controlTable: string;
}

/** More than these fill a screen. */
const MAX_NAMED = 20;

export function force(command: Command): Command {
  return command.option('--force', 'also for a queue that neither a run nor a record knows');
}

/**
 * Refuses the name of a queue that records are to go to, or that is to be paused, if neither the runtime nor the control
 * table nor an indexed record has it. It is a mistake, mostly, and nothing would attempt the records there.
 *
 * @throws UsageError that names the queues that are known
 */
export async function requireKnownQueue(queue: string, at: Tables): Promise<void> {
  const unknown = await whyUnknown(queue, at);
  if (unknown !== undefined) throw new UsageError(`${unknown}. --force takes the name as it is.`);
}

/**
 * Refuses the names of queues whose records are asked for, by the same rule.
 *
 * @throws UsageError that names the queues that are known
 */
export async function refuseUnknownQueues(queues: readonly string[], at: Tables): Promise<void> {
  for (const queue of queues) {
    const unknown = await whyUnknown(queue, at);
    if (unknown !== undefined) throw new UsageError(`${unknown}.`);
  }
}

/**
 * Refuses the names of queues by the same rule, if the control table is known.
 *
 * @returns false: the control table is not known, so nothing was refused
 * @throws UsageError that names the queues that are known
 */
export async function refuseUnknownIfPossible(
  queues: readonly string[],
  { target, controlTable }: { readonly target: Target; readonly controlTable?: string | undefined },
): Promise<boolean> {
  if (queues.length === 0) return true;
  const known = await controlTableIfKnown(target, controlTable);
  if (known === undefined) return false;
  await refuseUnknownQueues(queues, { target, controlTable: known });
  return true;
}

/** The line beside "no such records", where that is all that can be said. */
export function unservedQueueMessage(queues: readonly string[]): string {
  const names = queues.map((queue) => `"${printable(queue)}"`).join(', ');
  return `the control table tells whether there is a queue ${names}: name the stack with --stack`;
}

/** The store of both tables. */
export function storeOf({ target, controlTable }: Tables): DynamoDbOperatorStore {
  const { client, table, clock } = target;
  return new DynamoDbOperatorStore({ client, tables: { records: table, control: controlTable }, clock });
}

/** undefined: it is known. */
async function whyUnknown(queue: string, at: Tables): Promise<string | undefined> {
  const { target } = at;
  const named = [...(target.queues ?? []), ...(target.deployed ?? []).map(({ name }) => name)];
  if (named.includes(queue)) return undefined;
  const store = storeOf(at);
  const [served, { queues: owned }] = await Promise.all([store.queues.readAll(), store.registry.read()]);
  const known = [...new Set([...named, ...served.keys(), ...owned.keys()])].sort();
  if (known.includes(queue)) return undefined;
  const lanes = lanesOf(queue);
  const inUse = await lanesInUse([...lanes, ...lanes.map(deadLane)], {
    store,
    patiently: (request) => request(),
  });
  if (inUse.size > 0) return undefined;
  // On this machine reading costs nothing: a record that is not indexed is found, too.
  if (target.local) for await (const _ of store.records.list({ queue })) return undefined;
  return unknownText(queue, known, target.where);
}

function unknownText(queue: string, known: readonly string[], where: string): string {
  const hint = didYouMean(queue, known, (name) => `"${printable(name)}"`);
  const more = known.length > MAX_NAMED ? `, and ${known.length - MAX_NAMED} more` : '';
  const names =
    known.length === 0
      ? 'No run has served a queue yet'
      : `Known: ${known.slice(0, MAX_NAMED).map(printable).join(', ')}${more}`;
  return `${where} has no queue "${printable(queue)}"${hint}\n${names}`;
}
