import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { ConfigurationError } from 'dynamo-backlog';
import { CONTRACT_ATTRIBUTES, type Item, jsonOf } from 'dynamo-backlog/engine';
import { listenForInterrupt } from '../interrupt.js';
import { counted, EXIT, type ExitCode, type Output } from '../output.js';
import { itemsBar } from '../progress.js';
import { warnOfQueue, warnOfScan } from './act.js';
import { refuseUnknownIfPossible, unservedQueueMessage } from './known-queue.js';
import { readWhich, type SelectionFlags } from './selection-flags.js';
import { type OperateTargetFlags, operatorAt } from './target.js';
import { usage } from './usage.js';

export interface ExportFlags extends SelectionFlags, OperateTargetFlags {
  readonly limit?: number | undefined;
  readonly out?: string | undefined;
  readonly asNew?: boolean | undefined;
}

/** Attributes that a producer gives a record, and that `backlog import` takes. */
const PRODUCERS: ReadonlySet<string> = new Set([
  'id',
  'payload',
  'queue',
  'task',
  'key',
  'seq',
  'insertedAt',
  'retry',
  'traceparent',
]);

/** `backlog export`: items as they are in the table, one line of JSON each. */
export async function exportRecords(
  ids: readonly string[],
  flags: ExportFlags,
  output: Output,
): Promise<ExitCode> {
  const { which, named } = await usage(() => readWhich(ids, flags));
  const { operator, target } = await operatorAt({ ...flags, controlTable: flags.controlTable ?? 'none' });
  const readsIndex = flags.queue !== undefined && flags.status?.includes('SUCCESS') === false;
  const queues = flags.queue ?? [];
  const isNotified = await refuseUnknownIfPossible(queues, {
    target,
    controlTable: flags.controlTable,
  }).catch((error: unknown) => {
    target.client.destroy();
    throw error;
  });
  if (named === undefined && !readsIndex) warnOfScan(target, output);
  for (const queue of queues) warnOfQueue(queue, target, output);
  const interrupt = listenForInterrupt(() => output.message('stopping ...'));
  const { signal } = interrupt;
  const bar =
    flags.out === undefined ? undefined : itemsBar(Math.min(named ?? 0, flags.limit ?? named ?? 0), output);
  try {
    const file = flags.out === undefined ? undefined : await openFile(flags.out);
    let count = 0;
    const onTrouble = (message: string) => (bar ?? output).message(`waiting: ${message}`);
    const items = operator.export(which, { limit: flags.limit, signal, onTrouble });
    for (;;) {
      const next = await usage(() => items.next());
      if (next.done) break;
      const line = jsonOf(flags.asNew ? asNew(next.value, target.clock.now()) : next.value);
      if (file) await write(file, `${line}\n`);
      else output.data(line);
      count++;
      bar?.update(count);
    }
    if (file) await close(file);
    bar?.stop();
    const to = flags.out === undefined ? '' : ` to ${flags.out}`;
    output.message(`${counted(count, 'record')} of ${target.where} exported${to}`);
    if (count === 0 && !isNotified) output.message(unservedQueueMessage(queues));
    if (signal.aborted) {
      output.message('interrupted: there may be more');
      return EXIT.failed;
    }
    const missing = Math.min(named ?? 0, flags.limit ?? Number.POSITIVE_INFINITY) - count;
    if (missing <= 0) return EXIT.ok;
    output.message(`${counted(missing, 'record')} of those named not there`);
    return EXIT.problems;
  } finally {
    bar?.stop();
    interrupt.close();
    target.client.destroy();
  }
}

function asNew(item: Item, now: number): Item {
  // One that has come was a delay, or a redrive.
  const { availableAt } = item;
  const isDelayed = typeof availableAt === 'string' && Date.parse(availableAt) > now;
  const isKept = (name: string) =>
    PRODUCERS.has(name) || !CONTRACT_ATTRIBUTES.has(name) || (isDelayed && name === 'availableAt');
  const kept = Object.entries(item).filter(([name]) => isKept(name));
  return Object.fromEntries([...kept, ...('payload' in item ? [] : [['payload', null]])]);
}

/** A new file: what was exported before is not overwritten. */
async function openFile(path: string): Promise<Writable> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    await once(file, 'open');
    return file;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' ? 'it exists already' : message;
    throw new ConfigurationError(`--out: cannot write ${path}: ${reason}`, { cause: error });
  }
}

async function write(file: Writable, text: string): Promise<void> {
  if (!file.write(text)) await once(file, 'drain');
}

async function close(file: Writable): Promise<void> {
  file.end();
  await once(file, 'close');
}
