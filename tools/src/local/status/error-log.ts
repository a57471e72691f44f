import type { RunReport } from 'dynamo-backlog/overview';
import type { Notice } from '../sandbox/function-logs.js';
import type { RunDetails } from './run-report.js';
import { withShortPlaces } from './short-places.js';
import type { HandlerError } from './status.js';

const KEPT_ERRORS = 10;
/** Places in packages and in Node.js: the user's mistake is in none of them. */
const FOREIGN_FRAME = /\(?(?:node:|internal\/)|[\\/]node_modules[\\/]/;

/**
 * Errors that handlers threw, each once with its count. An error goes when a later run of its queue has attempts that
 * succeed and none that fails.
 */
export class ErrorLog {
  #errors: HandlerError[] = [];

  /** The newest last. */
  get current(): readonly HandlerError[] {
    return this.#errors;
  }

  /** @param at backlog time, ISO-8601 */
  add({ functionName, queue, text, record, stack = [] }: Notice, at: string): void {
    this.#put({ at, where: queue ?? functionName, text, record, stack: ownFrames(stack), count: 1 });
  }

  /** A run has ended: it threw as a whole, or shows that an error is over. */
  ended({ at, label, outcome, text, summary }: RunReport, details: RunDetails | undefined): void {
    if (outcome === 'error' && details?.stack !== undefined) {
      const frames = details.stack.split('\n').filter((line) => /^\s*at /.test(line));
      this.#put({ at, where: label, text, stack: ownFrames(frames), count: 1 });
      return;
    }
    if (outcome !== 'ok') return;
    this.#errors = this.#errors.filter(({ where }) => where !== label);
    for (const { queue, succeeded, failed, dead } of summary?.queues ?? (summary ? [summary] : [])) {
      if (succeeded > 0 && failed + dead === 0) {
        this.#errors = this.#errors.filter(({ where }) => where !== queue);
      }
    }
  }

  #put(error: HandlerError): void {
    const same = this.#errors.find((one) => keyOf(one) === keyOf(error));
    const others = this.#errors.filter((one) => one !== same);
    this.#errors = [...others, { ...error, count: (same?.count ?? 0) + 1 }].slice(-KEPT_ERRORS);
  }
}

/** The same error from the same place: texts often name what differs from record to record. */
function keyOf({ where, text, stack }: HandlerError): string {
  return JSON.stringify([where, text.split(':')[0], stack[0] ?? text]);
}

/** `at charge (src/orders.ts:12:5)`: those of the user's code, or all where none is. */
export function ownFrames(frames: readonly string[]): string[] {
  const lines = frames.map((frame) => withShortPlaces(frame.trim()));
  const own = lines.filter((line) => !FOREIGN_FRAME.test(line));
  return own.length > 0 ? own : lines;
}
