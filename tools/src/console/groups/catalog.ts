import type { Group, RecordGroups } from 'dynamo-backlog';
import { withoutTrailing } from 'dynamo-backlog/engine';
import { count, counted, records } from 'dynamo-backlog/overview';
import type { IconName } from '../parts.js';
import type { ListedGroup } from './all-groups.js';

/** An action on a group. Each is a method of `RecordGroups`. */
export interface GroupAction {
  readonly name: 'seal' | 'check';
  readonly label: string;
  readonly icon?: IconName;
  /** It cannot be undone: its button stands apart from the others. */
  readonly danger?: boolean;
  readonly isFor: (group: Group) => boolean;
  /** Its effects and its cost, in sentences. */
  readonly explain: (group: ListedGroup) => readonly string[];
  /** @returns its result, in a sentence */
  readonly act: (groups: RecordGroups, before: Group) => Promise<string>;
}

/** Price of a million read units, in dollars. */
const DOLLARS = 0.125;

export const GROUP_ACTIONS: readonly GroupAction[] = [
  {
    name: 'check',
    label: 'Check',
    icon: 'retry',
    isFor: ({ state }) => state !== 'ended',
    explain: (group) => {
      const read = checkedBy(group);
      return [
        'Compares members with their records, and corrects what was missed: ends that were not seen, insertions that were cut off, records that are gone (lost). If all have ended, the group ends. The sweep does the same once a day.',
        read === 0
          ? 'No member is left to compare: it costs a few read units.'
          : `It reads ${records(read)}: a read unit for each 4 KB of them, at least ${counted(read, 'unit')} ($${dollars(read)}).`,
      ];
    },
    act: async (groups, before) => {
      const after = await groups.check(before.id);
      return after === undefined
        ? 'Checked: the record of its end is gone.'
        : `Checked. ${changeText(before, after)}`;
    },
  },
  {
    name: 'seal',
    label: 'Seal',
    danger: true,
    isFor: ({ state }) => state === 'open',
    explain: ({ members, waiting }) => [
      'It takes no more members, and ends with the last of them. This cannot be undone: a record that a producer inserts for it later is refused.',
      members === 0
        ? 'It has no members: it ends at once.'
        : waiting === 0
          ? `All ${counted(members, 'member')} have ended: it ends at once.`
          : `${count(waiting)} of ${counted(members, 'member')} ${waiting === 1 ? 'waits' : 'wait'}.`,
      'Calls that insert members now are waited for, 5 minutes at most.',
    ],
    act: async (groups, { id }) =>
      (await groups.seal(id)) === 'ended' ? 'Sealed. It has ended.' : 'Sealed: it takes no more members.',
  },
];

/** Records that a check reads. Those that were given up are read before an end, too. */
function checkedBy({ state, waiting, dead, cancelled, holdsDead }: ListedGroup): number {
  if (waiting === 0 && state === 'sealed' && !holdsDead) return dead + cancelled;
  return waiting + (holdsDead ? dead : 0);
}

function dollars(units: number): string {
  const price = (units * DOLLARS) / 1_000_000;
  return price < 0.01 ? withoutTrailing(price.toFixed(6), '0') : price.toFixed(2);
}

const STATES = ['succeeded', 'dead', 'cancelled', 'removed', 'lost'] as const;

/** `2 more succeeded, 1 more lost; 7 wait.` Members may have ended meanwhile, too. */
function changeText(before: Group, after: Group): string {
  const changes = [...STATES, 'waiting' as const].flatMap((state) => {
    const by = after[state] - before[state];
    return by === 0 ? [] : [`${count(Math.abs(by))} ${by > 0 ? 'more' : 'fewer'} ${state}`];
  });
  const what = changes.length === 0 ? 'Nothing was missed' : changes.join(', ');
  return after.state === 'ended' ? `${what}. The group has ended.` : `${what}.`;
}
