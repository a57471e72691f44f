import { causeOf } from '../operate/cause.js';
import { shortened } from './format.js';

/** The sign for a word that differs from record to record. */
const ANY_WORD = '{word}';
const SIGN = /\{(?:n|id|time|word)\}/;
/** Longer texts are cut: a page must not grow with what others wrote. */
const MAX_MESSAGE = 1_000;
const MAX_WORDS = 24;
const MAX_WORD = 40;

/** The number of rare messages that must be alike before their words are replaced. */
const MIN_ALIKE = 4;
/** The number of records of a rare message; in a large cause a twentieth of its records. */
const RARE = 3;
const RARE_SHARE = 1 / 20;

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
function wordsOf(whole: string): string[] {
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

interface Message {
  readonly words: readonly string[];
  /** The number of records that have it. */
  records: number;
}

/**
 * The patterns of the messages of one cause, in their order. Numbers, times and ids are replaced in each. A word is
 * replaced if at least four rare messages are the same except such words, which are half of them at most.
 */
export function patternsOf(messages: readonly string[]): string[] {
  const each = messages.map((message) => wordsOf(message).join(' '));
  const distinct = new Map<string, Message>();
  for (const text of each) {
    const message = distinct.get(text) ?? { words: text.split(' '), records: 0 };
    message.records++;
    distinct.set(text, message);
  }
  const rare = [...distinct.values()].filter(
    ({ records }) => records <= Math.max(RARE, messages.length * RARE_SHARE),
  );
  const merged = new Map<string, string>();
  for (const alike of groupsOf(rare)) {
    if (alike.length < MIN_ALIKE) continue;
    const pattern = commonWords(alike);
    for (const { words } of alike) merged.set(words.join(' '), pattern);
  }
  return each.map((text) => merged.get(text) ?? text);
}

/** Messages that are like the first one of their group. */
function groupsOf(messages: readonly Message[]): Message[][] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const group = groups.find(([first]) => first && areAlike(first.words, message.words));
    if (group) group.push(message);
    else groups.push([message]);
  }
  return groups;
}

function areAlike(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  let [same, differing] = [0, 0];
  for (const [i, word] of one.entries()) {
    if (word !== other[i]) differing++;
    else if (!SIGN.test(word)) same++;
    if (differing > one.length / 2) return false;
  }
  return same > 0 && same >= differing;
}

function commonWords(messages: readonly Message[]): string {
  const [first = { words: [] }] = messages;
  const word = (text: string, i: number) =>
    messages.every(({ words }) => words[i] === text) ? text : ANY_WORD;
  return first.words.map(word).join(' ');
}
