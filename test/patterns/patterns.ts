import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';

/** A regular expression as a source file has it. */
export interface Pattern {
  /** `src/support/duration.ts:21` */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

const ROOT = join(import.meta.dirname, '../..');

/** Regular expressions of the files that ship, and the places where one is put together while it runs. */
export function shippedPatterns(): { readonly literals: readonly Pattern[]; readonly made: string[] } {
  const literals: Pattern[] = [];
  const made = new Set<string>();
  for (const folder of ['src', 'functions', 'cdk', 'tools/src', 'examples']) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.(?:ts|tsx|mjs|js)$/.test(name) || /node_modules|cdk\.out|\.d\.ts$/.test(name)) continue;
      const file = `${folder}/${name}`;
      const isMarkup = name.endsWith('x');
      const { program } = parse(readFileSync(join(ROOT, file), 'utf8'), {
        sourceType: 'module',
        plugins: isMarkup ? ['typescript', 'jsx'] : ['typescript'],
      });
      visit(program, (node) => {
        if (node.type === 'RegExpLiteral') {
          literals.push({
            place: `${file}:${node.loc.start.line}`,
            source: node.pattern ?? '',
            flags: node.flags ?? '',
          });
        } else if (node.callee?.name === 'RegExp') made.add(file);
      });
    }
  }
  return { literals, made: [...made].sort() };
}

interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number } };
  readonly pattern?: string;
  readonly flags?: string;
  readonly callee?: { readonly name?: string };
}

function visit(value: unknown, look: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && 'loc' in value) look(value as Node);
  for (const [name, child] of Object.entries(value)) if (name !== 'loc') visit(child, look);
}
