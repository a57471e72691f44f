import * as z from 'zod/mini';
import { parseTime } from '../client/delay.js';
import type { InsertResult } from '../client/index.js';
import {
  type ConnectionOptions,
  clientAlone,
  clientFor,
  connectionShape,
  storeWith,
  tableName,
} from '../connection.js';
import { parsePause } from '../operate/parse-pause.js';
import { type BacklogRecord, isPending } from '../record/index.js';
import { DynamoDbOperatorRecords } from '../store/dynamodb/operator-records.js';
import { Table } from '../store/dynamodb/table.js';
import { checkItem } from '../store/item-limits.js';
import type { OperatorChange, OperatorRecordStore } from '../store/operator-store.js';
import { type Clock, toIso } from '../support/clock.js';
import type { Duration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { type Random, randomToken } from '../support/random.js';
import { parseOptions, show } from '../support/validation.js';
import { parseDefinition, type RecurringOptions } from './definition.js';
import { checkName, RECURRING_QUEUE, scheduleId } from './names.js';
import { occurrenceId, occurrenceItem } from './occurrence-record.js';
import { describeSchedule, type RecurringRecord } from './recurring-record.js';
import { isDefinedAs, redefine, scheduleItem } from './schedule-item.js';
import {
  isPausedAt,
  payloadOf,
  readSchedule,
  type Schedule,
  type SchedulePayload,
} from './schedule-record.js';
import { wasTakenOut } from './template.js';

/** Options of `RecurringRecords`. Only `table` is required. */
export interface RecurringRecordsOptions extends ConnectionOptions {
  /** Name of the table of records. */
  readonly table: string;
  /** The client itself indexes what `runNow` and `backfill` insert, as no intake looks after the table. Default: false. */
  readonly indexAtOnce?: boolean | undefined;
  /** A store in place of the table, for tests, such as a `MemoryStore`. Default: the table. */
  readonly store?:
    | {
        /** The records. */
        readonly records: RecurringStore;
      }
    | undefined;
}

/** @inline */
type RecurringStore = Pick<OperatorRecordStore, 'insert' | 'get' | 'list' | 'change' | 'remove'>;

/** The result of `put`. */
export interface PutRecurringResult {
  /** The name. */
  readonly name: string;
  /** `unchanged`: it was there with this definition. */
  readonly was: 'new' | 'changed' | 'unchanged';
}

/** The beginning of a pause. */
export interface PauseRecurringOptions {
  /** The time at which it goes on by itself: a `Date`, ISO-8601, `"16:00Z"`, or a duration from now such as `"2h"`. Default: never. */
  readonly until?: Date | Duration | undefined;
  /** The reason, in a line of up to 200 characters. */
  readonly reason?: string | undefined;
  /** The name of the operator. */
  readonly by?: string | undefined;
}

/** The time whose occurrences `backfill` inserts. */
export interface BackfillOptions {
  /** The first time: a `Date`, or ISO-8601 with its zone. */
  readonly from: Date | string;
  /** The last time, which has passed. Default: now. */
  readonly to?: Date | string | undefined;
  /** Only tells what would be inserted. Default: false. */
  readonly dryRun?: boolean | undefined;
}

/** The result of `backfill`. */
export interface BackfillResult {
  /** The ids of the records that were inserted; with `dryRun`, of all that would be, unless they are there. */
  readonly ids: readonly string[];
  /** Records that were there already. */
  readonly present: number;
}

const optionsSchema = z
  .strictObject({
    table: tableName,
    ...connectionShape,
    indexAtOnce: z._default(z.boolean(), false),
    store: z.optional(storeWith<{ readonly records: RecurringStore }>('remove')),
  })
  .check(clientAlone);
const backfillSchema = z.strictObject({
  from: z.unknown(),
  to: z.optional(z.unknown()),
  dryRun: z._default(z.boolean(), false),
});

const MINUTE_MS = 60_000;
const MAX_TRIES = 4;
/** Most occurrences of one back-fill. */
const MAX_BACKFILL = 10_000;
/** Records under way at once. */
const CONCURRENCY = 25;

/**
 * The recurring records of an application: a schedule for each tenant, for example. The construct's prop `recurring` makes the
 * function that inserts their records. Needs the rights of the construct's `grantRecurring`.
 *
 *     const recurring = new RecurringRecords({ table: 'orders-backlog' });
 *     await recurring.put('invoices/tenant-7', { schedule: 'cron(0 6 1 * ? *)', timeZone: 'Europe/Berlin', queue: 'invoices' });
 */
export class RecurringRecords {
  private readonly records: RecurringStore;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly indexesAtOnce: boolean;

  /** @throws ConfigurationError for an option that is missing, unknown or invalid */
  constructor(options: RecurringRecordsOptions) {
    const parsed = parseOptions(optionsSchema, options, 'RecurringRecords');
    const { table: name, store, clock, random, indexAtOnce } = parsed;
    this.clock = clock;
    this.random = random;
    this.indexesAtOnce = indexAtOnce;
    this.records =
      store?.records ??
      new DynamoDbOperatorRecords(
        new Table({ client: clientFor(parsed), name, keyName: 'id', clock, random }),
        clock,
      );
  }

  /**
   * Makes a recurring record, or gives it another definition. One that has ended, or is dead, begins again. A pause stays.
   *
   * @throws ConfigurationError naming the option that is invalid, or for a schedule without any occurrence to come;
   *   InvalidRecordError for a payload that cannot be stored; StoreError
   */
  async put<Payload = unknown>(
    name: string,
    options: RecurringOptions<Payload>,
  ): Promise<PutRecurringResult> {
    checkName(name, 'recurring');
    const definition = parseDefinition(options, `recurring.${name}`);
    checkItem(this.occurrence({ name, payload: definition }, this.clock.now()));
    const none = () => {
      throw new ConfigurationError(
        `recurring.${name}.schedule: expected one with an occurrence to come, got ${show(definition.schedule)}`,
      );
    };
    return this.decide(name, async (record, now) => {
      if (!record) {
        const item = scheduleItem(name, definition, { now, random: this.random }) ?? none();
        return (await this.records.insert(item)) === 'inserted' && { name, was: 'new' };
      }
      const { paused } = payloadOf(record);
      const payload = { ...definition, ...templateOf(record), ...(paused && { paused }) };
      if (isDefinedAs(record, payload)) return { name, was: 'unchanged' };
      return (
        (await this.change(record, redefine(record, payload, now) ?? none())) && { name, was: 'changed' }
      );
    });
  }

  /**
   * Reads a recurring record. Strongly consistent. Undefined: there is none of that name.
   *
   * @throws ConfigurationError for what is no name, StoreError
   */
  async get(name: string): Promise<RecurringRecord | undefined> {
    checkName(name, 'recurring');
    const record = await this.records.get(scheduleId(name));
    return record?.queue === RECURRING_QUEUE ? describeSchedule(record, this.clock.now()) : undefined;
  }

  /**
   * Reads the recurring records that go on or are dead, page after page, unordered. It reads the index, which is eventually
   * consistent: one that was put a moment ago is not in it yet. One read unit for each 4 KB of a record.
   *
   * @throws StoreError
   */
  async *list(): AsyncGenerator<RecurringRecord> {
    for (const status of ['NEW', 'ERROR', 'DEAD'] as const) {
      for await (const record of this.records.list({ queue: RECURRING_QUEUE, status }))
        yield describeSchedule(record, this.clock.now());
    }
  }

  /**
   * Removes a recurring record. Records that it has inserted stay. False: there is none of that name.
   *
   * @throws ConfigurationError for one of the CDK app, which would write it again; StoreError
   */
  async remove(name: string): Promise<boolean> {
    return this.decide(name, async (record) => {
      if (!record) return { was: false };
      if (templateOf(record).template !== undefined) {
        throw new ConfigurationError(
          `recurring.${name}: expected one that the application has put, got one of the CDK app: take it out there, or pause it`,
        );
      }
      const answer = await this.records.remove(record, randomToken(this.random));
      return answer === 'removed' && { was: true };
    }).then(({ was }) => was);
  }

  /**
   * Has a recurring record make no occurrences until `resume`, or for a time. Those of that time are not made up for: see
   * `backfill`. A pause that goes on gets what is given.
   *
   * @throws ConfigurationError for wrong options, or where there is nothing to pause; StoreError
   */
  async pause(name: string, options: PauseRecurringOptions = {}): Promise<RecurringRecord> {
    return this.edit(name, ({ payload }, now) => {
      const { until, reason, by } = parsePause(options, now, 'pause');
      const { paused } = payload;
      const goesOn = paused && isPausedAt(payload, now);
      return {
        ...payload,
        paused: {
          since: goesOn ? paused.since : toIso(now),
          ...(until !== undefined && { until: toIso(until) }),
          ...(reason !== undefined && { reason }),
          ...(by !== undefined && { by }),
        },
      };
    });
  }

  /**
   * Ends a pause. The next occurrence is the first one from now on.
   *
   * @throws ConfigurationError where there is nothing to resume, StoreError
   */
  async resume(name: string): Promise<RecurringRecord> {
    return this.edit(name, ({ payload }, now) => {
      const { paused } = payload;
      const goesOn = paused && isPausedAt(payload, now);
      return goesOn ? { ...payload, paused: { ...paused, until: toIso(now) } } : payload;
    });
  }

  /**
   * Inserts a record for now, beside the occurrences, even of one that is paused.
   *
   * @throws ConfigurationError if there is none of that name, InvalidRecordError for a payload that cannot be stored, StoreError
   */
  async runNow(name: string): Promise<InsertResult> {
    const { payload } = await this.schedule(name);
    const now = this.clock.now();
    // A full minute may be that of an occurrence, whose record is another one.
    const at = now % MINUTE_MS === 0 ? now - 1 : now;
    return this.insert({ name, payload: { ...payload, jitter: undefined } }, at);
  }

  /**
   * Inserts the records of past occurrences. One that is there already is left alone, whatever became of it.
   *
   * @throws ConfigurationError for wrong options, more than 10,000 occurrences, or if there is none of that name; StoreError.
   *   Records that were inserted by then stay, and a repetition inserts the others
   */
  async backfill(name: string, options: BackfillOptions): Promise<BackfillResult> {
    const { from, to, dryRun } = parseOptions(backfillSchema, options, 'backfill');
    const now = this.clock.now();
    const start = parseTime(from, 'backfill.from');
    const end = to === undefined ? now : parseTime(to, 'backfill.to');
    if (end > now)
      throw new ConfigurationError(`backfill.to: expected a time that has passed, got ${toIso(end)}`);
    if (start > end) {
      throw new ConfigurationError(
        `backfill.from: expected a time before ${toIso(end)}, where it ends, got ${toIso(start)}`,
      );
    }
    const schedule = await this.schedule(name);
    const times = timesOf(schedule, start, end);
    const ids: string[] = [];
    for (let first = 0; first < times.length; first += CONCURRENCY) {
      const some = times.slice(first, first + CONCURRENCY);
      const results = await Promise.all(
        some.map((at) => (dryRun ? this.look(name, at) : this.insert(schedule, at))),
      );
      ids.push(...results.flatMap(({ id, inserted }) => (inserted ? id : [])));
    }
    return { ids, present: times.length - ids.length };
  }

  /** Decides about a schedule until its decision is written: again if another process was quicker. */
  private async decide<Result>(
    name: string,
    act: (record: BacklogRecord | undefined, now: number) => Promise<Result | false>,
  ): Promise<Result> {
    checkName(name, 'recurring');
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const record = await this.records.get(scheduleId(name));
      if (record && record.queue !== RECURRING_QUEUE) {
        throw new ConfigurationError(
          `recurring.${name}: expected a name whose id ${show(record.id)} is free, got one of a record of the queue ${show(record.queue)}`,
        );
      }
      const result = await act(record, this.clock.now());
      if (result !== false) return result;
    }
    throw new ConfigurationError(`recurring.${name}: other processes change it all the time; try again`);
  }

  private async edit(
    name: string,
    next: (schedule: Schedule, now: number) => SchedulePayload,
  ): Promise<RecurringRecord> {
    return this.decide(name, async (record, now) => {
      const found = existing(name, record);
      const schedule = readable(name, found);
      if (!isPending(found)) {
        const was = found.status === 'DEAD' ? 'dead' : 'over';
        throw new ConfigurationError(
          `recurring.${name}: expected one that goes on, got one that is ${was}: put it again`,
        );
      }
      const payload = next(schedule, now);
      const isWanted = payload === schedule.payload;
      return (
        (isWanted || (await this.change(found, { set: { payload }, remove: [] }))) &&
        describeSchedule({ ...found, payload }, now)
      );
    });
  }

  private async change(record: BacklogRecord, change: OperatorChange): Promise<boolean> {
    return (await this.records.change(record, change, randomToken(this.random))) === 'settled';
  }

  private async schedule(name: string): Promise<Schedule> {
    checkName(name, 'recurring');
    const record = await this.records.get(scheduleId(name));
    return readable(name, existing(name, record?.queue === RECURRING_QUEUE ? record : undefined));
  }

  private occurrence({ name, payload }: Pick<Schedule, 'name' | 'payload'>, at: number) {
    const { random, indexesAtOnce } = this;
    return occurrenceItem(
      { name, definition: payload, at },
      { now: this.clock.now(), random, indexesAtOnce },
    );
  }

  private async insert(schedule: Pick<Schedule, 'name' | 'payload'>, at: number): Promise<InsertResult> {
    const item = this.occurrence(schedule, at);
    return { id: item.id, inserted: (await this.records.insert(item)) === 'inserted' };
  }

  private async look(name: string, at: number): Promise<InsertResult> {
    const id = occurrenceId(name, at);
    return { id, inserted: (await this.records.get(id)) === undefined };
  }
}

/** The fingerprint of one of the CDK app. One that was taken out there belongs to the application that puts it. */
function templateOf(record: BacklogRecord): Pick<SchedulePayload, 'template' | 'templateAt'> {
  if (wasTakenOut(record)) return {};
  const { template, templateAt } = payloadOf(record);
  return { ...(template !== undefined && { template }), ...(templateAt !== undefined && { templateAt }) };
}

function existing(name: string, record: BacklogRecord | undefined): BacklogRecord {
  if (record) return record;
  throw new ConfigurationError(`recurring.${name}: expected the name of a recurring record, found none`);
}

function readable(name: string, record: BacklogRecord): Schedule {
  const { schedule, problem } = readSchedule(record);
  if (schedule === undefined) throw new ConfigurationError(`recurring.${name}: ${problem}`);
  return schedule;
}

function timesOf({ name, occurrences }: Schedule, from: number, to: number): number[] {
  const times: number[] = [];
  for (let at = occurrences.next(from - 1); at !== undefined && at <= to; at = occurrences.next(at)) {
    times.push(at);
    if (times.length <= MAX_BACKFILL) continue;
    throw new ConfigurationError(
      `backfill: expected a time with at most ${MAX_BACKFILL} occurrences of ${name}: give a shorter one`,
    );
  }
  return times;
}
