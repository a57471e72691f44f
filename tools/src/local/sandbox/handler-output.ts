import { withoutUrlSecrets } from 'dynamo-backlog/engine';
import type { OutputSource } from './attempt-output.js';

/** A line that code of the app wrote. */
export interface OutputLine {
  /** The queue whose record was attempted; where that is not known, the function. */
  readonly where: string;
  /** The record whose attempt wrote it. Absent: it is not known. */
  readonly record?: string | undefined;
  readonly text: string;
}

const MAX_TEXT_CHARS = 300;
const MAX_LINES_A_SECOND = 20;
/** Attributes that every structured line has. */
const USUAL: ReadonlySet<string> = new Set([
  ...['level', 'message', 'timestamp', 'service', 'xray_trace_id', 'sampling_rate', 'cold_start'],
  ...['function_name', 'function_arn', 'function_memory_size', 'function_request_id'],
]);

/** Chooses what a terminal shows of the functions' lines: those of the app's own code, so many a second. */
export class HandlerOutput {
  #lines = 0;
  /** Origin of the last line that was left out in this second. */
  #leftOut: string | undefined;

  constructor(private readonly onOutput: (line: OutputLine) => void) {}

  add(
    functionName: string,
    line: string,
    parsed: Readonly<Record<string, unknown>> | undefined,
    source: OutputSource | undefined,
  ): void {
    // The library's own lines are structured, and no attempt writes them.
    if (line.trim() === '' || (source === undefined && parsed !== undefined)) return;
    const where = source?.queue ?? functionName;
    this.#lines += 1;
    if (this.#lines === 1) setTimeout(() => this.#nextSecond(), 1_000).unref();
    if (this.#lines > MAX_LINES_A_SECOND) this.#leftOut = where;
    else this.onOutput({ where, record: source?.id, text: textOf(line, parsed) });
  }

  #nextSecond(): void {
    const where = this.#leftOut;
    const count = this.#lines - MAX_LINES_A_SECOND;
    this.#lines = 0;
    this.#leftOut = undefined;
    if (where !== undefined)
      this.onOutput({ where, text: `… ${count} more lines within a second, in the logs` });
  }
}

function textOf(line: string, parsed: Readonly<Record<string, unknown>> | undefined): string {
  return withoutUrlSecrets(parsed ? structured(parsed) : line, 4 * MAX_TEXT_CHARS).slice(0, MAX_TEXT_CHARS);
}

/** `INFO order sent order=order-7 attempt=1` */
function structured(parsed: Readonly<Record<string, unknown>>): string {
  const { level, message } = parsed;
  return [level, message, fieldsOf(parsed, ['id', 'queue'])]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' ');
}

/** `order=order-7 attempt=1` */
export function fieldsOf(parsed: Readonly<Record<string, unknown>>, left: readonly string[] = []): string {
  return Object.entries(parsed)
    .filter(([name, value]) => value !== undefined && !USUAL.has(name) && !left.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
