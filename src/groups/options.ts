import * as z from 'zod/mini';
import type { InsertManyOptions, NewRecord } from '../client/index.js';
import { flowOptions } from '../client/options.js';
import { type ConnectionOptions, clientAlone, connectionShape, storeWith, tableName } from '../connection.js';
import { MAX_WAIT_SECONDS } from '../policies/index.js';
import { QUEUE_PATTERN } from '../record/index.js';
import type { OperatorRecordStore } from '../store/operator-store.js';
import type { SharedItems } from '../store/shared-items.js';
import { type Duration, duration } from '../support/duration.js';

/** Options of `RecordGroups`. `table` and `controlTable` are required. */
export interface RecordGroupsOptions extends ConnectionOptions {
  /** Name of the table of records. */
  readonly table: string;
  /** Name of the control table. */
  readonly controlTable: string;
  /** Queues whose records are indexed with their insertion, or `true` for all: as of `BacklogClient`. Default: none. */
  readonly indexAtOnce?: boolean | readonly string[] | undefined;
  /** A store in place of the tables, for tests, such as a `MemoryStore`. Default: the tables. */
  readonly store?: RecordGroupsStore | undefined;
}

/** @inline */
export interface RecordGroupsStore {
  /** The records. */
  readonly records: Pick<OperatorRecordStore, 'insert' | 'get' | 'change' | 'getItems'>;
  /** The items of groups. */
  readonly groups: SharedItems;
}

/** A record that a group inserts. Its payload is an object, to which the library adds `group`. */
export interface GroupRecord
  extends Omit<NewRecord, 'id' | 'payload' | 'seq' | 'insertedAt' | 'availableAt'> {
  /** The work. Default: `{}`. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of the insertion of a group. Those of the group itself hold from its first insertion on. */
export interface GroupOptions extends Pick<InsertManyOptions, 'concurrency' | 'onProgress' | 'signal'> {
  /**
   * The record of the group's end. It is inserted with the group, with the group's id, and waits until all members have ended. Its
   * payload then has the counts: `group: { id, complete: true, members, succeeded, dead, cancelled, removed, lost }`.
   */
  readonly onComplete: GroupRecord;
  /** A record for the first member that is dead: inserted then, as `<id>/first-death`, with `group: { id, member }`. Default: none. */
  readonly onFirstDeath?: GroupRecord | undefined;
  /**
   * `end`: a member that is dead has ended. `hold`: the group waits until it has been redriven and succeeds, or is discarded or
   * cancelled. Default: `end`.
   */
  readonly deadMembers?: 'end' | 'hold' | undefined;
  /**
   * The longest wait, up to 365 days: after it, the record of the end is attempted with `complete: false` in its payload. Default: 30
   * days.
   */
  readonly timeout?: Duration | undefined;
  /** The group takes no more members after this call. `false`: more come, and `seal` ends that. Default: true. */
  readonly seal?: boolean | undefined;
}

export const recordGroupsSchema = z
  .strictObject({
    table: tableName,
    controlTable: tableName,
    ...connectionShape,
    indexAtOnce: z._default(z.union([z.boolean(), z.array(z.string().check(z.regex(QUEUE_PATTERN)))]), false),
    store: z.optional(storeWith<RecordGroupsStore>('getItems')),
  })
  .check(clientAlone);

/** The records are checked as all new records are. */
const groupRecord = z.strictObject({
  payload: z.optional(z.unknown()),
  queue: z.optional(z.unknown()),
  task: z.optional(z.unknown()),
  key: z.optional(z.unknown()),
  retry: z.optional(z.unknown()),
  traceparent: z.optional(z.unknown()),
  attributes: z.optional(z.unknown()),
});
export const groupSchema = z.strictObject({
  onComplete: groupRecord,
  onFirstDeath: z.optional(groupRecord),
  deadMembers: z._default(z.enum(['end', 'hold']), 'end'),
  timeout: z._default(duration({ above: 0, most: MAX_WAIT_SECONDS }), 30 * 86_400),
  seal: z._default(z.boolean(), true),
  ...flowOptions,
});
