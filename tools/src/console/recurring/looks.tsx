import type { RecurringRecord } from 'dynamo-backlog';
import { pauseText } from '../../recurring/recurring-words.js';
import { Badge, Foreign, type IconName, link, type Tone } from '../parts.js';

const LOOKS: Readonly<
  Record<RecurringRecord['state'], { readonly tone: Tone; readonly icon: IconName; readonly word: string }>
> = {
  dead: { tone: 'dead', icon: 'dead', word: 'Dead' },
  failing: { tone: 'dead', icon: 'fail', word: 'Failing' },
  paused: { tone: 'amber', icon: 'paused', word: 'Paused' },
  waiting: { tone: 'new', icon: 'new', word: 'Waiting' },
  ended: { tone: 'grey', icon: 'ok', word: 'Ended' },
};

/** The state of a recurring record. */
export function RecurringBadge({ recurring }: { recurring: RecurringRecord }) {
  const { tone, icon, word } = LOOKS[recurring.state];
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  );
}

const MAX_PROBLEM = 300;
const MAX_PAUSE = 450;

/** Tells whether it has occurrences to come, so that it can be paused, or run now. */
export function goesOn({ state, definition }: RecurringRecord): boolean {
  return definition !== undefined && state !== 'dead' && state !== 'ended';
}

/** The reason why it is not simply waiting. Nothing, if it is. */
export function RecurringTrouble({ recurring, now }: { recurring: RecurringRecord; now: number }) {
  const { problem, paused } = recurring;
  return (
    <>
      {problem === undefined ? null : (
        <span class="block sm error">
          <Foreign text={problem} most={MAX_PROBLEM} />
        </span>
      )}
      {paused === undefined ? null : (
        <span class="block sm sub">
          Paused
          <Foreign text={pauseText(recurring, now)} most={MAX_PAUSE} />
        </span>
      )}
    </>
  );
}

/** The page of a recurring record. */
export const recurringLink = (name: string): string => link('/recurring/show', { name });

/** The page before an action on a recurring record. */
export const actLink = (name: string, action: string): string => link('/recurring/act', { name, do: action });
