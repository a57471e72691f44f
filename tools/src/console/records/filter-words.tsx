import type { Status } from 'dynamo-backlog';
import { capitalized, Foreign } from '../parts.js';
import type { FilterText } from './filter.js';

/** A part of a sentence. Words that an operator or a producer wrote are `foreign`, and are isolated on a page. */
type Word = string | { readonly foreign: string };

/** Words before and behind `of orders`. */
const STATES: Readonly<Record<Status | '', readonly [before: string, after: string]>> = {
  '': ['records', 'that are not finished'],
  NEW: ['new records', ''],
  ERROR: ['records', 'that are in retry'],
  SUCCESS: ['records', 'that have succeeded'],
  DEAD: ['dead records', ''],
};

/** `records of orders that are in retry, whose last error is HttpError and whose last failure is within 1h`. */
function wordsOf(text: FilterText): Word[] {
  const [before, after] = STATES[text.status as Status | ''] ?? STATES[''];
  const clauses: Word[][] = [...(after ? [[after]] : []), ...conditionsOf(text)];
  const joint = (i: number) => (i === 0 ? ' ' : i === clauses.length - 1 ? ' and ' : ', ');
  return [
    before,
    ...(text.queue ? [' of ', { foreign: text.queue }] : []),
    ...clauses.flatMap((clause, i) => [joint(i), ...clause]),
  ];
}

function conditionsOf(text: FilterText): Word[][] {
  const { errorName, pattern, error, failedWithin, failedBefore, younger, older, id, key, where } = text;
  const all: (readonly [given: string, ...words: Word[]])[] = [
    [errorName, 'whose last error is ', { foreign: errorName }],
    [pattern, 'whose message is like ', { foreign: pattern }],
    [error, 'whose error contains ', { foreign: error }],
    [failedWithin, 'whose last failure is within ', { foreign: failedWithin }],
    [failedBefore, 'whose last failure is longer ago than ', { foreign: failedBefore }],
    [younger, 'inserted within ', { foreign: younger }],
    [older, 'inserted longer ago than ', { foreign: older }],
    [id, 'whose id begins with ', { foreign: id }],
    [key, 'with the key ', { foreign: key }],
    [where, 'with ', { foreign: where }, ' in the payload'],
  ];
  return all.filter(([given]) => given !== '').map(([, ...words]) => words);
}

/** The records that a filter means, as plain text. */
export function filterText(text: FilterText): string {
  return wordsOf(text)
    .map((word) => (typeof word === 'string' ? word : word.foreign))
    .join('');
}

/** The records that a filter means, on a page and with a capital. */
export function FilterWords({ text }: { text: FilterText }) {
  const [first = '', ...others] = wordsOf(text);
  return (
    <>
      {capitalized(String(first))}
      {others.map((word) => (typeof word === 'string' ? word : <Foreign text={word.foreign} most={60} />))}
    </>
  );
}
