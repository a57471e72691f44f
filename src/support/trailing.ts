/**
 * A text without the run of one character at its end: `withoutTrailing('1200', '0')` is `12`.
 *
 * The pattern `/0+$/` does the same in a time that grows with the square of the text's length, because it looks at each
 * run of zeros again from each of its characters. Texts of records, answers and files come from anywhere.
 *
 * @param character one UTF-16 unit
 * @returns the text itself where it does not end so; an empty text where it holds nothing else
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** A text without the run of one character at either end: `withoutEnds('00120', '0')` is `12`. */
export function withoutEnds(text: string, character: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === character) start++;
  while (end > start && text[end - 1] === character) end--;
  return text.slice(start, end);
}
