import { ANY_WORD, wordsOf } from '../operate/message-pattern.js';

const SIGN = /\{(?:n|id|time|word)\}/;

/** The number of rare messages that must be alike before their words are replaced. */
const MIN_ALIKE = 4;
/** The number of records of a rare message; in a large cause a twentieth of its records. */
const RARE = 3;
const RARE_SHARE = 1 / 20;

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
