import { type OperatorStore, RECURRING_QUEUE } from 'dynamo-backlog/engine';
import { Serving } from 'dynamo-backlog/overview';

/**
 * Tells whether no function looks at recurring records: neither the app of the local runtime has one, nor has a run served their
 * queue. One read of an item, unless the app is known.
 *
 * @param app the queues of the app. Undefined: they are not known
 */
export async function isUnserved(
  { queues, registry }: Pick<OperatorStore, 'queues' | 'registry'>,
  app: readonly string[] | undefined,
  now: number,
): Promise<boolean> {
  if (app !== undefined && app.length > 0) return !app.includes(RECURRING_QUEUE);
  const [state, registered] = await Promise.all([queues.read(RECURRING_QUEUE), registry.read()]);
  if (state.retryMode !== undefined) return false;
  if (!registered.queues.has(RECURRING_QUEUE)) return true;
  return new Serving({ registry: registered, states: new Map(), now }).isUnserved(RECURRING_QUEUE);
}
