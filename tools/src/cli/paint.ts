import { styleText } from 'node:util';
import stringWidth from 'string-width';

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

/** Number of columns that a text takes: styles none, signs such as 古 and emoji two. */
export function width(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

const ASCII = /^[ -~]*$/;
const GRAPHEMES = new Intl.Segmenter();

/** Cuts a styled text at a column; a style that is open at the cut is ended. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let left = columns - 1;
  let result = '';
  for (const part of text.split(STYLES)) {
    if (part.startsWith('\u001b')) {
      result += part;
      continue;
    }
    for (const { segment } of left < 0 ? [] : GRAPHEMES.segment(part)) {
      const own = width(segment);
      if (own > left) {
        result += '…'.slice(0, columns);
        left = -1;
        break;
      }
      result += segment;
      left -= own;
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
