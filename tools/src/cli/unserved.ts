import { type BacklogRecord, StoreError } from 'dynamo-backlog';
import { DynamoDbOperatorStore, isPending } from 'dynamo-backlog/engine';
import { Serving } from 'dynamo-backlog/overview';
import type { Target } from './connect.js';
import { counted, printable } from './output.js';

type ServedAt = Pick<Target, 'queues' | 'deployed' | 'controlTable' | 'client' | 'table' | 'clock'>;

/**
 * Finds out which of these queues no rule serves: by the app of the local runtime, or by the control table where its name is known.
 * That costs one read of an item, and one more of the table if a queue is not in the registry. No queue: nothing.
 */
export async function servingAt(target: ServedAt, queues: ReadonlySet<string>): Promise<Serving> {
  const { queues: app, deployed, controlTable, client, table, clock } = target;
  if (app) return new Serving({ app });
  if (controlTable === undefined || queues.size === 0) return new Serving(undefined);
  const store = new DynamoDbOperatorStore({
    client,
    clock,
    tables: { records: table, control: controlTable },
  });
  try {
    const registry = await store.registry.read();
    const isRegistered = [...queues].every((queue) => registry.queues.has(queue));
    const states = isRegistered || registry.queues.size === 0 ? new Map() : await store.queues.readAll();
    const names = new Set(deployed?.map(({ name }) => name));
    return new Serving({ registry, states, deployed: names, now: clock.now() });
  } catch (error) {
    // The records are shown all the same: nothing more is known of their queues.
    if (error instanceof StoreError) return new Serving(undefined);
    throw error;
  }
}

/** `no rule serves "deafult"; did you mean "default"?`. Undefined: a rule does, or it is not known. */
export function unservedText(queue: string, serving: Serving): string | undefined {
  return serving.isUnserved(queue)
    ? `no rule serves "${printable(queue)}"${meantText(serving.meant(queue))}`
    : undefined;
}

/** `; did you mean "default"?`, or nothing. */
export function meantText(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean "${printable(meant)}"?`;
}

/** A line for each queue without a rule in which some of these records wait. */
export async function unservedLines(records: readonly BacklogRecord[], target: ServedAt): Promise<string[]> {
  const waiting = new Map<string, number>();
  for (const record of records)
    if (isPending(record)) waiting.set(record.queue, (waiting.get(record.queue) ?? 0) + 1);
  const serving = await servingAt(target, new Set(waiting.keys()));
  return [...waiting].flatMap(([queue, count]) => {
    if (!serving.isUnserved(queue)) return [];
    const wait = `${counted(count, 'record')} of these wait${count === 1 ? 's' : ''} until one does`;
    return `no rule serves "${printable(queue)}": ${wait}${meantText(serving.meant(queue))}`;
  });
}
