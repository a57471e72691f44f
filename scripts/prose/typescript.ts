import { type ParserPlugin, parse } from '@babel/parser';

/** A range of characters of the source, from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A piece of prose: the ranges of its lines or literals. A range without a text is a value that is inserted. */
export interface Block {
  readonly pieces: readonly (Range & { readonly text: string })[];
}

interface Comment extends Range {
  readonly type: string;
  readonly value: string;
}
interface SyntaxNode extends Range {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Stands for code and for inserted values: one word of which no rule knows the letters. */
export const PLACEHOLDER = '□';
/** Strings of fewer words are keys, labels or units. */
const MINIMUM_WORDS = 3;
/** Comments that speak to a tool. */
const DIRECTIVE = /^\s*(?:biome-|@ts-|eslint|v8 |c8 |#__|!|<reference)/;
/** Marks of DynamoDB's expressions, SQL, HTML and code that no sentence has. */
const CODE = /attribute_(?:not_)?exists|begins_with|[#:]\w+ [=<>]|[{};]\s*$|=>|\$\{|<\/?[a-z]+[ >]|&&|\|\|/;

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** Properties of nodes that hold no prose: places, comments, which are read by themselves, and the keys of objects. */
const SKIPPED = new Set([
  'loc',
  'errors',
  'comments',
  'leadingComments',
  'innerComments',
  'trailingComments',
  'key',
]);

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  if (node.type.startsWith('Import') && node.type !== 'ImportExpression') return [];
  const children: SyntaxNode[] = [];
  for (const name in node) {
    if (SKIPPED.has(name) || (name === 'source' && node.type.startsWith('Export'))) continue;
    const value = node[name];
    if (Array.isArray(value)) children.push(...value.filter(isNode));
    else if (isNode(value)) children.push(value);
  }
  return children;
}

/** The pieces of a string: of a literal, a template, or several that are joined by `+`. */
function piecesOf(node: SyntaxNode, source: string): (Range & { text: string })[] | undefined {
  const inside = (start: number, end: number) => ({ start, end, text: source.slice(start, end) });
  if (node.type === 'StringLiteral') return [inside(node.start + 1, node.end - 1)];
  if (node.type === 'TemplateLiteral') {
    const [quasis, values] = [node.quasis, node.expressions] as [SyntaxNode[], SyntaxNode[]];
    return quasis.flatMap((quasi, i) => {
      const value = values[i];
      const own = inside(quasi.start, quasi.end);
      return value ? [own, { start: quasi.end, end: value.end + 1, text: PLACEHOLDER }] : [own];
    });
  }
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [node.left, node.right] as [SyntaxNode, SyntaxNode];
  const [before, after] = [piecesOf(left, source), piecesOf(right, source)];
  if (!before && !after) return undefined;
  const value = ({ start, end }: SyntaxNode) => [{ start, end, text: PLACEHOLDER }];
  return [...(before ?? value(left)), ...(after ?? value(right))];
}

function isProse(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /^[("'`]*[A-Za-z][A-Za-z'’-]*[)"'`.,;:!?]*$/.test(word));
  return words.length >= MINIMUM_WORDS && !CODE.test(text);
}

function stringsOf(root: SyntaxNode, source: string): Block[] {
  const blocks: Block[] = [];
  const visit = (node: SyntaxNode) => {
    const pieces = piecesOf(node, source);
    if (pieces && isProse(pieces.map(({ text }) => text).join(''))) blocks.push({ pieces });
    // A template's or a sum's values may hold strings of their own.
    const isString = node.type === 'StringLiteral' || node.type === 'TemplateElement';
    if (isString) return;
    if (pieces && node.type === 'BinaryExpression') {
      const parts = [node.left, node.right] as SyntaxNode[];
      for (const part of parts.filter((side) => !piecesOf(side, source))) visit(part);
      return;
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(root);
  return blocks;
}

/** `it`, `describe`, and with something behind: `it.each(...)`, `describe.skipIf(...)`. */
function isTestFunction({ type, name, object, callee }: SyntaxNode): boolean {
  if (type === 'Identifier') return name === 'it' || name === 'describe';
  const inner = (object ?? callee) as SyntaxNode | undefined;
  return inner !== undefined && isTestFunction(inner);
}

function titlesOf(root: SyntaxNode, source: string): Block[] {
  const blocks: Block[] = [];
  const visit = (node: SyntaxNode) => {
    const [title] = (node.arguments ?? []) as SyntaxNode[];
    const isTest = title && node.type === 'CallExpression' && isTestFunction(node.callee as SyntaxNode);
    const pieces = isTest ? piecesOf(title, source) : undefined;
    if (pieces) blocks.push({ pieces });
    for (const child of childrenOf(node)) visit(child);
  };
  visit(root);
  return blocks;
}

/** The lines of comments, without their marks; line comments that follow one another are one comment. */
function commentLines(comments: readonly Comment[], source: string): (Range & { text: string })[][] {
  const groups: (Range & { text: string })[][] = [];
  let last: Comment | undefined;
  for (const comment of comments.filter(({ value }) => !DIRECTIVE.test(value))) {
    const lines: (Range & { text: string })[] = [];
    let start = comment.start + 2;
    for (const line of comment.value.split('\n')) {
      const mark = /^[\s*/]*/.exec(line)?.[0].length ?? 0;
      const text = line.slice(mark).trimEnd();
      lines.push({ start: start + mark, end: start + mark + text.length, text });
      start += line.length + 1;
    }
    const joins =
      last?.type === 'CommentLine' &&
      comment.type === 'CommentLine' &&
      /^\n[ \t]*$/.test(source.slice(last.end, comment.start));
    if (joins) groups.at(-1)?.push(...lines);
    else groups.push(lines);
    last = comment;
  }
  return groups;
}

/** Paragraphs, list items, rows and tags of a comment. Drawings and code blocks are left out. */
function paragraphsOf(lines: readonly (Range & { text: string })[]): Block[] {
  const blocks: (Range & { text: string })[][] = [[]];
  let fenced = false;
  for (const line of lines) {
    const indented = /^\s{4,}/.test(line.text);
    if (line.text.startsWith('```')) fenced = !fenced;
    const drawn = /^[|+]|[-=]{4,}|[│─┌└]| {3,}/.test(line.text);
    if (fenced || indented || drawn || line.text === '' || line.text.startsWith('```')) blocks.push([]);
    else if (/^(?:@\w+|- |\* |\d+\. )/.test(line.text)) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((pieces) => pieces.length > 0).map((pieces) => ({ pieces }));
}

/** The parts of a source that are read. */
export interface Prose {
  readonly comments: readonly Block[];
  /** Strings that are sentences. */
  strings(): readonly Block[];
  /** Titles of tests and of their groups. */
  titles(): readonly Block[];
}

let last: { readonly source: string; readonly file: ReturnType<typeof parse> } | undefined;

/** A source with its tokens. It is parsed once for all rules, which read one source after the other. */
export function parsed(source: string, plugins: ParserPlugin[]): ReturnType<typeof parse> {
  if (last?.source !== source)
    last = {
      source,
      file: parse(source, { sourceType: 'module', plugins, errorRecovery: true, tokens: true }),
    };
  return last.file;
}

/** The prose of a TypeScript or JavaScript source. */
export function proseOf(source: string, plugins: ParserPlugin[] = ['typescript']): Prose {
  const file = parsed(source, plugins);
  const comments = (file.comments ?? []) as unknown as Comment[];
  const program = file.program as unknown as SyntaxNode;
  return {
    comments: commentLines(comments, source).flatMap(paragraphsOf),
    strings: () => stringsOf(program, source),
    titles: () => titlesOf(program, source),
  };
}
