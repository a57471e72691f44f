import { ConfigurationError } from '../../../errors.js';
import { randomToken, systemRandom } from '../../../random.js';
import { transfer } from '../../../registry/transfer.js';
import { DynamoDbOperatorStore, type Registry } from '../../../store/index.js';
import { EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import { UsageError } from './act.js';
import { type OperateTargetFlags, tablesAt } from './target.js';

/** `backlog owners`: which stack attempts the records of which queue. */
export async function owners(
  flags: OperateTargetFlags & { readonly json?: boolean | undefined },
  output: Output,
): Promise<ExitCode> {
  const { target, store } = await storeAt(flags);
  try {
    const { queues } = await store.readRegistry();
    const sorted = [...queues].sort(([one], [other]) => (one < other ? -1 : 1));
    if (flags.json) {
      output.data(JSON.stringify(sorted.map(([queue, entry]) => ({ queue, ...entry }))));
      return EXIT.ok;
    }
    if (sorted.length === 0) {
      output.message(`no function has registered a queue at ${target.where}: each does so at its first run`);
      return EXIT.ok;
    }
    const rows = sorted.map(([queue, { owner, function: arn, at, removedAt }]) => [
      queue,
      printable(owner),
      removedAt ? 'no: the queue was removed' : printable(arn?.split(':').at(-1) ?? 'not known yet'),
      removedAt ?? at,
    ]);
    const columns = [
      ['QUEUE', 'left'],
      ['OWNER', 'left'],
      ['FUNCTION', 'left'],
      ['SINCE', 'left'],
    ] as const;
    output.data(plainTable(columns, rows, painter(hasColors(process.stdout))));
    return EXIT.ok;
  } finally {
    target.client.destroy();
  }
}

export interface TransferFlags extends OperateTargetFlags {
  readonly to: string;
  readonly from?: string | undefined;
  readonly all?: boolean | undefined;
}

/** Runs register at the same time. */
const MAX_TRIES = 5;

/** `backlog transfer`: gives queues to another stack. */
export async function transferQueues(
  queues: readonly string[],
  { to, from, all = false, ...flags }: TransferFlags,
  output: Output,
): Promise<ExitCode> {
  if (all === queues.length > 0) {
    throw new UsageError(`expected names of queues, or --all with --from, got ${all ? 'both' : 'neither'}`);
  }
  if (all && from === undefined) throw new UsageError('expected --from OWNER beside --all, got none');
  const { target, store } = await storeAt(flags);
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const registry: Registry = await store.readRegistry();
      const { next, moved, already, unknown, others } = transfer(
        registry,
        { queues, from, to },
        target.clock.now(),
      );
      const rev = randomToken(systemRandom);
      if (next && !(await store.writeRegistry({ rev, queues: next }, registry.rev))) continue;
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
          `Runs at work end with their page. The functions of ${printable(to)} go on at their next minute.`,
        );
      }
      if (all && moved.length === 0) output.message(`${printable(from ?? '')} has no queue`);
      return others.size + unknown.length > 0 ? EXIT.problems : EXIT.ok;
    }
    throw new ConfigurationError('the owners of the queues change all the time: try again');
  } finally {
    target.client.destroy();
  }
}

async function storeAt(flags: OperateTargetFlags) {
  const { target, controlTable } = await tablesAt(flags);
  const { client, table, clock } = target;
  const store = new DynamoDbOperatorStore({
    client,
    tables: { records: table, control: controlTable },
    clock,
  });
  return { target, store };
}
