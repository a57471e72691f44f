import type { Logger } from '@aws-lambda-powertools/logger';
import { backlogHandler } from '../../functions/backlog-handler.js';
import type { ArrivalsEvent } from '../../functions/intake/arrivals.js';
import type { RuleEvent } from '../../functions/intake/dead-run.js';
import { intakeHandler } from '../../functions/intake/intake-handler.js';
import type { Invoker } from '../../functions/intake/invoker.js';
import { Lines } from '../../functions/intake/lines.js';
import { sweepHandler } from '../../functions/intake/sweep-handler.js';
import type { LambdaHandler } from '../../functions/lambda-context.js';
import type { MemoryStore } from '../../src/store/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import type { Process, run } from '../../src/worker/index.js';
import { AsyncInvocations } from '../../tools/src/lab/cloud/async-invocations.js';
import type { Chaos } from '../../tools/src/lab/cloud/chaos.js';
import { MessageQueue } from '../../tools/src/lab/cloud/message-queue.js';
import { Stream } from '../../tools/src/lab/cloud/stream.js';
import type { Actor, Faults } from '../simulation/actor.js';
import { faultyRemote } from '../simulation/cloud/faulty-invoker.js';
import { faultyStore } from '../simulation/faulty-store.js';
import { between, pick } from '../simulation/random.js';
import { Lambda } from './lambda.js';
import type { Replica } from './replication.js';
import { FUNCTION_TIMEOUT_SECONDS, MINUTE_MS, type Scenario } from './scenario.js';

/** Takes a safeguard out, to see that its absence is noticed. */
export interface Sabotage {
  /** The tables as the functions see them. */
  readonly store?: ((store: OperatorStore) => OperatorStore) | undefined;
  readonly operatorStore?: (store: OperatorStore) => OperatorStore;
  readonly functionEnv?: (env: Variables) => Variables;
  readonly intakeEnv?: (env: Variables) => Variables;
  readonly run?: typeof run;
  readonly scenario?: (scenario: Scenario) => Scenario;
}

export type Variables = Readonly<Record<string, string>>;

export interface SiteDeps {
  readonly region: string;
  readonly replica: Replica;
  readonly scenario: Scenario;
  readonly chaos: Chaos;
  readonly faults: () => Faults;
  readonly sabotage: Sabotage;
  /** The functions that attempt records, with their own variables. The first one has those of the intake, too. */
  readonly functions: readonly { readonly name: string; readonly env: Variables }[];
  /** Variables of all functions, beside those of every backlog. */
  readonly env: Variables;
  readonly newActor: (name: string) => Actor;
  /** Does the work of a record in a sandbox of a function. */
  readonly process: (actor: Actor, where: string) => Process;
}

const INTAKE_TIMEOUT_SECONDS = 60;
const SWEEP_TIMEOUT_SECONDS = 300;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Logger;

/** All that is deployed into one region, around the production handlers: rules, stream, intake, redelivery queue and sweep. */
export class Site {
  private readonly functions: readonly Lambda[];
  private readonly intake: Lambda;
  private readonly sweep: Lambda;
  private readonly stream: Stream;
  private readonly redeliveries: MessageQueue;
  private readonly invocations: ReadonlyMap<string, AsyncInvocations<ArrivalsEvent | RuleEvent>>;
  private readonly standstill = { fromMs: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
  private readonly start: number;
  private comesBack: (() => void)[] = [];
  isUp = true;

  constructor(readonly deps: SiteDeps) {
    const { chaos, replica, functions } = deps;
    this.start = chaos.time.now;
    this.functions = functions.map(({ name, env }) => this.makeFunction(name, env));
    this.intake = this.makeLambda('intake', INTAKE_TIMEOUT_SECONDS, (actor) => this.intakeIn(actor));
    this.sweep = this.makeLambda('sweep', SWEEP_TIMEOUT_SECONDS, (actor) => this.sweepIn(actor));
    const onFailure = (body: string) => this.redeliveries.send(body);
    this.invocations = new Map(
      this.functions.map((lambda) => {
        const invoke = async (event: unknown) => this.isUp && (await lambda.invoke(event)) !== 'failed';
        return [lambda.arn, new AsyncInvocations(chaos, invoke, onFailure)];
      }),
    );
    this.redeliveries = new MessageQueue(chaos, (event) => this.ingest(event));
    const { random } = chaos;
    const options = {
      shards: pick(random, [1, 2]),
      batchSize: pick(random, [1, 3, 10]),
      standstill: this.standstill,
      hasOrder: deps.scenario.skipGapAfter !== undefined,
    };
    const consume = async (event: { Records: unknown[] }) => {
      const failed = await this.ingest(event);
      return failed === 'all' ? 'all' : failed[0];
    };
    this.stream = new Stream(chaos, options, consume, () => {});
    replica.onWritten = (kind, item, before) => this.stream.wrote(kind, item, before);
    this.everyMinute(between(random, 0, 59_000));
  }

  /** Each function's rule, at a second of its own, and the hourly one of the sweep. */
  private everyMinute(afterMs: number, minute = 0): void {
    const { time } = this.deps.chaos;
    time.after(afterMs, () => {
      if (this.isUp) this.fireRules(minute);
      this.everyMinute(MINUTE_MS, minute + 1);
    });
  }

  private fireRules(minute: number): void {
    for (const lambda of this.functions) void lambda.invoke({ queue: 'q' });
    if (minute % 60 === 0) void this.sweep.invoke({});
  }

  /** The region is gone: what was at work there is, and its stream and its messages wait. */
  goesDown(): void {
    this.isUp = false;
    this.standstill.fromMs = this.deps.chaos.time.now - this.start;
    for (const lambda of [...this.functions, this.intake, this.sweep]) lambda.killAll();
  }

  comesUp(): void {
    this.isUp = true;
    this.standstill.untilMs = this.deps.chaos.time.now - this.start;
    for (const goOn of this.comesBack.splice(0)) goOn();
  }

  private async ingest(event: { Records: unknown[] }): Promise<readonly string[] | 'all'> {
    if (!this.isUp) await new Promise<void>((resolve) => this.comesBack.push(resolve));
    const answer = (await this.intake.invoke(event)) as
      | 'failed'
      | { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };
    if (answer !== 'failed') return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    return this.isUp ? 'all' : this.ingest(event);
  }

  private makeFunction(name: string, env: Variables): Lambda {
    const { scenario, sabotage, chaos, process, region, functions } = this.deps;
    const { random } = chaos;
    const where = functions.length > 1 ? name : region;
    const own = { ...this.variables(FUNCTION_TIMEOUT_SECONDS), ...env };
    return this.makeLambda(name, FUNCTION_TIMEOUT_SECONDS, (actor) =>
      backlogHandler({
        queue: 'q',
        process: process(actor, where),
        attemptTimeout: scenario.attemptTimeout,
        store: this.tablesFor(actor),
        clock: actor.clock,
        random,
        logger: SILENT,
        emit: () => {},
        run: sabotage.run,
        env: sabotage.functionEnv?.(own) ?? own,
      }),
    );
  }

  private intakeIn(actor: Actor): LambdaHandler<unknown> {
    return intakeHandler({ ...this.intakeSeams(actor), emit: () => {} });
  }

  private sweepIn(actor: Actor): LambdaHandler<unknown> {
    return sweepHandler(this.intakeSeams(actor));
  }

  private intakeSeams(actor: Actor) {
    const { chaos, scenario, sabotage, functions } = this.deps;
    const own = this.functions[0];
    const env = {
      ...this.variables(INTAKE_TIMEOUT_SECONDS),
      ...functions[0]?.env,
      BACKLOG_REDELIVERY_URL: 'https://sqs/redelivery',
      ...(scenario.isOnArrival && own
        ? { BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ [own.arn]: ['q'] }) }
        : {}),
    };
    const tables = this.tablesFor(actor);
    return {
      store: tables,
      lines: Lines,
      lineTables: { lines: (tables as MemoryStore).lines, control: tables.control },
      clock: actor.clock,
      random: chaos.random,
      logger: SILENT,
      invoker: this.invokerOf(actor),
      env: sabotage.intakeEnv?.(env) ?? env,
    };
  }

  private invokerOf(actor: Actor): Invoker {
    const { chaos, faults } = this.deps;
    const remote = (name?: string) =>
      faultyRemote(
        {
          accept: (event) => this.invocations.get(name ?? '')?.accept(event as ArrivalsEvent),
          send: (body, delaySeconds) => this.redeliveries.send(body, delaySeconds),
        },
        actor,
        faults,
        chaos,
      );
    return { ...remote(), invoke: (invocation) => remote(invocation.functionName).invoke(invocation) };
  }

  private variables(timeoutSeconds: number): Variables {
    const { shards, retrySeconds, concurrency, isOnArrival, skipGapAfter } = this.deps.scenario;
    const retry = { type: 'constant', interval: retrySeconds };
    const order = skipGapAfter && { order: 'key', skipGapAfter };
    const queue = { retryMode: 'perRecord', shards, retry, concurrency, onArrival: isOnArrival, ...order };
    return {
      BACKLOG_TABLE: 'records',
      BACKLOG_CONTROL_TABLE: 'control',
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: String(timeoutSeconds),
      BACKLOG_QUEUES: JSON.stringify({ q: queue }),
      ...this.deps.env,
    };
  }

  private makeLambda(
    name: string,
    timeoutSeconds: number,
    handlerIn: (actor: Actor) => LambdaHandler<unknown>,
  ) {
    const { chaos, newActor, region } = this.deps;
    const { time, random } = chaos;
    const arn = `arn:aws:lambda:${region}:1:function:${name}`;
    return new Lambda({ time, random, timeoutSeconds, arn, newActor, handlerIn });
  }

  private tablesFor(actor: Actor): OperatorStore {
    const { replica, sabotage, faults, chaos } = this.deps;
    const tables = replica.tables();
    return faultyStore(sabotage.store?.(tables) ?? tables, actor, faults, chaos.random);
  }
}
