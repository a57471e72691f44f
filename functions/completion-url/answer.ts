import { doneWith, failedWith, type OutsideEnd } from '../../src/client/complete.js';
import { InvalidRecordError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';
import type { CompletionLink } from './link.js';
import { MAX_NOTE_CHARACTERS } from './page.js';

/** An answer as the page or a system sends it. */
export interface GivenAnswer {
  /** The label of one of the link's answers. */
  readonly answer?: unknown;
  /** A note in a few words. */
  readonly note?: unknown;
  /** The result of the record, in place of `{ answer, by, note }`. */
  readonly result?: unknown;
}

/** Control characters except line breaks, and halves of characters: JSON needs six bytes for each. */
const UNWANTED = /(?!\n)\p{Cc}|\p{Cs}/gu;

/** An answer that was read: its label, and what it does. */
export interface ReadAnswer {
  readonly label: string;
  readonly end: OutsideEnd;
}

/** @throws InvalidRecordError for an answer that the link does not have, and for a note or result that cannot be kept */
export function readAnswer(link: CompletionLink, { answer, note, result, ...rest }: GivenAnswer): ReadAnswer {
  const [unknown] = Object.keys(rest);
  // Unknown fields are words of another service, which may mean a failure.
  if (unknown !== undefined)
    throw new InvalidRecordError(`expected "answer", "note" and "result", got ${show(unknown)}`);
  const labels = [...link.answers.keys()];
  const effect = typeof answer === 'string' ? link.answers.get(answer) : undefined;
  if (typeof answer !== 'string' || effect === undefined)
    throw new InvalidRecordError(`answer: expected ${labels.map(show).join(' or ')}, got ${show(answer)}`);
  const said = noteOf(note);
  const { by } = link;
  switch (effect) {
    case 'complete':
      return { label: answer, end: doneWith(result ?? { answer, by, note: said }) };
    case 'fail': {
      const message = [by, said ?? 'answered by a link'].filter((part) => part !== undefined).join(': ');
      return { label: answer, end: failedWith(Object.assign(new Error(message), { name: answer })) };
    }
    case 'heartbeat':
      return { label: answer, end: { type: 'heartbeat' } };
  }
}

function noteOf(note: unknown): string | undefined {
  if (note === undefined || note === null) return undefined;
  if (typeof note !== 'string') throw new InvalidRecordError(`note: expected a text, got ${show(note)}`);
  // A browser sends line breaks as two characters, counts them as one, and the first is unwanted.
  const text = note.replace(UNWANTED, '').trim();
  if (text.length <= MAX_NOTE_CHARACTERS) return text === '' ? undefined : text;
  throw new InvalidRecordError(
    `note: expected at most ${MAX_NOTE_CHARACTERS} characters, got ${text.length}`,
  );
}
