import type { Group } from 'dynamo-backlog';
import { count, counted } from 'dynamo-backlog/overview';
import { Badge, type IconName, link, Mark, type Tone } from '../parts.js';
import type { EndState, GroupEndRecord } from './end-state.js';

const LOOKS: Readonly<
  Record<Group['state'], { readonly tone: Tone; readonly icon: IconName; readonly word: string }>
> = {
  open: { tone: 'new', icon: 'new', word: 'Open' },
  sealed: { tone: 'new', icon: 'run', word: 'Sealed' },
  ended: { tone: 'ok', icon: 'ok', word: 'Ended' },
};

/** The state of a group. */
export function GroupBadge({ group }: { group: Group }) {
  const { tone, icon, word } = LOOKS[group.state];
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  );
}

/** Words for the states of a record of a group's end that an operator should know of. */
const OF_ENDS: Readonly<Partial<Record<EndState, string>>> = {
  timedOut: 'Timed out: the record of its end is attempted, though members have not ended.',
  early: 'The record of its end was started by hand, before its members had ended.',
  other: 'The record of its end does not wait for it any more: its payload was edited.',
  gone: 'The record of its end is gone: nothing starts when its members have ended.',
  started: 'The record of its end has been started. A check removes what is left of the group.',
};

/** The reasons why a group that goes on may not end, or not as it should. @param end undefined: its record was not read */
export function troublesOf(
  { dead, lost }: Group,
  { holdsDead, end }: { readonly holdsDead: boolean; readonly end: GroupEndRecord | undefined },
): string[] {
  const held = holdsDead && dead > 0;
  const ofEnd = end && OF_ENDS[end.state];
  return [
    ...(held
      ? [`Held by ${counted(dead, 'dead member')}: redrive, cancel or discard ${dead === 1 ? 'it' : 'them'}.`]
      : []),
    ...(ofEnd === undefined ? [] : [ofEnd]),
    ...(lost > 0
      ? [
          `${counted(lost, 'member')} ${lost === 1 ? 'is' : 'are'} lost: not in the table, without an end that was seen.`,
        ]
      : []),
  ];
}

/** These reasons, one below the other. */
export function Troubles({ texts }: { texts: readonly string[] }) {
  return (
    <>
      {texts.map((text) => (
        <span class="block sm">
          <Mark tone="amber" icon="warn">
            {text}
          </Mark>
        </span>
      ))}
    </>
  );
}

/** `1,980 of 2,000 ended, 99 %`. @param sign `≥ `, where members may not have been read */
export function endedText({ members, waiting, dead }: Group, holdsDead: boolean, sign = ''): string {
  if (members === 0) return 'no members';
  const ended = members - waiting - (holdsDead ? dead : 0);
  return `${sign}${count(ended)} of ${sign}${count(members)} ended, ${Math.floor((100 * ended) / members)} %`;
}

/** The page of a group. */
export const groupLink = (id: string): string => link('/groups/show', { id });

/** The page before an action on a group. */
export const groupActLink = (id: string, action: string): string => link('/groups/act', { id, do: action });
