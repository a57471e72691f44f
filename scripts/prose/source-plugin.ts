import type { TextlintPluginCreator } from '@textlint/kernel';
import { type Block, PLACEHOLDER, proseOf } from './typescript.js';

/** Lines and columns of offsets, as textlint counts them: lines from 1, columns from 0. */
function locator(source: string) {
  const starts = [0];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset: number) => {
    const after = starts.findIndex((start) => start > offset);
    const line = after === -1 ? starts.length : after;
    return { line, column: offset - (starts[line - 1] ?? 0) };
  };
}

/** A source as textlint reads it: a paragraph for each comment and string. Strings of a test are data; its titles are headers. */
function documentOf(source: string, path: string) {
  const locate = locator(source);
  const node = (type: string, start: number, end: number) => ({
    type,
    range: [start, end],
    loc: { start: locate(start), end: locate(end) },
    raw: source.slice(start, end),
  });
  const block = (type: 'Paragraph' | 'Header', { pieces }: Block) => ({
    ...node(type, pieces[0]?.start ?? 0, pieces.at(-1)?.end ?? 0),
    children: pieces.map(({ start, end, text }) => ({
      ...node(text === PLACEHOLDER ? 'Code' : 'Str', start, end),
      value: text,
    })),
  });
  const { comments, strings, titles } = proseOf(source, pluginsFor(path));
  const children = [
    ...comments.map((comment) => block('Paragraph', comment)),
    ...(path.startsWith('test/')
      ? titles().map((title) => block('Header', title))
      : strings().map((text) => block('Paragraph', text))),
  ];
  return { ...node('Document', 0, source.length), children };
}

/** The parser's plugins for a file. */
export function pluginsFor(path: string): ('typescript' | 'jsx')[] {
  if (path.endsWith('.tsx')) return ['typescript', 'jsx'];
  return path.endsWith('.ts') ? ['typescript'] : [];
}

class SourceProcessor {
  availableExtensions() {
    return ['.ts', '.tsx', '.mjs'];
  }

  processor() {
    return {
      preProcess: (text: string, path = '') => documentOf(text, path),
      postProcess: (messages: unknown[], filePath = '') => ({ messages, filePath }),
    };
  }
}

/** A textlint plugin: the comments and sentences of TypeScript and JavaScript, and the titles of tests. */
export const sourcePlugin = { Processor: SourceProcessor } as unknown as TextlintPluginCreator;
