/** Words that these pages do not use, and what they say instead. */
export interface Refused {
  readonly words: RegExp;
  readonly instead: string;
}

/** A person may be "who"; a record, a run or a queue may not. */
const PEOPLE =
  'attacker|operator|user|person|people|team|reader|developer|author|customer|maintainer|contributor|those|anyone|someone';

export const REFUSED: readonly Refused[] = [
  {
    words: /\b(?:nobody|somebody|anybody|everybody)\b/gi,
    instead: 'name the subject: "no run", "another process", "an operator"',
  },
  {
    words: new RegExp(`(?<!\\b(?:${PEOPLE})s?,?\\s+)\\b(?:who|whom|whoever)\\b`, 'gi'),
    instead: 'write "which", "that" or a noun: records, runs and queues are "it"',
  },
  { words: /\bin peace\b/gi, instead: 'write "is not called" or "is not attempted"' },
  {
    words: /\b(?:told|tells?|telling) of\b/gi,
    instead: 'write "is notified of", "receives", "reports" or "names"',
  },
  {
    words:
      /\b(?:in|into|from|out of) (?:one|two|no|any|other|another's|its|their|whose|several) hands?\b|\bin hand\b/gi,
    instead: 'write "in flight" or "claimed"',
  },
  { words: /\bma(?:kes?|de|king) no sense\b/gi, instead: 'write "is invalid"' },
  {
    words: /\b(?:misplaced|unplaced)\b|\b(?:no|without a|its|their|a) place in the index\b/gi,
    instead: 'write "indexed" or "not indexed"',
  },
  {
    words:
      /\b(?:has|have|had|had had) (?:no|their|its|a|been given (?:a|its|their)) place\b|\bwithout a place\b|\b(?:given?|gives|giving|gets?|getting|got|for) (?:them |it |records )?(?:a|its|their) place\b|\bneeds? no place\b/gi,
    instead: 'write "is indexed", "indexes" or "not indexed"',
  },
  { words: /\bboth worlds\b/gi, instead: 'write "indexed" and "waiting for its first attempt"' },
  {
    words: /\b(?:crowded|paced|tall(?:y|ies))\b/gi,
    instead: 'write "concurrency-limited", "rate-limited" or "counters"',
  },
  {
    words: /\b(?:take-in|take-back|(?<!backlog )hand-over|kept[- ]texts?|lone[- ]attempts?)\b/gi,
    instead: 'write "intake", "redelivery", "wait for lease", "redaction" or "crash recovery"',
  },
  { words: /\b(?:sees?|saw|seen|seeing) to\b/gi, instead: 'write "handles", "recovers" or "ensures"' },
  { words: /\bthe other side\b/gi, instead: 'write "the destination"' },
  { words: /\b(?:puts?|putting|set|sets) (?:\w+ )?right\b/gi, instead: 'write "repairs" or "corrects"' },
  { words: /\b(?:comes?|came|coming) by\b/gi, instead: 'write "starts" or "asks for the lease"' },
  { words: /\bst(?:ands?|ood|anding) still\b/gi, instead: 'write "is frozen"' },
  { words: /\banew\b/gi, instead: 'write "again"' },
  {
    words: /\b(?:lest|hence|thereby|whereby|thereof|therein|albeit|whence)\b/gi,
    instead: 'use everyday words',
  },
  { words: /(?<=^|[.:;!?]\s+)else\b(?!\s+if)/gi, instead: 'write "otherwise"' },
  { words: /\bnothing of\b/gi, instead: 'write "no", "none of" or "does not know"' },
  { words: /\bas (?:it|they|one) comes?\b/gi, instead: 'write "on insertion" or "when it is inserted"' },
  { words: /\bwritten over\b/gi, instead: 'write "overwritten"' },
  { words: /\bfor good\b/gi, instead: 'write "permanently"' },
  {
    words: /\b(?:bears?|borne|shall|in vain|(?:is|are|too|more|so) dear|the former|the latter)\b/gi,
    instead: 'use everyday words',
  },
  { words: /\bbut for\b/gi, instead: 'write "except"' },
  { words: /\bshould (?:it|this|they|one|these|that|there)\b/gi, instead: 'write "if it ..."' },
  { words: /(?<!\b(?:any|some|no|every)thing )(?<!where )\belse(?=[.;)]|$)/gi, instead: 'write "otherwise"' },
  { words: /\bformer\b/gi, instead: 'write "previous" or "earlier"' },
  { words: /\bwhat becomes? of\b/gi, instead: 'write "what happens to"' },
  {
    words: /\b(?:is|are|was|were|be|been|has|have) told\b(?!\s(?:to|of|apart)\b)/gi,
    instead: 'write "is reported", "is notified" or "says"',
  },
  { words: /\bas (?:it|they) stands?\b/gi, instead: 'write "as it is now"' },
  // "Of all entries." as a whole comment; "Of two claims, one is refused." is a sentence.
  {
    words: /^Of (?=[^,]*?(?:[.:;]|$))/g,
    instead: 'begin with what it is: "The size of ...", "The name of ..."',
  },
  { words: /(?<=[:;,]\s)should the\b/gi, instead: 'write "if the ..."' },
];
