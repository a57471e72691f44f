import { BacklogClient } from '../client/index.js';
import { groupEvent } from '../groups/group-event.js';
import { type GroupEventDetail, RecordGroups } from '../groups/index.js';
import { RecordLines } from '../lines/index.js';
import { BacklogOperator } from '../operate/index.js';
import { outsideWaitOf } from '../record/completion.js';
import {
  type BacklogRecord,
  type EventPart,
  type HistoryEntry,
  isPending,
  type RecordEventDetail,
  recordEvent,
} from '../record/index.js';
import { RecurringRecords } from '../recurring/index.js';
import { checkItem } from '../store/item-limits.js';
import type { Clock } from '../support/clock.js';
import { age, type Duration, parseDuration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { randomToken } from '../support/random.js';
import { show } from '../support/validation.js';
import { type Finding, HandlerFindingError } from './findings.js';
import { compareEffects } from './idempotency.js';
import type { LogEntry } from './logs.js';
import type { TestBacklogOptions } from './options.js';
import { macrotask } from './real-timers.js';
import { isMeant, type RecordFilter, type TestRecord, testRecord } from './record.js';
import { type AttemptSummary, difference } from './summary.js';
import { checkReachable, stillWaiting } from './unsettled.js';
import { describeRecord } from './words.js';
import { World } from './world.js';

/** The limit of `runUntilSettled`. */
const MAX_SECONDS = 60 * 86_400;
const MAX_NAMED = 5;
const TABLE = 'test-records';
const CONTROL_TABLE = 'test-control';
/** The client's own: `redirectClients` replaces it. */
const { wait } = BacklogClient.prototype;

/**
 * A record as any service puts it, with the attributes of docs/records.md; whatever is wrong with them is handled as in
 * production.
 */
export interface BareItem {
  /** The record's id. Default: a random one. */
  readonly id?: string | undefined;
  /** The work. */
  readonly payload?: unknown;
  /** The name of its queue. Default: `default`. */
  readonly queue?: string | undefined;
  /** The name of its task. */
  readonly task?: string | undefined;
  /** The customer or tenant whose work it is. */
  readonly key?: string | undefined;
  /** Any other attribute. */
  readonly [attribute: string]: unknown;
}

/**
 * A backlog in this process, on virtual time: the functions, the rules, the stream and the tables' semantics, without AWS
 * and without a port. Made by `testBacklog`.
 */
export class TestBacklog {
  /** The client of your producers and services: they insert with it, look records up, cancel and complete them. */
  readonly client: BacklogClient;
  /** The client of operators: redrive, discard, pause and the like. */
  readonly operator: BacklogOperator;
  /** The recurring records that your applications put. They are looked at if the option `recurring` is there, `{}` at least. */
  readonly recurring: RecurringRecords;
  /** The groups of records that your producers insert. */
  readonly groups: RecordGroups;
  /** The records of queues with `order`: inserts them with numbers, and looks at the lines of their keys. */
  readonly lines: RecordLines;
  private readonly world: World;
  private readonly throwFindings: boolean;
  private reported = 0;
  private working: string | undefined;
  /** Aborted when the present work is over. */
  private workOver = new AbortController();

  /** @throws ConfigurationError for an option that is missing, unknown or invalid */
  constructor(options: TestBacklogOptions) {
    this.world = new World(options);
    this.throwFindings = options.throwFindings ?? true;
    const { store, random, time } = this.world;
    // A pause between two writes takes no time.
    const clock: Clock = { now: () => time.now, wall: () => time.now, sleep: () => macrotask() };
    const own = { table: TABLE, store, random };
    this.client = new BacklogClient({ ...own, clock });
    this.recurring = new RecurringRecords({ ...own, clock });
    this.groups = new RecordGroups({ ...own, controlTable: CONTROL_TABLE, clock });
    this.lines = new RecordLines({ ...own, controlTable: CONTROL_TABLE, clock });
    // It waits for what the backlog does, and looks again when time has passed, or work is done.
    const sleep: Clock['sleep'] = (ms, signal) => this.sleep(ms, signal);
    const waiting = new BacklogClient({ ...own, clock: { ...clock, sleep } });
    this.client.wait = wait.bind(waiting) as BacklogClient['wait'];
    this.operator = new BacklogOperator({
      table: TABLE,
      controlTable: CONTROL_TABLE,
      store,
      clock,
      random,
    });
  }

  /** The backlog's time. */
  get now(): Date {
    return new Date(this.world.time.now);
  }

  /** Mistakes of the handlers that were found so far. */
  get findings(): readonly Finding[] {
    return [...this.world.watch.findings];
  }

  /** Lines that the functions and your handlers have logged. */
  get logs(): readonly LogEntry[] {
    return [...this.world.logs];
  }

  /**
   * Puts a record as a service in any language does, by its own AWS SDK. Returns its id.
   *
   * @throws InvalidRecordError for what DynamoDB does not take
   */
  async insert(item: BareItem): Promise<string> {
    const id = item.id ?? `record-${randomToken(this.world.random)}`;
    const whole = { status: 'NEW', ...item, id };
    checkItem(whole);
    this.world.store.put(whole);
    return id;
  }

  /**
   * Makes every `BacklogClient` of this process work on this backlog from now on, for producers that make a client of their
   * own. Returns a function that ends that: call it in `afterEach`.
   */
  redirectClients(): () => void {
    const { prototype } = BacklogClient;
    const { insert, insertMany, get, list, cancel, complete, fail, heartbeat, wait: before } = prototype;
    const { client } = this;
    const redirected = <Method extends (...args: never) => unknown>(method: Method) =>
      ((...args: never[]) => method.apply(client, args as never)) as unknown as Method;
    Object.assign(prototype, {
      insert: redirected(insert),
      insertMany: redirected(insertMany),
      get: redirected(get),
      list: redirected(list),
      cancel: redirected(cancel),
      complete: redirected(complete),
      fail: redirected(fail),
      heartbeat: redirected(heartbeat),
      wait: client.wait,
    });
    const own = { insert, insertMany, get, list, cancel, complete, fail, heartbeat, wait: before };
    return () => void Object.assign(prototype, own);
  }

  /**
   * Attempts what is due now, while no time passes: records that were just inserted, and those whose wait is over. The rules of
   * a progressive queue fire at their own times alone.
   *
   * @throws HandlerFindingError for what was found wrong with a handler
   */
  drain(): Promise<AttemptSummary> {
    return this.work('drain', () => this.world.drain());
  }

  /**
   * Lets time pass. The rules fire at their times on the way.
   *
   * @param duration such as `'2h'`, or seconds
   * @throws ConfigurationError for what is no duration, HandlerFindingError for what was found wrong with a handler
   */
  async advance(duration: Duration): Promise<AttemptSummary> {
    const until = this.world.time.now + parseDuration(duration, 'advance') * 1000;
    return this.work('advance', () => this.world.pass(until));
  }

  /** Lets time pass up to a time, like `advance`. */
  async advanceTo(time: Date | string): Promise<AttemptSummary> {
    const until = new Date(time).getTime();
    if (Number.isNaN(until) || until < this.world.time.now) {
      throw new ConfigurationError(
        `advanceTo: expected a time from ${this.now.toISOString()} on, got ${show(time)}`,
      );
    }
    return this.work('advanceTo', () => this.world.pass(until));
  }

  /**
   * Lets time pass until every record has succeeded or died.
   *
   * @param limit the longest time that may pass. Default: 60 days
   * @throws Error that names the records which still wait then, HandlerFindingError for what was found wrong with a handler
   */
  async runUntilSettled(limit: Duration = MAX_SECONDS): Promise<AttemptSummary> {
    const seconds = parseDuration(limit, 'runUntilSettled', { above: 0 });
    const { world } = this;
    const until = world.time.now + seconds * 1000;
    return this.work('runUntilSettled', async () => {
      await checkReachable(world);
      const since = world.time.now;
      await world.pass(until, () => world.isSettled());
      const waiting = world.waiting();
      if (waiting.length === 0) return;
      // They say why it waits.
      this.checkFindings();
      const records = waiting.map((id) => this.record(id));
      const after = `after ${age(world.time.now - since)}, ${records.length} of ${this.records().length}`;
      throw new Error(await stillWaiting(records, after, this.lines));
    });
  }

  /**
   * A record as it is now.
   *
   * @throws Error if there is none of this id
   */
  record(id: string): TestRecord {
    const found = this.world.store.parsed(id)[0];
    if (found) return this.seen(found);
    const ids = this.records().map((record) => record.id);
    throw new Error(
      `no record ${show(id)}: there ${ids.length === 0 ? 'is none at all' : `are ${named(ids)}`}`,
    );
  }

  /** All records, or some of them, in the order of their insertion. */
  records(filter: RecordFilter = {}): TestRecord[] {
    const meant = this.world.store.parsed().filter((record) => isMeant(record, filter));
    return meant.map((record) => this.seen(record));
  }

  /**
   * The token with which a record waits for its end from outside: what its attempt had as `context.token`.
   *
   * @throws Error if its last attempt did not end as `Pending`, or there is none of this id
   */
  token(id: string): string {
    const wait = outsideWaitOf(this.record(id));
    if (wait) return wait.token;
    throw new Error(`token: it does not wait for its end from outside: ${describeRecord(this.record(id))}`);
  }

  /** The history of a record: failures, snoozes, and what came after one; newest last. */
  history(id: string): readonly HistoryEntry[] {
    return this.record(id).history;
  }

  /**
   * The detail of the event that other services get of a record's end (`recordEvents` of the construct), for a test of a
   * subscriber. Undefined: it has not ended.
   *
   * @param include parts that the construct's `include` names
   * @throws Error if there is none of this id
   */
  recordEvent(id: string, include: readonly EventPart[] = []): RecordEventDetail | undefined {
    const { readAt: _, nextAttemptAt: __, ...record } = this.record(id);
    return recordEvent(record, { table: TABLE, include: new Set(include) });
  }

  /**
   * The detail of the event that other services get of a group's end (`recordEvents.groups` of the construct). Undefined: it has
   * not ended.
   *
   * @throws Error if there is no record of its end
   */
  groupEvent(id: string): GroupEventDetail | undefined {
    const { readAt: _, nextAttemptAt: __, ...record } = this.record(id);
    return groupEvent(record, { table: TABLE });
  }

  /**
   * Attempts a record again, as after a crash between the work and the write of its outcome: with the same id, payload and
   * attempt. Its last outcome is forgotten.
   *
   * @throws Error if it was not attempted yet
   */
  async redeliver(id: string): Promise<AttemptSummary> {
    this.record(id);
    return this.work('redeliver', async () => {
      if (!(await this.world.redeliver(id)))
        throw new Error(`redeliver: record ${show(id)} was not attempted yet`);
    });
  }

  /**
   * Attempts a record, and then once more as if its outcome could not be written, and compares the effects.
   *
   * @param effects gives what the attempts have done, as a value that can be compared: what a fake service was sent, rows
   * @throws NotIdempotentError if the second attempt added to the effects, or failed
   */
  async expectIdempotent(id: string, effects: () => unknown): Promise<void> {
    if (this.record(id).status === 'NEW') await this.drain();
    if (this.record(id).status !== 'SUCCESS') {
      throw new Error(
        `expectIdempotent: expected the record ${show(id)} to succeed first, got ${describeRecord(this.record(id))}`,
      );
    }
    const first = structuredClone(await effects());
    await this.redeliver(id);
    compareEffects(this.record(id), first, structuredClone(await effects()));
  }

  private seen(record: BacklogRecord): TestRecord {
    const { time, rules, ruleClock } = this.world;
    const hasTurn = isPending(record) && !this.world.isInLine(record);
    const next = hasTurn ? ruleClock.nextAttempt(rules, record, time.now) : undefined;
    return testRecord(record, time.now, next);
  }

  private async work(name: string, act: () => Promise<void>): Promise<AttemptSummary> {
    if (this.working !== undefined) {
      throw new Error(
        `${name}: the backlog is at work: await ${this.working} first, and call neither in a process`,
      );
    }
    this.working = name;
    const before = this.world.summary;
    try {
      await act();
    } finally {
      this.working = undefined;
      const { workOver } = this;
      this.workOver = new AbortController();
      workOver.abort();
    }
    this.checkFindings();
    return difference(this.world.summary, before);
  }

  /** Waits on virtual time, at most until the present or the next work is over. It does not keep the process alive. */
  private sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const { signal: over } = this.workOver;
    const either = signal ? AbortSignal.any([signal, over]) : over;
    return this.world.time.clock().sleep(milliseconds, either);
  }

  private checkFindings(): void {
    const { findings } = this.world.watch;
    const found = findings.slice(this.reported);
    this.reported = findings.length;
    if (this.throwFindings && found.length > 0) throw new HandlerFindingError(found);
  }
}

function named(ids: readonly string[]): string {
  const some = ids.slice(0, MAX_NAMED).map(show).join(', ');
  return ids.length > MAX_NAMED ? `${some} and ${ids.length - MAX_NAMED} more` : some;
}

/**
 * Makes a backlog for a test: in this process, in memory and on virtual time, with the code that runs in Lambda.
 *
 *     const backlog = testBacklog({ queues: { orders: { handler, retry: { type: 'fibonacci' } } } });
 *     await backlog.client.insert({ id: 'order-7', payload: { total: 12 }, queue: 'orders' });
 *     await backlog.runUntilSettled();
 *
 * @throws ConfigurationError for an option that is missing, unknown or invalid
 */
export function testBacklog(options: TestBacklogOptions): TestBacklog {
  return new TestBacklog(options);
}
