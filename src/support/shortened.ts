/** The text, cut at so many characters. A page must not grow with what others wrote. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half a character (a lone surrogate) would be shown as a replacement mark.
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
