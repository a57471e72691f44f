import { ConfigurationError } from 'dynamo-backlog';
import { randomToken, systemRandom } from 'dynamo-backlog/engine';
import type { OperateTargetFlags } from '../operate/target.js';
import { UsageError } from '../operate/usage.js';
import { EXIT, type ExitCode, type Output, printable } from '../output.js';
import { nextOwners } from './next-owners.js';
import { storeAt } from './store-at.js';

export interface TransferFlags extends OperateTargetFlags {
  readonly to: string;
  readonly from?: string | undefined;
  readonly all?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Number of tries: runs may change the registry at the same time. */
const MAX_TRIES = 5;

/** `backlog transfer`: gives queues to another stack. */
export async function transferQueues(
  queues: readonly string[],
  { to, from, all = false, json = false, ...flags }: TransferFlags,
  output: Output,
): Promise<ExitCode> {
  if (all === queues.length > 0) {
    throw new UsageError(`expected names of queues, or --all with --from, got ${all ? 'both' : 'neither'}`);
  }
  if (all && from === undefined) throw new UsageError('expected --from OWNER beside --all, got none');
  const { target, store } = await storeAt(flags);
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const registry = await store.registry.read();
      const { next, moved, already, unknown, others } = nextOwners(
        registry,
        { queues, from, to },
        target.clock.now(),
      );
      const rev = randomToken(systemRandom);
      if (next && !(await store.registry.write({ ...registry, rev, queues: next }, registry.rev))) continue;
      for (const queue of moved) {
        const { owner } = registry.queues.get(queue) ?? {};
        output.message(`${queue}: from ${printable(owner ?? '')} to ${printable(to)}`);
      }
      for (const queue of already) output.message(`${queue}: belongs to ${printable(to)} already`);
      for (const [queue, owner] of others)
        output.message(`${queue}: belongs to ${printable(owner)}, not to ${printable(from ?? '')}`);
      for (const queue of unknown) output.message(`${printable(queue)}: no function has registered it`);
      if (moved.length > 0) {
        output.message(
          `Runs at work end with their page. The functions of ${printable(to)} go on at their next minute: see "backlog owners".`,
        );
      }
      if (all && moved.length === 0) output.message(`${printable(from ?? '')} has no queue`);
      if (json) {
        output.data(JSON.stringify({ to, moved, already, others: Object.fromEntries(others), unknown }));
      }
      return others.size + unknown.length > 0 ? EXIT.problems : EXIT.ok;
    }
    throw new ConfigurationError('the owners of the queues change all the time: try again');
  } finally {
    target.client.destroy();
  }
}
