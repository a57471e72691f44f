/** A string, or a number of so many characters that a double may not hold it. */
const TOKEN = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const MARK = '\u0000integer';

/**
 * `JSON.parse`, with whole numbers that a double cannot hold as `bigint`: identifiers of other systems must arrive as
 * they were.
 *
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseExactly(text: string): unknown {
  let marked = false;
  const replaced = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token) return token;
    marked = true;
    return `{${JSON.stringify(MARK)}:"${token}"}`;
  });
  if (!marked) return JSON.parse(text);
  // Errors should speak of the text as it is.
  JSON.parse(text);
  return JSON.parse(replaced, (_key, value) =>
    typeof value === 'object' && value !== null && MARK in value ? BigInt(value[MARK]) : value,
  );
}
