import type { BacklogRecord } from 'dynamo-backlog';
import { firstDeathRecordId, groupEndOf, MEMBER_ATTRIBUTE, placeOf } from 'dynamo-backlog/engine';

/** The part that a record has in a group. */
export interface GroupRole {
  readonly is: 'member' | 'end' | 'firstDeath';
  /** The id of the group. */
  readonly group: string;
}

/** The groups that a record belongs to: it may be the end of one, and a member of another. Any service may have written it. */
export function rolesOf(record: BacklogRecord): GroupRole[] {
  const { id, attributes, payload } = record;
  const member = placeOf(attributes[MEMBER_ATTRIBUTE]);
  const { group } = (typeof payload === 'object' && payload !== null ? payload : {}) as {
    readonly group?: unknown;
  };
  const named = (group as { readonly id?: unknown } | null | undefined)?.id;
  return [
    ...(member ? [{ is: 'member' as const, group: member.group }] : []),
    ...(groupEndOf(id, record) ? [{ is: 'end' as const, group: id }] : []),
    ...(typeof named === 'string' && id === firstDeathRecordId(named)
      ? [{ is: 'firstDeath' as const, group: named }]
      : []),
  ];
}
