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

/** The advice on a line where no action on the head helps. Undefined: none is needed, or the head needs one. */
export function adviceOn({ state, missing, queue }: RecordLine): string | undefined {
  switch (state) {
    case 'missing':
      return `insert number ${missing?.seq ?? ''}; or wait: it is left out when "skipGapAfter" of the queue "${queue}" is over, unless that is "never"`;
    case 'ending':
      return 'wait: the next one has its turn when that attempt is over, after 15 minutes at most';
    case 'starting':
      return 'wait a moment. If it lasts: "npx backlog run-now ID" of the first record that waits; otherwise the sweep finds it within a day';
    default:
      return undefined;
  }
}

/** The number of records behind the head, as far as it is known. */
export function waitingText({ waiting, hasMore }: Pick<RecordLine, 'waiting' | 'hasMore'>): string {
  return `${waiting}${hasMore ? ' or more' : ''}`;
}
