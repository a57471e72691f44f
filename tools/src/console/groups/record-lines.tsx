import type { BacklogRecord } from 'dynamo-backlog';
import { Foreign } from '../parts.js';
import { groupLink } from './looks.js';
import { type GroupRole, rolesOf } from './roles.js';

const WORDS: Readonly<Record<GroupRole['is'], string>> = {
  member: 'Member of the group ',
  end: 'The record of the end of the group ',
  firstDeath: 'The record of the first death in the group ',
};

/** Links from a record's page to the groups that it belongs to. Nothing, if there is none. */
export function GroupLines({ record }: { record: BacklogRecord }) {
  return (
    <>
      {rolesOf(record).map(({ is, group }) => (
        <p class="sub">
          {WORDS[is]}
          <a href={groupLink(group)}>
            <Foreign text={group} most={128} />
          </a>
        </p>
      ))}
    </>
  );
}
