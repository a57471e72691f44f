import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** Puts a style on a text, or leaves it as it is where colours are off. */
export type Paint = (format: Format, text: string) => string;

export function painter(colors: boolean): Paint {
  // Whether there are colours has been decided: the stream must not be asked again.
  return colors
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_format, text) => text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences that styles consist of
const STYLES = /(\u001b\[[0-9;]*m)/g;

/** How many columns a text takes, styles not counted. */
export function width(text: string): number {
  return [...text.replace(STYLES, '')].length;
}

/** Cuts a styled text at a column; a style that is open at the cut is ended. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let used = 0;
  let result = '';
  for (const part of text.split(STYLES)) {
    if (part.startsWith('\u001b')) {
      result += part;
      continue;
    }
    for (const char of part) {
      if (used < columns - 1) result += char;
      else if (used === columns - 1) result += '…';
      used += 1;
    }
  }
  return result;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - width(text))) + text;
}
