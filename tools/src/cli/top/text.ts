import { age } from 'dynamo-backlog/engine';
import { printable } from '../output.js';
import { width } from '../paint.js';

/** Letters and signs that take two columns, or as many as the terminal likes. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\ufffc\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Cn}|\p{Co}|\p{Cs}/gu;
/** Marks that take no column: they change the direction, or what stands before them. */
const NO_WIDTH = /\p{M}|\p{Cf}/gu;

/** Text that others wrote, with one column for each character: a picture whose lines are too long is torn. */
export function oneColumnEach(text: string): string {
  return printable(text).replace(NO_WIDTH, '').replace(WIDE, '□');
}

/** Age in its largest unit only: `16 min`, `2 h`. */
export function shortAge(milliseconds: number): string {
  return age(milliseconds).split(' ').slice(0, 2).join(' ');
}

/** `950`, `12.3k`, `4.56M`: at most five characters up to 999 million. */
export function shortCount(number: number): string {
  if (number < 10_000) return number.toLocaleString('en-US');
  const [unit, name] = number < 999_500 ? [1e3, 'k'] : number < 999_500_000 ? [1e6, 'M'] : [1e9, 'G'];
  const value = number / unit;
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)}${name}`;
}

/** Breaks a text at spaces into so many lines at most; what is left out is said by `…`. */
export function wrapped(text: string, columns: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (width(longer) <= columns || line === '') {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  lines.push(line);
  const shown = lines.slice(0, most);
  const last = shown.at(-1);
  if (last === undefined || lines.length <= most) return shown;
  return [...shown.slice(0, -1), `${last.slice(0, columns - 2)} …`];
}
