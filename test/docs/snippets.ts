import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages, ROOT } from './pages.js';

/** A block of TypeScript in a page. */
export interface Snippet {
  readonly path: string;
  /** The number of its first line of code, in the page. */
  readonly line: number;
  readonly code: string;
  /** The type that an object with these properties is a part of, where the block shows no more of it. */
  readonly partOf: string | undefined;
}

/** `<!-- file: … -->` before a block: another test compares it with that file, which is compiled. */
const BLOCK = /^(?:<!-- (file|part of): (.*) -->\n)?```ts\n([\s\S]*?)^```$/gm;
const IMPORT = /^import [\s\S]*?;\n/gm;

export function snippetsOf(path: string, text: string): Snippet[] {
  return [...text.matchAll(BLOCK)].flatMap(({ index, 0: whole, 1: kind, 2: value, 3: code = '' }) => {
    if (kind === 'file') return [];
    const line = text.slice(0, index + whole.indexOf('```ts\n')).split('\n').length + 1;
    return [{ path, line, code, partOf: kind === undefined ? undefined : value }];
  });
}

/** A module that the compiler takes. Its first line of code is the second line. */
function moduleOf({ code, partOf }: Snippet): string {
  if (partOf !== undefined)
    return `export function part(this: import('aws-cdk-lib').Stack): Partial<${partOf}> { return {\n${code}}; }\n`;
  if (!/\bthis[,.)]/.test(code.replace(/\/\/.*$|\/\*[\s\S]*?\*\//gm, ''))) return `export {};\n${code}`;
  // Lines of imports stay where they are, as empty ones: the numbers of the others are those of the page.
  const imports = [...code.matchAll(IMPORT)].map(([one]) => one.replaceAll('\n', ' ')).join('');
  const rest = code.replace(IMPORT, (one) => one.replace(/[^\n]/g, ''));
  return `${imports}export function example(this: import('aws-cdk-lib').Stack) {\n${rest}}\n`;
}

/** The compiler's complaints about the snippets, by page and line; empty if all is well. */
export function compile(snippets: readonly Snippet[]): string {
  const folder = join(ROOT, '.snippets', String(process.pid));
  const files = new Map(snippets.map((one, i) => [`${i}.ts`, one]));
  mkdirSync(folder, { recursive: true });
  try {
    for (const name of ['snippet-globals.d.ts', 'snippet-modules.d.ts'])
      cpSync(join(ROOT, 'test/docs', name), join(folder, name));
    for (const [name, snippet] of files) writeFileSync(join(folder, name), moduleOf(snippet));
    const settings = {
      extends: '../../tsconfig.json',
      compilerOptions: { rootDir: '../..', noUncheckedIndexedAccess: false },
      include: ['.'],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return (stdout + stderr).replace(/^(\d+\.ts)\((\d+),\d+\)/gm, (whole, name: string, line: string) => {
      const snippet = files.get(name);
      return snippet === undefined ? whole : `${snippet.path}:${snippet.line + Number(line) - 2}`;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const allSnippets = (): Snippet[] => pages().flatMap(({ path, text }) => snippetsOf(path, text));
