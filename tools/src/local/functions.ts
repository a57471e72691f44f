import { toIso } from 'dynamo-backlog/engine';
import type { RunReport } from 'dynamo-backlog/overview';
import { type Measured, ofInvocation, ofMessage } from './alarms/measured.js';
import { asyncInvocations } from './async-invocations.js';
import type { Closers } from './closers.js';
import { type DebuggerAddress, debuggingOf } from './debugging.js';
import { FunctionHost, type Invoke } from './function-host.js';
import { Queues } from './queues/queues.js';
import type { FunctionLogs, Notice } from './sandbox/function-logs.js';
import type { Timekeeper } from './schedule/timekeeper.js';
import type { FindSecret } from './secrets-file.js';
import { startServices } from './services/services.js';
import { ArrivalsDigest } from './status/arrivals-digest.js';
import type { RunDetails } from './status/run-report.js';
import { Streams } from './streams/streams.js';
import type { LocalApp } from './template/local-app.js';

export interface FunctionsOptions {
  readonly app: LocalApp;
  /** The URL of DynamoDB. */
  readonly endpoint: string;
  readonly region: string;
  /** The folder with the packages of Lambda's runtime. */
  readonly sdkFolder: string;
  readonly time: Timekeeper;
  readonly logs: FunctionLogs;
  readonly findSecret: FindSecret;
  readonly closers: Closers;
  /** The first port for debuggers. Default: none listens. */
  readonly inspect?: number | undefined;
  readonly onReport: (report: RunReport, details: RunDetails) => void;
  readonly onNotice: (notice: Notice) => void;
  readonly onMetrics: (metrics: readonly Measured[]) => void;
}

export interface RunningFunctions {
  readonly host: FunctionHost;
  readonly streams: Streams;
  /** Hands the event of a rule to its function. */
  readonly invoke: Invoke;
  /** Hands an event to a function for a caller that waits for the answer: a failure goes to no queue. */
  readonly call: Invoke;
  /** Addresses of the debuggers. Undefined without `inspect`. */
  readonly debuggers: readonly DebuggerAddress[] | undefined;
  /** Prepares what `replace` needs. @throws ConfigurationError if a debugger finds no port */
  prepare(app: LocalApp): Promise<void>;
  /** Runs this app from now on. What waits stays, and what is at work ends as it began. */
  replace(app: LocalApp): void;
  /** Starts nothing any more; what runs may finish in `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** The app's functions with all that starts them but the rules: streams, queues, and one another. */
export async function startFunctions(options: FunctionsOptions): Promise<RunningFunctions> {
  const { app, endpoint, region, time, logs, findSecret, closers, onReport, onNotice, onMetrics } = options;
  const running: { app: LocalApp; host?: FunctionHost } = { app };
  const invoke = async (name: string, event: unknown) =>
    running.host
      ? running.host.invoke(name, event)
      : ({ type: 'givenUp', message: 'the runtime is starting' } as const);
  const queues = new Queues({
    app,
    region,
    invoke,
    onUnread: (queue) => {
      onNotice({
        functionName: queue,
        level: 'WARN',
        text: 'a message was left in this queue, which no function reads',
      });
    },
    onSent: (queue) => onMetrics([ofMessage(queue)]),
  });
  closers.add(() => queues.stop());
  const digest = new ArrivalsDigest({ now: () => toIso(time.clock.now()), onReport });
  const lambda = asyncInvocations({
    find: (functionName) => running.app.functions.find(({ name }) => name === functionName),
    invoke,
    send: queues.send,
    onResult: ({ event, durationMs, invocation }) => digest.add(queueOf(event), { durationMs, invocation }),
  });
  const services = await startServices({ lambda, send: queues.send, findSecret });
  closers.add(() => services.stop());

  const debugging = await debuggingOf(app.functions, options.inspect);
  const host = new FunctionHost({
    functions: app.functions,
    endpoint,
    services,
    region,
    sdkFolder: options.sdkFolder,
    clock: time.setting,
    logs,
    debugging,
    onInvoked: (name, hasFailed) => onMetrics(ofInvocation(name, hasFailed)),
  });
  running.host = host;
  closers.add(() => host.kill());
  const streams = new Streams({ app, region, invoke, send: queues.send, whenWelcome: lambda.whenWelcome });
  closers.add(() => streams.stop());
  return {
    host,
    streams,
    invoke: lambda.invoke,
    call: invoke,
    get debuggers() {
      return options.inspect === undefined ? undefined : debugging?.addresses;
    },
    prepare: async (next) => debugging?.follow(next.functions),
    replace(next) {
      running.app = next;
      host.replace(next.functions);
      queues.replace(next);
      streams.replace(next);
    },
    async stop(graceMs) {
      streams.stop();
      queues.stop();
      await host.close(graceMs);
      digest.flush();
    },
  };
}

function queueOf(event: unknown): string {
  const { queue } = (event ?? {}) as { queue?: unknown };
  return typeof queue === 'string' ? queue : 'a function';
}
