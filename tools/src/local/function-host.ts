import type { ClockSetting } from 'dynamo-backlog/engine';
import { DEBUGGED_TIMEOUT_SECONDS, type Debugging } from './debugging.js';
import type { FunctionLogs } from './sandbox/function-logs.js';
import { type Invocation, Sandbox } from './sandbox/sandbox.js';
import { type GivenUp, SandboxPool } from './sandbox/sandbox-pool.js';
import { SANDBOX_CLOCK } from './sandbox/sandbox-protocol.js';
import type { LocalFunction } from './template/local-app.js';

export interface FunctionHostOptions {
  readonly functions: readonly LocalFunction[];
  /** The URL of DynamoDB. */
  readonly endpoint: string;
  /** The URLs of the other services that functions call. */
  readonly services: { readonly url: string; readonly secretsUrl: string };
  readonly region: string;
  /** The folder with the packages of Lambda's runtime. */
  readonly sdkFolder: string;
  readonly clock: ClockSetting;
  readonly logs: FunctionLogs;
  readonly debugging?: Omit<Debugging, 'follow'> | undefined;
  /** Called when a function has ended. */
  readonly onInvoked?: ((name: string, hasFailed: boolean) => void) | undefined;
}

/** Hands an event to a function of the app. */
export type Invoke = FunctionHost['invoke'];

const SANDBOXES = 10;
/** A function that does not take its clock in that real time is not waited for. */
const CLOCK_WITHIN_MS = 1_000;
/** Functions that take longer to load, in real time, are not waited for. */
const LOADED_WITHIN_MS = 5_000;
/** Time after which an asynchronous event that finds no sandbox is given up. Lambda waits at least as long. */
const EVENT_MAX_WAIT_MS = 60_000;

/** Runs the app's functions by their names, as Lambda would. */
export class FunctionHost {
  #functions: ReadonlyMap<string, LocalFunction>;
  readonly #pool: SandboxPool;
  readonly #onInvoked: (name: string, hasFailed: boolean) => void;
  #clock: string;

  constructor(options: FunctionHostOptions) {
    const { functions, endpoint, services, region, sdkFolder, clock, logs, debugging, onInvoked } = options;
    this.#onInvoked = onInvoked ?? (() => {});
    const environment = {
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ENDPOINT_URL_LAMBDA: services.url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: services.secretsUrl,
      AWS_ENDPOINT_URL_SQS: services.url,
      AWS_ENDPOINT_URL_SSM: services.secretsUrl,
      AWS_REGION: region,
      NODE_PATH: sdkFolder,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      // The embedded DynamoDB has no PartiQL.
      BACKLOG_GROUP_WRITES: 'false',
      BACKLOG_LOG_STACKS: 'true',
      BACKLOG_LOG_ERROR_TEXTS: 'true',
      // Stacks name the files of the project from here.
      BACKLOG_SOURCE_ROOT: process.cwd(),
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    };
    this.#clock = JSON.stringify(clock);
    this.#functions = byName(functions);
    this.#pool = new SandboxPool({
      size: SANDBOXES,
      maxWaitMs: EVENT_MAX_WAIT_MS,
      latest: ({ name }) => this.#functions.get(name),
      // Each has one port, and a breakpoint stops all that the function does.
      isAlone: (lambda) => debugging?.isDebugged(lambda) === true,
      open: (lambda) => {
        const common = { ...environment, [SANDBOX_CLOCK]: this.#clock };
        const onLine: ConstructorParameters<typeof Sandbox>[0]['onLine'] = (...line) =>
          logs.write(lambda.name, ...line);
        if (!debugging?.isDebugged(lambda)) {
          return new Sandbox({ function: lambda, environment: common, onLine });
        }
        return new Sandbox({
          function: { ...lambda, timeoutSeconds: DEBUGGED_TIMEOUT_SECONDS },
          environment: { ...common, BACKLOG_DEBUGGED: 'true' },
          debuggerVariables: debugging.environment,
          debuggerPort: debugging.addresses.find(({ functionName }) => functionName === lambda.name)?.port,
          onLine,
        });
      },
    });
  }

  /** Opens a sandbox for each of them before their first event. Resolves when they are loaded, or after some seconds. */
  async warm(names: Iterable<string>): Promise<void> {
    const loaded = Promise.all([...new Set(names)].map((name) => this.#pool.warm(this.#find(name))));
    const late = AbortSignal.timeout(LOADED_WITHIN_MS);
    await Promise.race([loaded, new Promise((resolve) => late.addEventListener('abort', resolve))]);
  }

  async invoke(name: string, event: unknown): Promise<Invocation | GivenUp> {
    const invocation = await this.#pool.invoke(this.#find(name), event);
    if (invocation.type !== 'givenUp') this.#onInvoked(name, invocation.type !== 'result');
    return invocation;
  }

  /**
   * Runs these functions from now on. One that is another object than before gets new sandboxes; an event that is at
   * work ends in the old one.
   */
  replace(functions: readonly LocalFunction[]): void {
    this.#functions = byName(functions);
    const retired = new Set(this.#pool.retire().map(({ name }) => name));
    this.warm([...retired].filter((name) => this.#functions.has(name)));
  }

  /** The functions of sandboxes that are at work, as they were when their events came. */
  get working(): readonly LocalFunction[] {
    return this.#pool.working;
  }

  /** Resolves when all functions that are at work follow the clock. Those that start later have it from the start. */
  setClock(clock: ClockSetting): Promise<void> {
    this.#clock = JSON.stringify(clock);
    return this.#pool.setClock(this.#clock, CLOCK_WITHIN_MS);
  }

  /** Takes no more events; those that run may finish in `graceMs`, the rest is killed. */
  close(graceMs: number): Promise<void> {
    return this.#pool.close(graceMs);
  }

  /** Ends everything at once. */
  kill(): void {
    this.#pool.kill();
  }

  #find(name: string): LocalFunction {
    const lambda = this.#functions.get(name);
    if (!lambda) throw new Error(`the app has no function ${name}`);
    return lambda;
  }
}

function byName(functions: readonly LocalFunction[]): ReadonlyMap<string, LocalFunction> {
  return new Map(functions.map((lambda) => [lambda.name, lambda]));
}
