/** One line that a function wrote. */
export interface LogLine {
  /** Real time, epoch milliseconds. */
  readonly at: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** A run with more has them in the function's file. */
const MAX_LINES = 200;
const MAX_CHARACTERS = 8_000;

/**
 * Lines that a function wrote during one invocation, in bounded memory. The last ones may come a moment after its
 * answer.
 */
export class InvocationLog {
  readonly lines: LogLine[] = [];
  /** Lines that found no room. */
  leftOut = 0;

  add(text: string, stream: LogLine['stream']): void {
    if (this.lines.length === MAX_LINES) this.leftOut += 1;
    else this.lines.push({ at: Date.now(), stream, text: text.slice(0, MAX_CHARACTERS) });
  }
}
