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

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes as a text of one character each, in which lines and brackets are found without a character being changed. */
export function rawText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The text that such bytes are in UTF-8, without blanks around it; with a `problem` if they are not. */
export function decoded(raw: string): Pick<Line, 'text' | 'problem'> {
  try {
    return { text: utf8.decode(Buffer.from(raw, 'latin1')).trim() };
  } catch {
    return { text: '', problem: 'not in UTF-8: convert it first, such as by iconv -f ISO-8859-1 -t UTF-8' };
  }
}

/**
 * The lines of a stream, one at a time and never all at once: UTF-8, with or without a byte order mark, with any line
 * ends. Empty lines are left out, but counted. A line longer than 4 million bytes is cut to `TOO_LONG`; one that is not in
 * UTF-8 has a `problem`.
 */
export async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Value> {
  let rest = '';
  let tooLong = false;
  let number = 0;
  let bytesRead = 0;
  const lineOf = (raw: string) => {
    number += 1;
    if (tooLong) {
      tooLong = false;
      return { number, text: TOO_LONG, bytesRead } as const;
    }
    const line = decoded(raw);
    return line.text === '' && line.problem === undefined ? undefined : { number, ...line, bytesRead };
  };
  for await (const chunk of stream) {
    bytesRead += chunk.byteLength;
    const [start = '', ...others] = rawText(chunk).split('\n');
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
  if (rest.trim() === '' && !tooLong) return;
  const line = lineOf(rest);
  if (line) yield line;
}
