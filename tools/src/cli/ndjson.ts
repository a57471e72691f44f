/** A line of a file that is not empty. */
export interface Line {
  /** Number of the line, from 1. */
  readonly number: number;
  readonly text: string;
  /** Bytes of the file up to its end. */
  readonly bytesRead: number;
  /** Reason why the text is no value. */
  readonly problem?: string;
}

/** A line that was read, or one that was too long to be kept. */
export type Value =
  | Line
  | { readonly number: number; readonly text: typeof TOO_LONG; readonly bytesRead: number };

/** Longer than any item of DynamoDB, even with every character escaped. */
export const MAX_LINE_CHARS = 4_000_000;
export const TOO_LONG = Symbol('too long');

/**
 * The lines of a stream, one at a time and never all at once: UTF-8, with or without a byte order mark, with any line
 * ends. Empty lines are left out, but counted. A line longer than 4 million characters is cut to `TOO_LONG`.
 */
export async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Value> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let tooLong = false;
  let number = 0;
  let bytesRead = 0;
  const lineOf = (text: string) => {
    number += 1;
    if (tooLong) {
      tooLong = false;
      return { number, text: TOO_LONG, bytesRead } as const;
    }
    const trimmed = text.trim();
    return trimmed === '' ? undefined : { number, text: trimmed, bytesRead };
  };
  for await (const chunk of stream) {
    bytesRead += chunk.byteLength;
    const [start = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += start;
    for (const part of others) {
      const line = lineOf(rest);
      if (line) yield line;
      rest = part;
    }
    if (rest.length > MAX_LINE_CHARS) {
      tooLong = true;
      rest = '';
    }
  }
  rest += decoder.decode();
  if (rest.trim() === '' && !tooLong) return;
  const line = lineOf(rest);
  if (line) yield line;
}
