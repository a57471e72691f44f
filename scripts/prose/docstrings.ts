/** The folders whose docstrings all name the thing first. Others are added as their docstrings are rewritten. */
const NAMED_FIRST = [
  /^src\/(?:client|intake|monitor|operate|registry|store|support|tasks|testing)\//,
  /^cdk\//,
  /^src\/tools\/(?:charts|console|lab|overview|work)\//,
  /^src\/tools\/[^/]+$/,
  /^src\/[^/]+$/,
  /^src\/tools\/(?:cli|local)\//,
  /^functions\//,
  /^src\/(?:delivery|leases|policies|record|worker)\//,
];
/** A docstring that begins with a consequence or a preposition, and leaves its subject to be guessed. */
const OPENING = /\/\*\*[\s*]*(What|Whether|Where|Which|Why|How|Those|Of|By)\b/g;

/** An opening of a docstring that names no thing, and its place in the source. */
export interface UnnamedDocstring {
  readonly index: number;
  readonly message: string;
}

/** Finds docstrings that do not name the thing first, in folders where all others do. */
export function unnamedDocstrings(source: string, path: string): UnnamedDocstring[] {
  if (!NAMED_FIRST.some((folder) => folder.test(path))) return [];
  return [...source.matchAll(OPENING)].map(({ 0: found, 1: word = '', index }) => ({
    index: index + found.length - word.length,
    message: `"${word} ...": a docstring names the thing first, then what it does`,
  }));
}
