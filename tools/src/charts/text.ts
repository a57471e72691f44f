const NARROW = /[fijlrtI.,:;'"!|()[\]{} -]/;
const WIDE = /[mwMW@%…—]/;
const CAPITAL = /[A-Z0-9_&<>=+#?]/;
/** Letters of the fonts. Any other one is as wide as it is high, at most. */
const LATIN = /[ -\u024f\u2010-\u2027]/;

/** The width of bold letters, in those of normal ones. */
export const BOLD = 1.08;

/** The width of a text in a common font without serifs, in pixels: about, and rather too much. */
export function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const letter of text) {
    if (!LATIN.test(letter)) ems += 1.1;
    else if (NARROW.test(letter)) ems += 0.33;
    else if (WIDE.test(letter)) ems += 0.93;
    else ems += CAPITAL.test(letter) ? 0.68 : 0.58;
  }
  return ems * size;
}

/** The lines of a text, none wider than `width`: broken at spaces, or within a word that is longer. */
export function wrapped(text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (textWidth(longer, size) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const letter of word) {
      if (textWidth(line + letter, size) > width) {
        lines.push(line);
        line = '';
      }
      line += letter;
    }
  }
  return [...lines, line];
}

/** The beginning of a text, as much as fits, with `…` for the rest. */
export function shortened(text: string, width: number, size: number): string {
  if (textWidth(text, size) <= width) return text;
  const letters = [...text];
  while (letters.length > 0 && textWidth(`${letters.join('')}…`, size) > width) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
