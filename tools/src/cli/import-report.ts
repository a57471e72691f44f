import { Serving } from 'dynamo-backlog/overview';
import { explain } from './explain.js';
import type { ImportSource } from './import-source.js';
import { counted, type Output, printable } from './output.js';
import { meantText } from './unserved.js';

/** Counts of an import so far. */
export interface ImportCounters {
  unit: ImportSource['unit'];
  inserted: number;
  duplicates: number;
  bad: number;
  /** Number of records that an attribute was left out of, by its name. */
  readonly ignored: Map<string, number>;
  readonly queues: Set<string>;
}

/** Place where an import ended before the end of its source. */
export interface Stop {
  /** The first line or element that was not dealt with. */
  readonly line: number;
  /** True if some behind it may have been imported. */
  readonly hasGaps: boolean;
  /** Absent: the user ended it. */
  readonly cause?: unknown;
}

/** Says where to go on, and why that is needed. */
export function stopText({ line, hasGaps, cause }: Stop, unit: ImportSource['unit'], name: string): string {
  const after = hasGaps ? ', some behind it went in' : '';
  const rest =
    unit === 'line'
      ? `tail -n +${line}`
      : `jq -c '.[${line - 1}:][]'${name === 'stdin' ? '' : ` ${name}`} | backlog import -`;
  const where = `${unit} ${line} is the first that was not imported${after}: go on from there (${rest})`;
  return cause === undefined ? `interrupted; ${where}` : `${explain(cause)}\n${where}`;
}

/** Reports the counts, and what the user should know of the records. */
export function reportImport(
  counters: ImportCounters,
  known: readonly string[] | undefined,
  output: Output,
): void {
  const { unit, inserted, duplicates, bad, ignored, queues } = counters;
  for (const [name, lines] of ignored) {
    output.message(
      `warning: "${name}" is the library's to write, and was left out of ${counted(lines, 'record')}`,
    );
  }
  const serving = new Serving(known && { app: known });
  for (const queue of queues) {
    if (!serving.isUnserved(queue)) continue;
    output.message(
      `warning: the running app has no queue "${printable(queue)}": nothing will attempt its records${meantText(serving.meant(queue))}`,
    );
  }
  output.message(`inserted ${inserted}, duplicates ${duplicates}, bad ${unit}s ${bad}`);
}

/** The counts as JSON, for programs. */
export function importJson(counters: ImportCounters, stop: Stop | undefined): string {
  const { unit, inserted, duplicates, bad, ignored, queues } = counters;
  return JSON.stringify({
    complete: stop === undefined,
    ...(stop ? { next: stop.line } : {}),
    ...{ unit, inserted, duplicates, bad },
    ignored: Object.fromEntries(ignored),
    queues: [...queues].sort(),
  });
}
