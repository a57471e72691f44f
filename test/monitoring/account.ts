import '../loaded-limits.js';
import { Logger } from '@aws-lambda-powertools/logger';
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { vi } from 'vitest';
import { Backlog, type BacklogProps } from '../../cdk/index.js';
import { backlogHandler } from '../../functions/index.js';
import '../../functions/monitor/oldest-held.js';
import { intakeHandler } from '../../functions/intake/intake-handler.js';
import type { Invoker } from '../../functions/intake/invoker.js';
import { Lines } from '../../functions/intake/lines.js';
import { renderRedelivery } from '../../functions/intake/queue-event.js';
import { sweepHandler } from '../../functions/intake/sweep-handler.js';
import type { LambdaContext } from '../../functions/lambda-context.js';
import type { SourceTrouble } from '../../functions/monitor/event-sources.js';
import { monitorHandler } from '../../functions/monitor/monitor-handler.js';
import type { Item } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { MemoryStore, type OperatorStore } from '../../src/store/index.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { defineTask } from '../../src/tasks/index.js';
import type { DestinationOf, Process } from '../../src/worker/index.js';
import type { Alarm } from '../../tools/src/cloudwatch/alarm.js';
import { MetricData } from '../../tools/src/cloudwatch/metric-data.js';
import { newStack } from '../cdk/support.js';
import { alarmsOf, resolver } from '../cloudwatch/alarms.js';
import { seededRandom } from '../simulation/random.js';
import { settled } from '../simulation/settled.js';
import { type Change, changesInMemory } from '../store/changes.js';

export const START = Date.parse('2026-03-01T12:00:00.000Z');
export const MINUTE = 60_000;
/** Invocations of this long ago are known, so that no heartbeat is missed at first. */
const HISTORY_MINUTES = 240;

type Handler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/** Parts of the account that are broken, from the moment on that they are set. */
export interface Troubles {
  /** Rules that do not fire, by a part of their logical id. */
  readonly rulesOff?: RegExp;
  /** Functions that fail before any of their code runs. */
  readonly importFails?: RegExp;
  /** Functions that Lambda does not start, as no concurrency is left. */
  readonly throttled?: RegExp;
  /** Functions that Lambda ends after so many milliseconds, as it does at their timeout or if they run out of memory. */
  readonly killedAfter?: { readonly functions: RegExp; readonly milliseconds: number };
  /** The error that calls of the store throw in these functions, as DynamoDB answers them. */
  readonly store?: { readonly functions: RegExp; readonly calls: RegExp; readonly error: Error };
  /** Lambda's API does not answer to the intake. */
  readonly lambdaHangs?: true;
  /** The state of the stream's event source mapping. */
  readonly mapping?: 'Disabled';
}

/**
 * One AWS account with a deployed backlog: its synthesized rules, functions and alarms. The functions' real code runs on a store in
 * memory and on virtual time. The account also measures what AWS itself measures of Lambda, SQS and the stream.
 */
export class Account {
  readonly time = new VirtualTime(START, settled);
  readonly data = new MetricData();
  readonly store: MemoryStore;
  readonly alarms: Alarm[];
  troubles: Troubles = {};
  process: Process = () => {};
  /** Names the destination of a record, if it is set before the functions begin. */
  destination: DestinationOf | undefined;

  private readonly functions = new Map<
    string,
    { readonly start: (sandbox: Liveness) => Handler; readonly timeoutMs: number }
  >();
  private readonly rules: { id: string; everyMs: number; functionId: string; event: unknown }[] = [];
  private readonly sandboxes = new Map<string, Sandbox>();
  private readonly stream: { change: Change; at: number }[] = [];
  private readonly eventDlq: string;
  private readonly clock;

  /** @param region whose functions know that they are there. Default: the region is not known. */
  constructor(props: PropsIn, region?: string) {
    this.clock = this.time.clock();
    this.store = new MemoryStore({ clock: this.clock });
    const template = templateOf(props, region);
    const resolve = resolver();
    this.alarms = alarmsOf(template, resolve);
    // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
    const resources = Object.entries<any>(template.Resources);
    this.eventDlq = resources.find(([id]) => /^BacklogEventDlq/.test(id))?.[0] ?? '';
    for (const [id, { Type, Properties }] of resources) {
      if (Type === 'AWS::Lambda::Function') {
        const variables = Object.entries(Properties.Environment.Variables);
        const env: Record<string, string> = {
          BACKLOG_OWNER: 'stack',
          ...(region === undefined ? {} : { AWS_REGION: region }),
          ...Object.fromEntries(variables.map(([name, value]) => [name, resolve(value)])),
        };
        // The URLs of queues are checked.
        for (const name of ['BACKLOG_REDELIVERY_URL', 'BACKLOG_EVENT_DLQ_URL'])
          if (env[name] !== undefined) env[name] = `https://sqs/${env[name]}`;
        this.functions.set(id, { start: this.codeOf(id, env), timeoutMs: Properties.Timeout * 1000 });
      }
      if (Type === 'AWS::Events::Rule' && Properties.State === 'ENABLED') {
        const [, number, unit] = /rate\((\d+) (\w+?)s?\)/.exec(Properties.ScheduleExpression) ?? [];
        const everyMs = Number(number) * ({ minute: 1, hour: 60, day: 1440 }[unit ?? ''] ?? 0) * MINUTE;
        for (const target of Properties.Targets) {
          const functionId = resolve(target.Arn).replace(/\.Arn$/, '');
          this.rules.push({ id, everyMs, functionId, event: JSON.parse(target.Input) });
        }
      }
    }
  }

  /** Lets the account live for so many minutes; rules fire from its beginning on. */
  async live(minutes: number): Promise<void> {
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      const text = String(line);
      if (text.includes('"_aws"')) this.data.putEmf(text, this.time.now);
      return true;
    });
    try {
      await this.time.runUntil(this.time.now + minutes * MINUTE);
    } finally {
      write.mockRestore();
    }
  }

  /** Has rules fire and the stream read, as they do since long ago. The hourly ones fire at minute `hourlyAt`. */
  begin(hourlyAt: number): void {
    for (const rule of this.rules) {
      for (let minute = HISTORY_MINUTES; minute > 0; minute--) {
        const at = START - minute * MINUTE;
        if ((at - START - hourlyAt * MINUTE) % rule.everyMs !== 0 && rule.everyMs > 5 * MINUTE) continue;
        this.measure('AWS/Lambda', 'Invocations', { FunctionName: rule.functionId }, 1, at);
        this.measure('AWS/Lambda', 'Errors', { FunctionName: rule.functionId }, 0, at);
      }
      const first = rule.everyMs > 5 * MINUTE ? (hourlyAt * MINUTE) % rule.everyMs : rule.everyMs;
      this.every(rule.everyMs, first || rule.everyMs, () => {
        if (!this.troubles.rulesOff?.test(rule.id)) void this.start(rule.functionId, rule.event);
      });
    }
    this.readStream();
  }

  every(milliseconds: number, first: number, action: () => void): void {
    this.time.after(first, () => {
      this.every(milliseconds, milliseconds, action);
      action();
    });
  }

  /** Puts an item, as a producer in any language does. */
  put(item: Item): void {
    const changes = changesInMemory(this.store, () => this.store.put(item));
    for (const change of changes) {
      const { lane, rev } = change.dynamodb.NewImage ?? {};
      if (lane === undefined || rev === undefined) this.stream.push({ change, at: this.time.now });
    }
  }

  private measure(
    namespace: string,
    name: string,
    dimensions: Record<string, string>,
    value: number,
    at?: number,
  ) {
    this.data.put({ namespace, name, dimensions, value, at: at ?? this.time.now });
  }

  /** Lambda: counts invocations and errors, and ends what takes too long. */
  private async invoke(id: string, event: unknown): Promise<unknown> {
    const dimensions = { FunctionName: id };
    const lambda = this.functions.get(id);
    if (!lambda) throw new Error(`no function ${id}`);
    const { importFails, throttled, killedAfter } = this.troubles;
    if (throttled?.test(id)) {
      this.measure('AWS/Lambda', 'Throttles', dimensions, 1);
      throw new Error('throttled');
    }
    const at = this.time.now;
    this.measure('AWS/Lambda', 'Invocations', dimensions, 1);
    const limitMs = killedAfter?.functions.test(id) ? killedAfter.milliseconds : lambda.timeoutMs;
    // One that was ended is not used again.
    const sandbox = this.sandboxes.get(id) ?? newSandbox(lambda.start);
    this.sandboxes.set(id, killedAfter ? newSandbox(lambda.start) : sandbox);
    const context = {
      awsRequestId: 'request',
      functionName: id,
      invokedFunctionArn: id,
      getRemainingTimeInMillis: () => Math.max(0, at + lambda.timeoutMs - this.time.now),
    };
    const run = async () => {
      if (importFails?.test(id)) throw new Error('the module could not be loaded');
      return sandbox.handler(event, context);
    };
    const ended = new Promise<never>((_, reject) => {
      this.time.after(limitMs, () => reject(ENDED));
    });
    ended.catch(() => {});
    try {
      const result = await Promise.race([run(), ended]);
      this.measure('AWS/Lambda', 'Errors', dimensions, 0, at);
      return result;
    } catch (error) {
      if (error === ENDED) sandbox.isAlive = false;
      this.sandboxes.delete(id);
      // Lambda measures it at the beginning of the invocation, and tells at its end: no alarm can know before.
      this.measure('AWS/Lambda', 'Errors', dimensions, 1);
      throw error;
    }
  }

  /** Asynchronously, once: a failure goes to the on-failure destination of the queues' functions, which the intake reads. */
  private async start(id: string, event: unknown): Promise<void> {
    try {
      await this.invoke(id, event);
    } catch {
      if (/Queues/.test(id)) this.redeliver(JSON.stringify({ requestPayload: event }), 1);
    }
  }

  /** The redelivery queue: a message that fails is seen again after six minutes, and after five times is left to people. */
  private redeliver(body: string, delaySeconds: number, received = 0): void {
    this.time.after(delaySeconds * 1000, async () => {
      const Records = [{ eventSource: 'aws:sqs', messageId: 'm', body }];
      const answer = (await this.invoke(this.intakeId, { Records }).catch(() => undefined)) as BatchAnswer;
      if (answer?.batchItemFailures.length === 0) return;
      if (received < 4) this.redeliver(body, 360, received + 1);
    });
  }

  /** The stream's poller: in batches, in their order; what fails comes again. */
  private readStream(pauseMs = 1_000, size = 100): void {
    this.time.after(pauseMs, async () => {
      let again = 0;
      const batch = this.stream.slice(0, size);
      if (
        batch.length > 0 &&
        this.troubles.mapping === undefined &&
        !this.troubles.throttled?.test(this.intakeId)
      ) {
        const age = this.time.now - (batch.at(-1)?.at ?? 0);
        this.measure('AWS/Lambda', 'IteratorAge', { FunctionName: this.intakeId }, age);
        const event = { Records: batch.map(({ change }) => change) };
        const answer = (await this.invoke(this.intakeId, event).catch(() => undefined)) as BatchAnswer;
        const from = answer?.batchItemFailures[0]?.itemIdentifier;
        const done = batch.findIndex(({ change }) => change.dynamodb.SequenceNumber === from);
        this.stream.splice(0, answer === undefined ? 0 : from === undefined ? batch.length : done);
        if (answer === undefined || from !== undefined) again = batch.length - Math.max(0, done);
      }
      // What failed comes again as it was, without what has been put since.
      this.readStream(again > 0 ? 30_000 : 1_000, again > 0 ? again : 100);
    });
  }

  private get intakeId(): string {
    return [...this.functions.keys()].find((id) => /^BacklogIntake/.test(id)) ?? '';
  }

  /** The functions' own code, by what the template calls them. */
  private codeOf(id: string, env: Record<string, string>): (sandbox: Liveness) => Handler {
    return (sandbox) => {
      const common = {
        env,
        clock: this.clockOf(sandbox),
        store: this.storeOf(id, sandbox),
        random: this.random,
        logger: SILENT,
      };
      if (/^BacklogIntake/.test(id)) {
        const { lines, control } = this.store;
        const seams = { lines: Lines, lineTables: { lines, control } };
        return intakeHandler({ ...common, ...seams, invoker: this.invoker });
      }
      if (/^BacklogSweep/.test(id)) return sweepHandler({ ...common, invoker: this.invoker });
      if (/^BacklogMonitor/.test(id))
        return monitorHandler({ ...common, trouble: this.trouble, lines: this.store.lines });
      const { destination } = this;
      const process: Process = (...args) => this.process(...args);
      return backlogHandler({ ...common, tasks: TASKS, process, ...(destination && { destination }) });
    };
  }

  private readonly random = seededRandom(1);

  private readonly invoker: Invoker = {
    invoke: async ({ functionName, event }) => {
      if (this.troubles.lambdaHangs) await NEVER;
      if (this.troubles.throttled?.test(functionName)) return 'accepted';
      void this.start(functionName, event);
      return 'accepted';
    },
    sendToRedelivery: async (ids, delaySeconds, swept) => {
      for (const body of renderRedelivery(ids, swept)) this.redeliver(body, delaySeconds);
    },
    sendShortWait: async (wait, delaySeconds) =>
      this.redeliver(JSON.stringify({ shortWait: wait }), delaySeconds),
    giveUp: async () => {
      this.measure('AWS/SQS', 'NumberOfMessagesSent', { QueueName: `${this.eventDlq}.QueueName` }, 1);
    },
  };

  private readonly trouble: SourceTrouble = async () => {
    if (this.troubles.throttled?.test(this.intakeId)) return 'PROBLEM: Function call failed';
    return this.troubles.mapping;
  };

  /** The clock of a sandbox: one that Lambda has ended does nothing any more. */
  private clockOf(sandbox: Liveness) {
    const { sleep, ...clock } = this.clock;
    return {
      ...clock,
      sleep: async (milliseconds: number, signal?: AbortSignal) => {
        await sleep(milliseconds, signal);
        if (!sandbox.isAlive) await NEVER;
      },
    };
  }

  private storeOf(id: string, sandbox: Liveness): OperatorStore {
    const { store } = this;
    return intercepted(store, async (name, call) => {
      if (!sandbox.isAlive) await NEVER;
      const broken = this.troubles.store;
      if (broken?.functions.test(id) && broken.calls.test(name)) throw broken.error;
      await this.clock.sleep(2);
      const answer = await call();
      if (!sandbox.isAlive) await NEVER;
      return answer;
    });
  }
}

/** Tables that are given are imported into the stack. */
export type PropsIn = BacklogProps | ((stack: Stack) => BacklogProps);

const templates = new Map<PropsIn, ReturnType<Template['toJSON']>>();

/** Synthesized once for all accounts with these props. */
function templateOf(props: PropsIn, region: string | undefined) {
  const known = templates.get(props);
  if (known) return known;
  const stack = newStack(region === undefined ? {} : { region });
  new Backlog(stack, 'Backlog', typeof props === 'function' ? props(stack) : props);
  const template = Template.fromStack(stack).toJSON();
  templates.set(props, template);
  return template;
}

interface Liveness {
  isAlive: boolean;
}

/** One process in which a function runs. */
interface Sandbox extends Liveness {
  readonly handler: Handler;
}

function newSandbox(start: (sandbox: Liveness) => Handler): Sandbox {
  const state = { isAlive: true };
  return Object.assign(state, { handler: start(state) });
}

type BatchAnswer = { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] } | undefined;

const ENDED = new Error('ended by Lambda');
const NEVER = new Promise<never>(() => {});
const TASKS = [defineTask({ name: 'known', perform: () => {} })];
const SILENT = new Logger({ logLevel: 'SILENT' });
