import type { TextlintKernelRule, TextlintRuleModule } from '@textlint/kernel';
import { PLACEHOLDER } from './typescript.js';
import { REFUSED } from './words.js';

/** A sentence of more words has to be read twice. Code and inserted values count as one word each. */
export const MAXIMUM_WORDS = 35;
/** The same for a heading, and for the title of a test. */
export const MAXIMUM_WORDS_OF_TITLE = 30;

/** "It had had time", "it knows that that one is free". */
const MAY_DOUBLE = new Set(['had', 'that']);

interface TextNode {
  readonly type: string;
  readonly raw: string;
  readonly range: readonly [number, number];
  readonly children?: readonly TextNode[];
}
interface Complaint {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}
interface Text {
  readonly text: string;
  /** The place of a character of the text, counted from the node's beginning. */
  at(index: number): number;
}

const hidden = (code: string) => code.replace(/\S|\s/g, PLACEHOLDER);

/** The leaves of a paragraph in order: their words, with placeholders of the same length for code. */
function leavesOf(node: TextNode): { start: number; text: string }[] {
  const [start] = node.range;
  if (node.type === 'Str') return [{ start, text: node.raw }];
  if (node.type === 'Code') return [{ start, text: hidden(node.raw) }];
  if (node.type === 'Break') return [{ start, text: ' ' }];
  return (node.children ?? []).flatMap(leavesOf);
}

function textOf(node: TextNode): Text {
  const offsets: number[] = [];
  let text = '';
  let end = 0;
  for (const leaf of leavesOf(node)) {
    // Lines of a comment, and the literals of a sum; a value that is inserted leaves a gap within one line.
    const gap = text === '' ? '' : node.raw.slice(end - node.range[0], leaf.start - node.range[0]);
    const joint = gap.includes('\n') && !/\s$/.test(text) ? ' ' : '';
    for (const [i, character] of [...(joint + leaf.text).split('').entries()]) {
      offsets.push(leaf.start + Math.max(0, i - joint.length));
      text += character;
    }
    end = leaf.start + leaf.text.length;
  }
  const words = text.replace(/`[^`]*`|\{@link [^}]*\}|https?:\/\/\S+/g, hidden);
  return { text: words, at: (index) => (offsets[Math.min(index, offsets.length - 1)] ?? 0) - node.range[0] };
}

const rule = (
  ruleId: string,
  complaintsOf: (text: string, isTitle: boolean) => Complaint[],
): TextlintKernelRule => {
  const reporter: TextlintRuleModule = ({ report, RuleError, locator }) => {
    const check = (node: TextNode) => {
      const { text, at } = textOf(node);
      for (const { start, end, message } of complaintsOf(text, node.type === 'Header')) {
        const padding = locator.range([at(start), at(end - 1) + 1]);
        report(node as never, new RuleError(message, { padding }));
      }
    };
    return { Paragraph: check, Header: check, TableCell: check };
  };
  return { ruleId, rule: reporter };
};

/** Sentences of a paragraph: they end at a full stop, a question mark or an exclamation mark. */
export function sentencesOf(text: string): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(/[.!?]+["'’”)*]*(?=\s|$)/g)) {
    if (/\b(?:e\.g|i\.e|etc|vs|cf)$/.test(text.slice(0, index)) && index + mark.length < text.length)
      continue;
    sentences.push({ start, end: index + mark.length });
    start = index + mark.length;
  }
  if (text.slice(start).trim() !== '') sentences.push({ start, end: text.length });
  return sentences;
}

export const RULES: readonly TextlintKernelRule[] = [
  rule('words', (text) =>
    REFUSED.flatMap(({ words, instead }) =>
      [...text.matchAll(words)].map(({ 0: found, index }) => ({
        start: index,
        end: index + found.length,
        message: `"${found.replace(/\s+/g, ' ')}": ${instead}`,
      })),
    ),
  ),
  rule('sentence-length', (text, isTitle) => {
    const maximum = isTitle ? MAXIMUM_WORDS_OF_TITLE : MAXIMUM_WORDS;
    return sentencesOf(text).flatMap(({ start, end }) => {
      const words = text
        .slice(start, end)
        .split(/\s+/)
        .filter((word) => /[\p{L}\p{N}□]/u.test(word));
      if (words.length <= maximum) return [];
      const begin = start + (/\S/.exec(text.slice(start))?.index ?? 0);
      const message = `"${words.slice(0, 5).join(' ')} ...": a sentence of ${words.length} words; write several, of at most ${maximum} each`;
      return [{ start: begin, end, message }];
    });
  }),
  rule('doubled-word', (text) =>
    [...text.matchAll(/(?<![\p{L}\p{N}-])(\p{L}+)\s+(?=(\p{Ll}+)(?![\p{L}\p{N}-]))/gu)]
      .filter(([, first = '', second = '']) => first.toLowerCase() === second && !MAY_DOUBLE.has(second))
      .map(({ 0: found, 1: first = '', index }) => ({
        start: index,
        end: index + found.length + first.length,
        message: `"${first} ${first.toLowerCase()}": write "${first}" once`,
      })),
  ),
];
