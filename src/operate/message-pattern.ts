import { shortened } from '../support/shortened.js';
import { causeOf } from './cause.js';

/** The sign for a word that differs from record to record. */
export const ANY_WORD = '{word}';
/** Longer texts are cut: a page must not grow with what others wrote. */
const MAX_MESSAGE = 1_000;
const MAX_WORDS = 24;
const MAX_WORD = 40;

const PARTS: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '{time}'],
  [/\b\d+(?:\.\d+)?(?=(?:ms|s|min|h|KB|MB)\b)/g, '{n}'],
  // Ids have letters and digits, or groups of digits: order-118342, c-9, 2026-118342, a UUID.
  [/[\p{L}\p{N}_-]+/gu, (run) => (isId(run) ? run.replace(/[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/u, '{id}') : run)],
];
const NUMBER = /\d+(?:[.,:]\d+)*/g;

const isId = (run: string) => /\p{N}/u.test(run) && /\p{L}|\d[-_]\d/u.test(run);

/** The status and the destination of the HTTP delivery: they are in the cause. */
const OWN_BEGINNING = /^(HTTP \d{3}|no answer) from \S+/;

function withoutCause(message: string): string {
  const [found, what] = OWN_BEGINNING.exec(message) ?? [];
  if (found === undefined || what === undefined) return message;
  const rest = message.slice(found.length).trim();
  return rest === '' || rest.startsWith('within ') ? `${what} ${rest}` : rest;
}

/** The words of a message, with numbers, times and ids replaced. The cause's own HTTP status stays. */
export function wordsOf(whole: string): string[] {
  const message = whole.slice(0, MAX_MESSAGE);
  const status = String(causeOf({ name: '', message }).status);
  const replaced = PARTS.reduce(
    (text, [part, by]) => (typeof by === 'string' ? text.replace(part, by) : text.replace(part, by)),
    withoutCause(message),
  ).replace(NUMBER, (number) => (number === status ? number : '{n}'));
  const words = replaced.trim().split(/\s+/);
  return words.slice(0, MAX_WORDS).map((word) => shortened(word, MAX_WORD));
}

/** Tells whether a message has this pattern: a `{word}` stands for any word. */
export function hasPattern(message: string, pattern: string): boolean {
  const [words, wanted] = [wordsOf(message), pattern.split(' ')];
  return words.length === wanted.length && wanted.every((word, i) => word === ANY_WORD || word === words[i]);
}
