/** The one place that writes to the terminal: data to stdout, everything said to the user to stderr. */
export interface Output {
  /** A line of data, for the next program in the pipe. */
  data(line: string): void;
  /** A line for the user. */
  message(line: string): void;
}

export const processOutput: Output = {
  data: (line) => void process.stdout.write(`${withoutTricks(line)}\n`),
  message: (line) => void process.stderr.write(`${line}\n`),
};

/** Characters that JSON leaves as they are, and that a terminal obeys or reorders text by. */
const TRICKS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The same data for the next program: in JSON, they stand in strings only, where an escape means the same. */
function withoutTricks(line: string): string {
  return line.replace(TRICKS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Exit codes that a script can use. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** The command did its work, and some of the input was bad. */
  problems: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Colours only for people: on a terminal, and not where NO_COLOR is set. https://no-color.org */
export function hasColors(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}

/** A text that cannot play tricks on the terminal: payloads and errors come from anywhere. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, ' ');
}

/** `1 record`, `3 records`. */
export function counted(count: number, noun: string, text = String(count)): string {
  return `${text} ${noun}${count === 1 ? '' : 's'}`;
}

/** `2026-11-20 09:30:00` */
export function clock(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}
