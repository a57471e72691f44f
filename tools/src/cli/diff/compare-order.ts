import type { Difference } from './change.js';

type Settings = Readonly<Record<string, unknown>>;
type Outcome = Pick<Difference, 'severity' | 'effect' | 'todo' | 'command'>;

/** The settings of a queue's order. */
export const ORDER_SETTINGS = ['order', 'onDeadHead', 'skipGapAfter'] as const;

/** The consequences of a change of `order`, or of one of its options, for the records of a queue. */
export function ofOrder(
  name: (typeof ORDER_SETTINGS)[number],
  queue: string,
  before: Settings,
  after: Settings,
): Outcome {
  if (name === 'order') return after.order === undefined ? removed(queue) : added(queue, after);
  // What is not there in both has nothing that waits by it.
  if (before.order === undefined || after.order === undefined)
    return { severity: 'safe', effect: 'It comes and goes with "order".' };
  return name === 'onDeadHead' ? ofDeadHead(after.onDeadHead) : ofGap(after.skipGapAfter);
}

function added(queue: string, { skipGapAfter }: Settings): Outcome {
  const effect =
    'Records that come from now on are attempted in their order, if they have a number. Those in lanes get their places when they are due: ' +
    'until then, the records behind them wait for "skipGapAfter" alone.';
  if (skipGapAfter === 'never')
    return {
      severity: 'attention',
      effect: `${effect} That is "never": a key whose first numbers are done already waits for them for ever.`,
      todo: 'Write another skipGapAfter until each key has had a record. Then "never".',
    };
  return {
    severity: 'attention',
    effect,
    todo: 'If their order matters, too, make them due after the deployment:',
    command: `npx backlog run-now --queue ${queue}`,
  };
}

function removed(queue: string): Outcome {
  return {
    severity: 'attention',
    effect:
      'Those behind the head of their line are in no lane: the sweep finds them within a day, also behind dead heads. All are then attempted in no order.',
    todo: 'If their order matters, remove it when this names no line:',
    command: `npx backlog lines ${queue}`,
  };
}

function ofDeadHead(now: unknown): Outcome {
  const late = 'from the next death of a head on; for heads that are dead already, within a day';
  if (now === 'cancel')
    return {
      severity: 'attention',
      effect: `Those behind a dead head are cancelled: ${late}.`,
      todo: 'Redrive or discard dead heads before, if what is behind them is to be attempted.',
    };
  if (now === 'skip')
    return {
      severity: 'attention',
      effect: `Those behind a dead head are attempted without it: ${late}.`,
      todo: 'Redrive dead heads before, if what is behind them needs them.',
    };
  return {
    severity: 'safe',
    effect:
      'Applies from the next death of a head on: those behind it wait until it is redriven, discarded or deleted.',
  };
}

function ofGap(now: unknown): Outcome {
  if (now === 'never')
    return {
      severity: 'attention',
      effect:
        'A number that does not come holds the records behind it until it comes, also one that is missing now.',
    };
  return {
    severity: 'safe',
    effect:
      'Applies to a number that is missing now within 15 minutes; after "never", with the next record of its key, or within a day.',
  };
}
