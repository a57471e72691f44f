import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { backlogHandler } from '../../functions/backlog-handler.js';
import type { ArrivalsEvent, Invocation } from '../../functions/intake/arrivals.js';
import { intakeHandler } from '../../functions/intake/intake-handler.js';
import type { Invoker } from '../../functions/intake/invoker.js';
import { renderRedelivery } from '../../functions/intake/queue-event.js';
import { sweepHandler } from '../../functions/intake/sweep-handler.js';
import { type BacklogRecord, CONTRACT_ATTRIBUTES, isLaneOf, lanesOf } from '../../src/record/index.js';
import { createDynamoDbClient, DynamoDbOperatorStore } from '../../src/store/index.js';
import { backlog } from '../cli/in-process.js';
import { environment } from '../functions/support.js';
import { goodPayloads, QUEUES } from './hostile-items.js';
import { plainOfRaw, plainOfReceived } from './plain.js';
import { RawTable } from './raw-table.js';
import type { RawItem, RawValue } from './raw-values.js';

const CONTEXT = { awsRequestId: 'r', functionName: 'Worker', getRemainingTimeInMillis: () => 300_000 };
const SERVED = ['orders', 'bulk', 'default'] as const;
/** Seconds between two rounds of rules: minutes at first, then days, until every wait that ends has ended. */
const ROUNDS = [61, 61, 10 * 86_400, 100 * 86_400];
/** Attempts of a hostile item fail by its id's number, so often. */
const MAX_FAILURES = 3;
const FAILS_EVERY = 3;
/** One of so many is shown by itself; all are listed and exported. */
const SHOWN_OF = 8;

/** No run stays for short waits: time passes between the rounds only. */
const EVERY_MINUTE = { retryMode: 'perRecord', shards: 1 } as const;
const HOURLY = { ...EVERY_MINUTE, tickSeconds: 3_600 } as const;

let trials = 0;

export interface TrialResult {
  /** Violations of what must always hold. Empty if all is well. */
  readonly violations: readonly string[];
  /** Items that DynamoDB has taken. */
  readonly items: number;
}

/** One database, and the production code at work on hostile items and good ones beside them. */
export class Fuzz {
  private readonly client: ReturnType<typeof createDynamoDbClient>;
  private readonly table: RawTable;
  private readonly requests: string[] = [];

  private constructor(private readonly endpoint: string) {
    this.client = createDynamoDbClient({ endpoint });
    this.client.middlewareStack.add(
      (next, context) => (args) => {
        this.requests.push(String(context.commandName));
        return next(args);
      },
      { step: 'initialize', name: 'countRequests' },
    );
    this.table = new RawTable(endpoint, `fuzz-${process.pid}-${Date.now()}`);
  }

  static async start(endpoint: string): Promise<Fuzz> {
    const fuzz = new Fuzz(endpoint);
    await fuzz.table.create();
    return fuzz;
  }

  stop(): void {
    this.client.destroy();
  }

  /** Puts the items and some good ones beside them, lets all of it work, and looks. */
  async trial(hostile: readonly RawItem[]): Promise<TrialResult> {
    const trial = new Trial(this.endpoint, this.client, this.table, this.requests, `t${++trials}`);
    return trial.play(hostile);
  }
}

class Trial {
  private readonly violations: string[] = [];
  private readonly attempts = new Map<string, BacklogRecord[]>();
  private readonly invoked: ArrivalsEvent[] = [];
  private readonly returned: string[] = [];
  private settings: typeof EVERY_MINUTE | typeof HOURLY = EVERY_MINUTE;
  private now = Date.now();
  private readonly clock = {
    now: () => this.now,
    wall: () => this.now,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds).unref();
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };

  constructor(
    private readonly endpoint: string,
    private readonly client: ReturnType<typeof createDynamoDbClient>,
    private readonly table: RawTable,
    private readonly requests: string[],
    private readonly name: string,
  ) {}

  async play(hostile: readonly RawItem[]): Promise<TrialResult> {
    const before = await this.putAll(hostile);
    const good = [...before.keys()].filter((id) => id.startsWith(`${this.name}-good`));
    await this.arrive(before);
    for (const seconds of ROUNDS) await this.round(seconds);
    await this.sweep();
    await this.hourlyRound();
    for (const seconds of ROUNDS.slice(0, 2)) await this.round(seconds);
    await this.checkIdlePolls();
    await this.repair();
    const after = await this.table.items();
    for (const id of good) this.checkGood(id, before.get(id), after.get(id));
    for (const [id, item] of before) this.checkItem(id, item, after.get(id));
    await this.operate(after);
    return { violations: this.violations, items: before.size };
  }

  private report(violation: string): void {
    this.violations.push(violation);
  }

  private async putAll(hostile: readonly RawItem[]): Promise<Map<string, RawItem>> {
    const refused: number[] = [];
    for (const [i, item] of hostile.entries()) {
      if (!(await this.table.put({ ...item, id: { S: `${this.name}-bad${i}` } }))) refused.push(i);
      if (i % 5 === 0) await this.putGood(i);
    }
    if (hostile.length === 0) await this.putGood(0);
    if (refused.length > 5 + hostile.length / 2)
      throw new Error(
        `DynamoDB refuses ${refused.length} of ${hostile.length} items: what is left tests nothing`,
      );
    return this.table.items();
  }

  private async putGood(i: number): Promise<void> {
    const put = (name: string, queue: string, payload: RawValue, more: RawItem = {}) =>
      this.table.put({
        id: { S: `${this.name}-good${i}-${name}` },
        status: { S: 'NEW' },
        queue: { S: queue },
        payload,
        note: { S: 'its producer’s own' },
        ...more,
      });
    const payload = (n: number) => goodPayloads[(i + n) % goodPayloads.length] ?? { NULL: true };
    const at = new Date(this.now - 1000).toISOString();
    const indexed = (lane: string) => ({ lane: { S: lane }, dueAt: { S: at }, insertedAt: { S: at } });
    await put('bare', QUEUES[0], payload(0));
    await put('indexed', QUEUES[1], payload(1), indexed(QUEUES[1]));
  }

  /** Brings items to the intake in batches, as the table's stream does. */
  private async arrive(items: ReadonlyMap<string, RawItem>): Promise<void> {
    const changes = [...items]
      .filter(([, { status }]) => status?.S !== 'SUCCESS')
      .map(([id, NewImage], i) => ({
        eventName: 'INSERT',
        eventSource: 'aws:dynamodb',
        dynamodb: {
          ApproximateCreationDateTime: Math.floor(this.now / 1000),
          SequenceNumber: String(i).padStart(12, '0'),
          Keys: { id: { S: id } },
          NewImage,
        },
      }));
    for (let i = 0; i < changes.length; i += 25) await this.intake({ Records: changes.slice(i, i + 25) });
    for (const event of this.invoked.splice(0)) await this.run(event);
  }

  private async intake(event: unknown): Promise<void> {
    const answer = await this.guarded('the intake', () => intakeHandler(this.intakeSeams())(event, CONTEXT));
    const failed = (answer as { batchItemFailures?: unknown[] } | undefined)?.batchItemFailures ?? [];
    if (failed.length > 0) this.report(`the intake has a batch repeated: ${JSON.stringify(failed)}`);
  }

  private async sweep(): Promise<void> {
    this.now += 86_400_000;
    await this.guarded('the sweep', () => sweepHandler(this.intakeSeams())({}, CONTEXT));
  }

  /** Every rule once; then what comes back of the intake's messages. */
  private async round(seconds: number): Promise<void> {
    this.now += seconds * 1000;
    for (const queue of SERVED) await this.run({ queue });
    for (const body of this.returned.splice(0)) {
      await this.intake({ Records: [{ eventSource: 'aws:sqs', messageId: 'm', body }] });
    }
  }

  /** Repairs, as operators do, the records in a lane that no queue has, and those without a due time. */
  private async repair(): Promise<void> {
    await this.command(
      [0, 3],
      'doctor',
      '--repair',
      '--yes',
      '--wait',
      '1ms',
      '--queues',
      SERVED.join(),
      this.withControl,
    );
    // The doctor names records in a lane of another queue, or of none. Operators decide where they belong.
    const strays = [...(await this.table.items())].filter(([, item]) => isStray(item)).map(([id]) => id);
    if (strays.length > 0) await this.changes('move', strays, '--to', 'orders', '--force');
    await this.hourlyRound();
    await this.hourlyRound();
  }

  /** A round that looks into the lanes of earlier shards, too. */
  private async hourlyRound(): Promise<void> {
    this.settings = HOURLY;
    await this.round(3_600);
    this.settings = EVERY_MINUTE;
  }

  private async run(event: unknown): Promise<void> {
    const handler = backlogHandler({
      queues: SERVED,
      process: (record) => this.process(record),
      ...this.overrides(),
    } as Parameters<typeof backlogHandler>[0]);
    await this.guarded(`the run of ${JSON.stringify(event)}`, () => handler(event, CONTEXT));
  }

  private get attemptsMade(): number {
    return [...this.attempts.values()].reduce((sum, { length }) => sum + length, 0);
  }

  private process(record: BacklogRecord): void {
    const { id } = record;
    const attempts = [...(this.attempts.get(id) ?? []), record];
    this.attempts.set(id, attempts);
    // One that waits for next to nothing would be attempted at every poll, and none would be idle.
    if (attempts.length > MAX_FAILURES) return;
    const number = Number(/-bad(\d+)$/.exec(id)?.[1] ?? -1);
    if (number >= 0 && number % FAILS_EVERY === 0) throw new Error('as its number has it');
  }

  private async guarded<Answer>(what: string, act: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await act();
    } catch (error) {
      this.report(`${what.slice(0, 200)} threw ${String((error as Error)?.stack ?? error).slice(0, 500)}`);
      return undefined;
    }
  }

  private overrides() {
    const store = new DynamoDbOperatorStore({
      client: this.client,
      tables: this.table.names,
      clock: this.clock,
    });
    const logger = new Logger({ logLevel: 'SILENT' });
    const env = {
      ...environment(Object.fromEntries(SERVED.map((queue) => [queue, this.settings]))),
      BACKLOG_TABLE: this.table.names.records,
      BACKLOG_CONTROL_TABLE: this.table.names.control,
    };
    return { store, clock: this.clock, random: Math.random, logger, env, emit: () => {} };
  }

  private intakeSeams() {
    const invoker: Invoker = {
      invoke: async ({ event }: Invocation) => {
        this.invoked.push(event);
        return 'accepted';
      },
      sendToRedelivery: async (ids) => void this.returned.push(...renderRedelivery(ids)),
      async sendShortWait() {},
      giveUp: async (body) => this.report(`given up: ${body}`),
    };
    const overrides = this.overrides();
    const env = {
      ...overrides.env,
      BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Worker: ['orders', 'default'] }),
      BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
    };
    return { ...overrides, env, invoker };
  }

  /** A good record is attempted once, at the first opportunity, and gets what was put. */
  private checkGood(id: string, before: RawItem | undefined, after: RawItem | undefined): void {
    const attempts = this.attempts.get(id) ?? [];
    if (attempts.length !== 1) this.report(`${id}: attempted ${attempts.length} times`);
    if (after?.status?.S !== 'SUCCESS') this.report(`${id}: ended ${after?.status?.S}`);
    if (JSON.stringify(after?.payload) !== JSON.stringify(before?.payload))
      this.report(`${id}: its payload was changed`);
  }

  /** Whatever it is: its producer's part is as it was, what was received is what is stored, and it has an end. */
  private checkItem(id: string, before: RawItem, after: RawItem | undefined): void {
    if (!after) {
      this.report(`${id}: gone. It was ${shown(before)}`);
      return;
    }
    for (const name of Object.keys(before)) {
      if (name !== 'payload' && CONTRACT_ATTRIBUTES.has(name)) continue;
      if (JSON.stringify(after[name]) === JSON.stringify(before[name])) continue;
      this.report(`${id}: ${name} was changed: ${shown(before[name])} to ${shown(after[name])}`);
    }
    for (const { payload } of this.attempts.get(id) ?? []) {
      const received = payload === undefined ? undefined : JSON.stringify(plainOfReceived(payload));
      const stored = before.payload && JSON.stringify(plainOfRaw(before.payload));
      if (received !== stored) this.report(`${id}: received ${received} of ${stored}`);
    }
    if (!this.hasEnd(after))
      this.report(`${id}: nobody deals with it. It was ${shown(before)}, is ${shown(after)}`);
  }

  /** Done, dead, or waiting at a place where it is found. */
  private hasEnd(item: RawItem): boolean {
    const { status, lane, dueAt } = item;
    if (status?.S === 'SUCCESS' || status?.S === 'DEAD' || isNewer(item)) return true;
    const due = Date.parse(String(dueAt?.S));
    return typeof lane?.S === 'string' && !Number.isNaN(due) && (due > this.now || lane.S === 'unserved');
  }

  /** One query each with nothing due, whatever lies in the table; at the first poll of a process, its item also. */
  private async checkIdlePolls(): Promise<void> {
    for (const queue of SERVED) {
      let attempts: number;
      do {
        attempts = this.attemptsMade;
        this.requests.length = 0;
        await this.run({ queue });
        // One that waits for next to nothing has had its turn: the poll was not idle.
      } while (this.attemptsMade > attempts);
      // Once a day a poll looks into the lanes of earlier shards, too: one query each.
      const others = this.requests.filter((request) => request !== 'QueryCommand');
      const queries = this.requests.length - others.length;
      if (others.join() !== 'GetItemCommand' || ![1, lanesOf(queue).length].includes(queries))
        this.report(`an idle poll of ${queue}: ${this.requests.join()}`);
    }
  }

  /** Every command ends as it says, shows what there is, and can remove it. */
  private async operate(items: ReadonlyMap<string, RawItem>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'backlog-fuzz-'));
    const ids = [...items.keys()];
    const bad = ids.filter((id) => id.includes('-bad'));
    const third = (n: number) => bad.filter((_, i) => i % 3 === n);
    try {
      const listed = await this.command([0], 'list', '--json');
      const all = (await this.command([0, 3], 'export', '--all')).out;
      await this.command([0], 'list');
      await this.command([0], 'stats', '--json', this.withControl);
      await this.command([0, 3], 'doctor', this.withControl);
      for (const id of ids) {
        if (!listed.out.includes(JSON.stringify(id))) this.report(`list: ${id} is missing`);
        if (!all.includes(JSON.stringify(id))) this.report(`export: ${id} is missing`);
      }
      for (const id of bad.filter((_, i) => i % SHOWN_OF === 0)) await this.command([0], 'show', id);
      await this.changes('run-now', third(0));
      await this.changes('snooze', third(1), '--delay', '1h');
      await this.changes('move', third(2), '--to', 'bulk', '--force');
      await this.changes('edit', third(0), '--payload', '{"edited":true}', '--yes');
      await this.changes('redrive', third(1));
      const dead = await this.table.items();
      for (const [id, item] of items) {
        const edited = third(0).includes(id);
        if (!edited && JSON.stringify(item.payload) !== JSON.stringify(dead.get(id)?.payload))
          this.report(`${id}: its payload was changed by an operator`);
      }
      await this.command([0, 3], 'export', '--all', '--as-new', '--out', join(folder, 'all.ndjson'));
      await this.removeAll(ids);
      await this.command([0, 3], 'import', join(folder, 'all.ndjson'));
      await this.removeAll([...(await this.table.items()).keys()]);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  private async changes(verb: string, ids: readonly string[], ...flags: string[]): Promise<void> {
    if (ids.length > 0) await this.command([0, 3], verb, ...ids, ...flags, this.withControl);
  }

  private async removeAll(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) {
      await this.command([0, 3], 'discard', ...ids, '--delete', '--yes', this.withControl);
    }
    for (const [id, item] of await this.table.items()) {
      if (item.status?.S === 'SUCCESS') await this.table.remove(id);
      else if (!isNewer(item)) this.report(`${id}: cannot be removed: ${shown(item)}`);
    }
    for (const id of (await this.table.items()).keys()) await this.table.remove(id);
  }

  private get withControl(): string[] {
    return ['--control-table', this.table.names.control];
  }

  private async command(codes: readonly number[], ...args: (string | string[])[]) {
    const given = [...args.flat(), '--endpoint', this.endpoint, '--table', this.table.names.records];
    const answer = await backlog(...given);
    if (answer.error !== undefined || !codes.includes(answer.code ?? -1)) {
      const said = answer.err.slice(0, 500);
      const stack = String((answer.error as Error)?.stack).slice(0, 400);
      this.report(`${args.flat().join(' ').slice(0, 150)}: ended ${answer.code}: ${said} ${stack}`);
    }
    return answer;
  }
}

/** Only the lanes of queues that are served are looked into. */
function isServed(lane: string): boolean {
  return SERVED.some((queue) => isLaneOf(lane, queue));
}

/** Left to the version that has written it, by runs and operators alike. */
function isNewer({ backlogFormat }: RawItem): boolean {
  return Number(backlogFormat?.N ?? 1) > 1;
}

/** True for a record that waits in a lane that no run ever reads. */
function isStray({ status, lane }: RawItem): boolean {
  const isOver = status?.S === 'SUCCESS' || status?.S === 'DEAD';
  return !isOver && typeof lane?.S === 'string' && !isServed(lane.S) && lane.S !== 'unserved';
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.replace(/(.)\1{30,}/g, '$1…').slice(0, 900);
}
