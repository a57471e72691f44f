import type { ControlState } from '../store/operator-store.js';
import type { KnownQueue, OverviewDeps } from './deps.js';

/** The queues of a backlog, as far as they are known before the index is read. */
export interface KnownQueues {
  /** The settings of each queue by its name, as far as they are known. */
  readonly settings: ReadonlyMap<string, Omit<KnownQueue, 'name'>>;
  /** The queues that have a function by their stack, which may not have run yet. */
  readonly deployed: ReadonlySet<string>;
}

/**
 * Finds the queues that a run has served, an operator paused or a function registered, and those of the app or of the deployed stack. So a queue is there whose own function never ran.
 */
export function knownQueues(
  { queues, registry }: Pick<ControlState, 'queues' | 'registry'>,
  {
    app = [],
    deployed = [],
  }: Pick<OverviewDeps, 'deployed'> & { readonly app?: readonly KnownQueue[] | undefined },
): KnownQueues {
  const settings = new Map([
    ...[...queues.keys()].map((name) => [name, {}] as const),
    ...deployed.map(({ name, ...its }) => [name, its] as const),
    ...[...registry.queues].map(([name, { retry, retryMode }]) => [name, { retry, retryMode }] as const),
    ...app.map(({ name, ...its }) => [name, its] as const),
  ]);
  return { settings, deployed: new Set(deployed.map(({ name }) => name)) };
}
