import { parseNumber } from 'dynamo-backlog/engine';

/**
 * A string or a number. A string without an end is one as well, up
 * to the end of the text: if it were not, each of the quotes in it would be tried as the beginning of another.
 */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*\\?(?:"|$)|-?\d[\d.eE+-]*/g;
/** Length up to which a double holds every number. */
const SAFE_CHARACTERS = 15;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const MARK = '\u0000number';

/**
 * `JSON.parse`, with numbers that a double cannot hold as the table has them: whole ones as `bigint`, others as
 * `NumberValue`. Identifiers and amounts of other systems must arrive as they were.
 *
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseExactly(text: string): unknown {
  const isInexact = (token: string) =>
    token.length > SAFE_CHARACTERS && NUMBER.test(token) && typeof parseNumber(token) !== 'number';
  if (!(text.match(TOKEN) ?? []).some(isInexact)) return JSON.parse(text);
  const mark = unusedMark(text);
  const marked = text.replace(TOKEN, (token) =>
    isInexact(token) ? `{${JSON.stringify(mark)}:"${token}"}` : token,
  );
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'object' && value !== null && mark in value ? parseNumber(value[mark]) : value,
  );
}

/** Returns a name that no value in the text has, however names are escaped there. Errors speak of the text as it is. */
function unusedMark(text: string): string {
  const names = new Set<string>();
  JSON.parse(text, (name, value) => {
    if (name.startsWith(MARK)) names.add(name);
    return value;
  });
  let mark = MARK;
  while (names.has(mark)) mark += '.';
  return mark;
}
