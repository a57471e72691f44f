import type { ParserPlugin } from '@babel/parser';
import { parsed } from './typescript.js';
import type { Refused } from './words.js';

/** Words that no identifier has, once it is split into words. */
const REFUSED_IN_NAMES: readonly Refused[] = [
  { words: /^(?:most|longest)_/, instead: 'write MAX_' },
  { words: /^least_/, instead: 'write MIN_' },
  { words: /\banew\b/, instead: 'write "again"' },
  { words: /\bformer\b/, instead: 'write "previous"' },
  { words: /\b(?:crowded|paced|tally)\b/, instead: 'write "overflow", "rateLimited" or "counters"' },
  { words: /\bstaff(?:ed|s)?\b/, instead: 'write "assigned"' },
  { words: /\bin hand\b/, instead: 'write "inFlight"' },
  { words: /\bhands? over\b/, instead: 'write "deliver" or "copy"' },
  { words: /\b(?:take in|take back|turn back)\b/, instead: 'write "ingest", "revert" or "abandon"' },
  { words: /\b(?:unplaced|misplaced|in place|grant place)\b/, instead: 'write "indexed" or "notIndexed"' },
  { words: /\bfor good\b/, instead: 'write "permanent"' },
  { words: /\b(?:in )?vain\b/, instead: 'write "fruitless"' },
  { words: /\btold\b/, instead: 'write "reported" or "notified"' },
  { words: /\bstands? still\b/, instead: 'write "isFrozen"' },
];

/** An identifier that has a refused word, where it first occurs in the source. */
export interface RefusedName {
  readonly index: number;
  readonly message: string;
}

/** Finds identifiers that a stranger would not search for. */
export function refusedNames(source: string, plugins: ParserPlugin[]): RefusedName[] {
  const { tokens } = parsed(source, plugins);
  const first = new Map<string, number>();
  for (const { type, value, start } of tokens as readonly Token[]) {
    if (NAME.test(type.label ?? '') && !first.has(String(value))) first.set(String(value), start);
  }
  return [...first].flatMap(([name, index]) => {
    const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
    const refused = REFUSED_IN_NAMES.find((one) => one.words.test(words));
    return refused ? [{ index, message: `"${name}": ${refused.instead}` }] : [];
  });
}

interface Token {
  readonly type: { readonly label?: string };
  readonly value: unknown;
  readonly start: number;
}

const NAME = /^(?:#?name|privateName|jsxName)$/;
