import type { OperateTargetFlags } from '../operate/target.js';
import { EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import { storeAt } from './store-at.js';

/** `backlog owners`: which stack attempts the records of which queue. */
export async function owners(
  flags: OperateTargetFlags & { readonly json?: boolean | undefined },
  output: Output,
): Promise<ExitCode> {
  const { target, store } = await storeAt(flags);
  try {
    const { queues } = await store.registry.read();
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
