import type { Group } from 'dynamo-backlog';
import { clock, printable } from '../output.js';
import type { Paint } from '../paint.js';
import { plainTable } from '../plain-table.js';

const WIDTH = 40;
/** The ends of members, as they are shown. */
const ENDS = ['succeeded', 'dead', 'cancelled', 'removed', 'lost'] as const;
const BAD: readonly string[] = ['dead', 'lost'];

/** A group with a bar of its members that have ended, and their number in each state. */
export function groupLines(group: Group, paint: Paint): string {
  const { id, state, createdAt, members, waiting } = group;
  const ended = members - waiting;
  const share = members === 0 ? 1 : ended / members;
  const done = Math.floor(share * WIDTH);
  const bar = `${'█'.repeat(done)}${'░'.repeat(WIDTH - done)}`;
  const percent = Math.floor(share * 100);
  const since = createdAt === undefined ? '' : `, begun ${clock(createdAt)} UTC`;
  const counts = [['waiting', waiting] as const, ...ENDS.map((end) => [end, group[end]] as const)];
  const rows = counts.filter(([name, count]) => count > 0 || name === 'waiting' || name === 'succeeded');
  return [
    `${printable(id)}: ${stateText(state)}${since}`,
    `${bar} ${ended} of ${members} members have ended, ${percent} %`,
    ...rows.map(([name, count]) => paint(BAD.includes(name) ? 'red' : 'dim', `${name.padEnd(10)}${count}`)),
  ].join('\n');
}

function stateText(state: Group['state']): string {
  if (state === 'open') return 'takes more members';
  return state === 'sealed' ? 'takes no more members' : 'has ended';
}

const COLUMNS = [
  ['GROUP', 'left'],
  ['STATE', 'left'],
  ['MEMBERS', 'right'],
  ['WAITING', 'right'],
  ...ENDS.map((end) => [end.toUpperCase(), 'right'] as const),
] as const;

/** Groups as a table. */
export function groupsTable(groups: readonly Group[], paint: Paint): string {
  return plainTable(
    COLUMNS,
    groups.map((group) => [
      printable(group.id),
      group.state,
      String(group.members),
      String(group.waiting),
      ...ENDS.map((end) =>
        BAD.includes(end) && group[end] > 0 ? paint('red', String(group[end])) : String(group[end]),
      ),
    ]),
    paint,
  );
}
