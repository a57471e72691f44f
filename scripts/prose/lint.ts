import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { TextlintKernel, type TextlintKernelPlugin } from '@textlint/kernel';
import { unnamedDocstrings } from './docstrings.js';
import { refusedNames } from './identifiers.js';
import { RULES } from './rules.js';
import { pluginsFor, sourcePlugin } from './source-plugin.js';

/** A fault of a page or a source, and its place. Lines and columns begin at 1. */
export interface ProseComplaint {
  readonly line: number;
  readonly column: number;
  readonly rule: string;
  readonly message: string;
}

// A CommonJS package with a default export: tsx and vitest import it differently.
const require = createRequire(import.meta.url);
const markdown = require('@textlint/textlint-plugin-markdown') as {
  readonly default: TextlintKernelPlugin['plugin'];
};

const kernel = new TextlintKernel();
const plugins: TextlintKernelPlugin[] = [
  { pluginId: 'markdown', plugin: markdown.default },
  { pluginId: 'source', plugin: sourcePlugin },
];

/** @param path by its extension it is a page (`.md`) or a source (`.ts`, `.mjs`) */
export async function lintProse(text: string, path: string): Promise<ProseComplaint[]> {
  const options = { filePath: path, ext: extname(path), plugins, rules: [...RULES] };
  const { messages } = await kernel.lintText(text, options);
  return [
    ...messages.map(({ ruleId, message, loc: { start } }) => ({ ...start, rule: ruleId, message })),
    ...unnamedDocstrings(text, path).map(at('docstring', text)),
    ...(/\.(?:tsx?|mjs)$/.test(path) ? refusedNames(text, pluginsFor(path)) : []).map(at('name', text)),
  ];
}

function at(rule: string, text: string) {
  return ({ index, message }: { readonly index: number; readonly message: string }): ProseComplaint => {
    return { ...placeOf(text, index), rule, message };
  };
}

function placeOf(text: string, index: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, index).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
