import { type BacklogRecord, restart } from '../record/index.js';
import type { OperatorChange, OperatorRecordStore } from '../store/operator-store.js';
import { type Clock, toIso } from '../support/clock.js';
import { ConfigurationError } from '../support/errors.js';
import { type Random, randomToken } from '../support/random.js';
import { show } from '../support/validation.js';
import type { StateCounts } from './page.js';

/** The attribute `group` of the payload of the record that a group's end starts. */
export interface GroupEnd {
  /** The id of the group. */
  readonly id: string;
  /** All members have ended. False: the group's time is over, and some have not. */
  readonly complete: boolean;
  /** Members in all; this and the others are there if it is complete. */
  readonly members?: number | undefined;
  /** Members that succeeded. */
  readonly succeeded?: number | undefined;
  /** Members that were given up. */
  readonly dead?: number | undefined;
  /** Members that were given up as their work was not wanted any more. */
  readonly cancelled?: number | undefined;
  /** Members whose record was deleted, or replaced, before its end. */
  readonly removed?: number | undefined;
  /** Members that are not in the table, and whose end was not seen. */
  readonly lost?: number | undefined;
}

/**
 * The payload of a group's own record, with what is said of the group.
 *
 * @throws ConfigurationError for a payload that is no object, or that has an attribute `group`
 */
export function payloadWith(payload: unknown, group: object, path: string): Record<string, unknown> {
  const given = payload ?? {};
  if (typeof given !== 'object' || Array.isArray(given) || given instanceof Set || ArrayBuffer.isView(given))
    throw new ConfigurationError(`${path}.payload: expected an object, got ${show(payload)}`);
  if (Object.hasOwn(given, 'group'))
    throw new ConfigurationError(`${path}.payload.group: expected nothing, as the library writes it`);
  return { ...given, group };
}

/** The end of a group as its record says it. Undefined: it is no record of this group's end. */
export function groupEndOf(id: string, record: BacklogRecord): GroupEnd | undefined {
  const payload = record.payload as { readonly group?: Partial<GroupEnd> } | null | undefined;
  const group = typeof payload === 'object' ? payload?.group : undefined;
  return group?.id === id && typeof group.complete === 'boolean' ? (group as GroupEnd) : undefined;
}

/** Tells whether the record still waits for its group. */
export function isHeld(id: string, record: BacklogRecord): boolean {
  return record.status === 'NEW' && record.attempts === 0 && groupEndOf(id, record)?.complete === false;
}

export interface StartDeps {
  readonly records: Pick<OperatorRecordStore, 'get' | 'change'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Tells whether records of a queue are indexed with their insertion. */
  readonly indexesAtOnce: (queue: string) => boolean;
}

const MAX_TRIES = 8;

/**
 * Starts the record that waits for the end of a group, with the counts in its payload. Its age counts from now. False: it does
 * not wait any more.
 */
export async function startEnd(
  id: string,
  { unused: _, waiting: __, ...counts }: StateCounts,
  { records, clock, random }: StartDeps,
): Promise<boolean> {
  const members = Object.values(counts).reduce((sum, count) => sum + count, 0);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const record = await records.get(id);
    if (!record || !isHeld(id, record)) return false;
    const group: GroupEnd = { id, complete: true, members, ...counts };
    const payload = { ...(record.payload as object), group };
    const change = startOf(record, payload, clock.now());
    if ((await records.change(record, change, randomToken(random))) === 'settled') return true;
  }
  throw new Error(`group ${id}: its record is changed by others all the time`);
}

/** One that is indexed is due at once: the next rule finds it, while the intake looks at a changed record 75 seconds later. */
function startOf(record: BacklogRecord, payload: object, now: number): OperatorChange {
  if (record.lane !== undefined) {
    const { set, remove } = restart(record.lane, now);
    return { set: { ...set, payload }, remove };
  }
  return { set: { availableAt: toIso(now), payload }, remove: ['notBefore'] };
}
