import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A node of the syntax tree, with the properties that are read here. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: string;
  readonly value?: string;
  readonly optional?: boolean;
  readonly leadingComments?: readonly Node[] | null;
  // Imports and exports.
  readonly source?: Node | null;
  readonly specifiers?: readonly Node[];
  readonly local?: Node;
  readonly imported?: Node;
  readonly exported?: Node;
  readonly declaration?: Node | null;
  // Declarations and their members.
  readonly id?: Node;
  readonly extends?: readonly Node[];
  readonly expression?: Node;
  readonly body?: { readonly body: readonly Node[] };
  readonly key?: Node;
  // Types.
  readonly typeAnnotation?: Node;
  readonly typeName?: Node;
  readonly typeParameters?: { readonly params: readonly Node[] };
  readonly default?: Node;
  readonly types?: readonly Node[];
  readonly elementType?: Node;
  readonly members?: readonly Node[];
  readonly objectType?: Node;
}

/** An interface or a type alias, and the source that has it. */
export interface Declaration {
  readonly node: Node;
  readonly source: Source;
  readonly docstring: string;
}

const sources = new Map<string, Source>();

/** A source file of the repository. Each is read once. */
export class Source {
  readonly #text: string;
  readonly #body: readonly Node[];

  private constructor(private readonly path: string) {
    this.#text = readFileSync(join(ROOT, path), 'utf8');
    const { program } = parse(this.#text, { sourceType: 'module', plugins: ['typescript'] });
    this.#body = program.body as unknown as readonly Node[];
  }

  static of(path: string): Source {
    const source = sources.get(path) ?? new Source(path);
    sources.set(path, source);
    return source;
  }

  textOf({ start, end }: Node): string {
    return this.#text.slice(start, end);
  }

  /** The declaration of a type that this file declares, imports or exports; undefined for one of a package. */
  find(name: string): Declaration | undefined {
    for (const statement of this.#body) {
      const node = statement.declaration ?? statement;
      if (!DECLARATIONS.has(node.type) || node.id?.name !== name) continue;
      return { node, source: this, docstring: docstringOf(statement) };
    }
    for (const { type, source, specifiers = [] } of this.#body) {
      const file = source && this.#fileOf(source.value ?? '');
      if (!file) continue;
      const named = specifiers.find(({ local, exported = local }) => exported?.name === name);
      if (!named && type !== 'ExportAllDeclaration') continue;
      const found = Source.of(file).find((named?.imported ?? named?.local)?.name ?? name);
      if (found) return found;
    }
    return undefined;
  }

  /** The file of a module, if it is one of this repository. */
  #fileOf(module: string): string | undefined {
    if (!module.startsWith('.')) return undefined;
    const path = join(dirname(this.path), module).replace(/\.js$/, '.ts');
    return existsSync(join(ROOT, path)) ? path : undefined;
  }
}

const DECLARATIONS: ReadonlySet<string> = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration']);

/** The text of the docstring before a node; empty if it has none. */
export function docstringOf({ leadingComments }: Node): string {
  const docstring = leadingComments?.findLast(
    ({ type, value }) => type === 'CommentBlock' && value?.startsWith('*'),
  );
  const lines = (docstring?.value ?? '').split('\n');
  return lines
    .map((line) => line.replace(/^\s*\*+ ?/, '').trimEnd())
    .join('\n')
    .trim();
}
