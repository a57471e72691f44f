import type { InsertManyResult } from '../client/index.js';
import type { NewItem } from '../client/insert-many.js';
import { type ItemContext, itemOf, type NewRecord } from '../client/new-record.js';
import { type Source, sourceOf } from '../client/options.js';
import { entryOf, type TaskEntry } from '../client/task-entry.js';
import { prepare } from '../client/task-record.js';
import { clientFor } from '../connection.js';
import { DynamoDbBulkInserts, insertSingle } from '../store/dynamodb/bulk-inserts.js';
import { DynamoDbOperatorRecords } from '../store/dynamodb/operator-records.js';
import { DynamoDbSharedItems } from '../store/dynamodb/shared-items.js';
import { Table } from '../store/dynamodb/table.js';
import type { Clock } from '../support/clock.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import type { AttemptLogger } from '../support/logger.js';
import type { Random } from '../support/random.js';
import { parseOptions, show } from '../support/validation.js';
import { isTask, type Task } from '../tasks/index.js';
import { beginGroup } from './begin-group.js';
import { checkGroup } from './check-group.js';
import { endIfOver, type FinishDeps } from './finish.js';
import { describeGroup, endedGroup, type Group } from './group.js';
import { GroupItems } from './group-items.js';
import { insertMembers } from './insert-members.js';
import { checkGroupId, HEAD_PREFIX, MEMBER_ATTRIBUTE } from './names.js';
import {
  type GroupOptions,
  groupSchema,
  type RecordGroupsOptions,
  type RecordGroupsStore,
  recordGroupsSchema,
} from './options.js';

/** The longest wait between two looks at the pages of other calls. */
const MAX_PAUSE_MS = 5_000;

/** The result of an insertion into a group. */
export interface InsertGroupResult extends InsertManyResult {
  /** The state of the group after it. */
  readonly state: Group['state'];
}

/** The lines of a producer have no reader. */
const SILENT: AttemptLogger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Groups of records with an end: when all members of a group have ended, one more record is attempted, with the counts in its
 * payload. The construct's prop `groups` makes the function that counts. Needs the rights of the construct's `grantGroups`.
 *
 *     const groups = new RecordGroups({ table: 'orders-backlog', controlTable: 'orders-control' });
 *     await groups.insert('import-7', records, { onComplete: { queue: 'mail', payload: { to: 'sales' } } });
 */
export class RecordGroups {
  private readonly store: RecordGroupsStore;
  private readonly bulk: Pick<DynamoDbBulkInserts, 'insert'>;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly indexesAtOnce: (queue: string) => boolean;

  /** @throws ConfigurationError for an option that is missing, unknown or invalid */
  constructor(options: RecordGroupsOptions) {
    const parsed = parseOptions(recordGroupsSchema, options, 'RecordGroups');
    const { table, controlTable, indexAtOnce, clock, random, store } = parsed;
    this.clock = clock;
    this.random = random;
    this.indexesAtOnce = (queue) =>
      typeof indexAtOnce === 'boolean' ? indexAtOnce : indexAtOnce.includes(queue);
    if (store) {
      this.store = store;
      this.bulk = { insert: (items) => Promise.all(items.map((item) => insertSingle(item, store.records))) };
      return;
    }
    const client = clientFor(parsed);
    const tableOf = (name: string, keyName: string) => new Table({ client, name, keyName, clock, random });
    const records = new DynamoDbOperatorRecords(tableOf(table, 'id'), clock);
    this.store = { records, groups: new DynamoDbSharedItems(tableOf(controlTable, 'key')) };
    this.bulk = new DynamoDbBulkInserts({ client, table, single: records });
  }

  /**
   * Inserts records of a task as members of a group, and begins the group if there is none of this id. A call that was cut off is
   * made again with the same records: those that are there are left alone, and the group ends once. It may then wait up to 5 minutes
   * for the page of the lost call. A group that is sealed, or has ended, takes no new record: it is reported in `failed`.
   *
   * @param id text of 1 to 128 bytes; also the id of the record of the group's end
   * @param payloads of the task, or `{ payload, ... }` with options of their own; up to 1,000,000 members
   * @throws ConfigurationError for wrong options, or an id that is that of another record. InvalidRecordError if a record of the
   *   options cannot be stored. InsertInterruptedError at the signal, or if a table cannot be used
   */
  insert<Input, Priority extends string>(
    id: string,
    task: Task<Input, unknown, Priority>,
    payloads: Source<TaskEntry<NoInfer<Input>, NoInfer<Priority>>>,
    options: GroupOptions,
  ): Promise<InsertGroupResult>;
  /** Inserts records as they are as members of a group. */
  insert(id: string, records: Source<NewRecord>, options: GroupOptions): Promise<InsertGroupResult>;
  async insert(
    id: string,
    first: Task | Source<NewRecord>,
    second: unknown,
    third?: GroupOptions,
  ): Promise<InsertGroupResult> {
    checkGroupId(id, 'insert: id');
    const source = sourceOf(isTask(first) ? second : first, 'insert');
    const options = parseOptions(groupSchema, isTask(first) ? third : second, 'insert') as GroupOptions &
      Parameters<typeof beginGroup>[1] & { readonly concurrency: number; readonly seal: boolean };
    const { concurrency, onProgress, signal, seal, ...group } = options;
    const { records } = this.store;
    const state = await beginGroup(id, group, { ...this.deps(), records });
    const itemOf = (given: unknown) => this.itemOf(isTask(first) ? first : undefined, given);
    const result = await insertMembers(id, source, {
      ...this.deps(),
      records,
      itemOf,
      insert: (items) => this.bulk.insert(items),
      concurrency,
      onProgress,
      signal,
    }).catch(async (error: unknown) => {
      // Another process may have sealed it: with the pages that this call has closed, it may be over.
      await endIfOver(id, this.finishDeps()).catch(() => {});
      throw error;
    });
    if (state === 'ended') return { ...result, state };
    // A call that has sealed it may be lost, and the group may be over.
    await this.closeCutOff(id, seal, signal);
    return { ...result, state: seal ? await this.seal(id) : ((await this.get(id))?.state ?? 'ended') };
  }

  /**
   * Seals a group: it takes no more members, and ends with the last of them. It waits for calls that insert members, also for lost
   * ones, up to 5 minutes.
   *
   * @returns its state: `sealed`, or `ended`
   * @throws ConfigurationError if there is no such group, StoreError
   */
  async seal(id: string): Promise<Group['state']> {
    checkGroupId(id, 'seal: id');
    const items = new GroupItems(this.deps());
    const head = await items.changeHead(id, ({ sealed }) => (sealed ? undefined : { sealed: true }));
    if (head) await this.closeCutOff(id, true, undefined);
    const group = await this.get(id);
    if (group) return group.state;
    throw new ConfigurationError(`seal: expected the id of a group, but there is no group ${show(id)}`);
  }

  /**
   * Reads a group: its state, and the number of its members in each state. Strongly consistent: half a read unit for its head and
   * for each 1,000 members; one that has ended costs a read of its record. Undefined: there is none, or its record is gone.
   *
   * @throws ConfigurationError for what is no id, StoreError
   */
  async get(id: string): Promise<Group | undefined> {
    checkGroupId(id, 'get: id');
    const items = new GroupItems(this.deps());
    const head = await items.head(id);
    if (head) return describeGroup(id, head, await items.allPages(id, head));
    const record = await this.store.records.get(id);
    return record && endedGroup(id, record);
  }

  /**
   * Reads the groups that have not ended, unordered; stop when you have enough. It reads the whole control table, a few items for each
   * queue and group, and then each group as `get` does.
   *
   * @throws StoreError
   */
  async *list(): AsyncGenerator<Group> {
    for (const key of await this.store.groups.list(HEAD_PREFIX)) {
      const group = await this.get(key.slice(HEAD_PREFIX.length));
      if (group) yield group;
    }
  }

  /**
   * Reads the ids of members that have not ended, in the order of their insertion; stop when you have enough. It reads the ids of
   * 1,000 members at a time.
   *
   * @throws ConfigurationError for what is no id, StoreError
   */
  async *waiting(id: string): AsyncGenerator<string> {
    checkGroupId(id, 'waiting: id');
    const items = new GroupItems(this.deps());
    const head = await items.head(id);
    if (!head) return;
    for (const [number, page] of (await items.allPages(id, head)).entries()) {
      const waiting = page?.places('waiting') ?? [];
      const ids = waiting.length > 0 ? await items.ids(id, number) : [];
      for (const index of waiting) {
        const member = ids[index];
        if (member !== undefined) yield member;
      }
    }
  }

  /**
   * Compares the members that wait with their records, and corrects what was missed: members whose insertion was cut off, ends that
   * were not seen, records that are gone (`lost`). Ends the group if that is due. The sweep does this once a day. One read unit for
   * each 4 KB of a record that waits.
   *
   * @returns the group. Undefined: there is none, or its record is gone
   * @throws ConfigurationError for what is no id, StoreError
   */
  async check(id: string): Promise<Group | undefined> {
    checkGroupId(id, 'check: id');
    await checkGroup(id, this.finishDeps());
    return this.get(id);
  }

  /** Closes pages that a lost call has left, and ends the group if it is over. */
  private async closeCutOff(id: string, waits: boolean, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const { busyUntil } = await checkGroup(id, this.finishDeps(), 'cutOff');
      if (busyUntil === undefined || !waits) return;
      await this.clock.sleep(Math.min(MAX_PAUSE_MS, Math.max(1_000, busyUntil - this.clock.wall())), signal);
      signal?.throwIfAborted();
    }
  }

  private async itemOf(task: Task | undefined, given: unknown): Promise<NewItem> {
    const now = this.clock.now();
    const { clock: _, ...context } = this.deps();
    if (task) {
      const { payload, options } = entryOf(given, {});
      const { record, availableAt } = await prepare(task, payload, options, now);
      return member(record, { ...context, now, availableAt });
    }
    return member(given as NewRecord, { ...context, now, availableAt: undefined });
  }

  private deps() {
    const { clock, random, indexesAtOnce } = this;
    return { groups: this.store.groups, clock, random, indexesAtOnce };
  }

  private finishDeps(): FinishDeps {
    return { ...this.deps(), records: this.store.records, logger: SILENT };
  }
}

/** The item of a record that becomes a member. */
function member(record: NewRecord, context: ItemContext): NewItem {
  let item: NewItem;
  try {
    item = itemOf(record, context);
  } catch (error) {
    if (error instanceof InvalidRecordError || error instanceof ConfigurationError) throw error;
    throw new InvalidRecordError('record: an attribute of it cannot be read', { cause: error });
  }
  if (item[MEMBER_ATTRIBUTE] === undefined) return item;
  throw new InvalidRecordError(
    `record ${show(item.id)}: attributes.${MEMBER_ATTRIBUTE}: expected nothing, as the group writes it`,
  );
}
