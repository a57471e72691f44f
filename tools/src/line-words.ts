import type { RecordLine } from 'dynamo-backlog';

type State = RecordLine['state'];

/** The states of a line, in words: the reason for which the next record waits. */
export const LINE_STATES: Readonly<Record<State, string>> = {
  attempting: 'first attempt',
  retrying: 'tries again',
  dead: 'held by a dead record',
  missing: 'a number is missing',
  ending: 'an attempt may go on',
  starting: 'about to have its turn',
  idle: 'none waits',
};

/** States that only an operator or a producer ends, or a long wait. */
const BAD: readonly State[] = ['dead', 'missing'];

/** Tells whether a line does not go on by itself, or not soon. */
export function isStuck({ state }: Pick<RecordLine, 'state'>): boolean {
  return BAD.includes(state);
}

/** The number of records behind the head, as far as it is known. */
export function waitingText({ waiting, hasMore }: Pick<RecordLine, 'waiting' | 'hasMore'>): string {
  return `${waiting}${hasMore ? ' or more' : ''}`;
}
