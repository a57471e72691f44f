/** The source whose docstrings are held to it. The linter's own test has openings that it refuses. */
const SOURCE = /^(?:src|cdk|functions|tools|scripts|bench|examples|test(?!\/prose\.test\.ts))\//;
/** A docstring that begins with a consequence or a preposition, and leaves its subject to be guessed. */
const OPENING =
  /\/\*\*[\s*]*(What|Whether|Where|Which|Why|How|Those|Of|In|On|At|By|For|From|With|To|Beyond|As|Until|Before|After|Under|Without|Behind|Within)\b/g;

/** An opening of a docstring that names no thing, and its place in the source. */
export interface UnnamedDocstring {
  readonly index: number;
  readonly message: string;
}

/** Finds docstrings that do not name the thing first. */
export function unnamedDocstrings(source: string, path: string): UnnamedDocstring[] {
  if (!SOURCE.test(path)) return [];
  return [...source.matchAll(OPENING)].map(({ 0: found, 1: word = '', index }) => ({
    index: index + found.length - word.length,
    message: `"${word} ...": a docstring names the thing first, then what it does`,
  }));
}
