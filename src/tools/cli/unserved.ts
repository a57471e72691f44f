import { type BacklogRecord, isPending } from '../../record/index.js';
import { counted, printable } from './output.js';

/** Where it is known which queues the rules of the app serve: those of a local runtime. */
interface Served {
  readonly queues?: readonly string[] | undefined;
}

/** `no rule serves "default"`, if that is known; undefined: a rule does, or it is not known. */
export function unservedText(queue: string, { queues }: Served): string | undefined {
  return queues === undefined || queues.includes(queue) ? undefined : `no rule serves "${printable(queue)}"`;
}

/** A line for each queue without a rule in which some of these records wait. */
export function unservedLines(records: readonly BacklogRecord[], served: Served): string[] {
  const waiting = new Map<string, number>();
  for (const record of records)
    if (isPending(record)) waiting.set(record.queue, (waiting.get(record.queue) ?? 0) + 1);
  return [...waiting].flatMap(([queue, count]) => {
    const text = unservedText(queue, served);
    return text === undefined ? [] : `${text}: ${counted(count, 'record')} of these wait until one does`;
  });
}
