import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { LocalFunction } from '../template/local-app.js';
import { type OutputSource, readMarked } from './attempt-output.js';
import { InvocationLog, type LogLine } from './invocation-log.js';
import {
  type Answer,
  type Invoke,
  SANDBOX_DEBUGGER,
  SANDBOX_FOLDER,
  SANDBOX_HANDLER,
  type SetClock,
} from './sandbox-protocol.js';

/** End of one invocation, and what the function wrote meanwhile. */
export type Invocation = Ended & {
  readonly log?: InvocationLog | undefined;
  /** The request id that the function had in its context. */
  readonly requestId?: string | undefined;
};

type Ended =
  | { readonly type: 'result'; readonly value: unknown }
  /** The handler threw, or could not be loaded. */
  | {
      readonly type: 'error';
      readonly name: string;
      readonly message: string;
      readonly stack?: string | undefined;
    }
  /** The handler ended its process: `process.exit`, out of memory, a crash. */
  | { readonly type: 'exited'; readonly message: string }
  /** The function's timeout was over. */
  | { readonly type: 'timedOut'; readonly message: string };

export interface SandboxOptions {
  readonly function: LocalFunction;
  /** Variables of the runtime: where DynamoDB is, the clock. The function's own come after them. */
  readonly environment: Readonly<Record<string, string>>;
  /** A debugger listens there, on 127.0.0.1. */
  readonly debuggerPort?: number | undefined;
  /** Variables by which a debugger attaches itself. The function's own `NODE_OPTIONS` come behind those here. */
  readonly debuggerVariables?: Readonly<Record<string, string>> | undefined;
  /** One line that the handler wrote to stdout or stderr. */
  readonly onLine: (line: string, stream: 'stdout' | 'stderr', source?: OutputSource) => void;
}

/** Variables of the user's shell that a process needs. Credentials and settings stay outside. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'LANG', 'NODE_EXTRA_CA_CERTS'];

/**
 * A child process that serves one function, one event at a time, as a sandbox of Lambda does. It is used again
 * until its process ends, which is then the end of that one invocation only.
 */
export class Sandbox {
  readonly #child: ChildProcess;
  readonly #function: LocalFunction;
  readonly #ended: Promise<string>;
  /** Resolves when the handler has been imported, or the process has ended. */
  readonly loaded: Promise<void>;
  /** Callers that wait for the process: a promise would keep what they refer to, such as events, for its whole life. */
  readonly #waiting = new Set<(reason: string) => void>();
  #alive = true;
  #endReason: string | undefined;
  #stderrTail = '';
  /** Log of the newest invocation. Lines and the answer have different channels, and a line may come later. */
  #log: InvocationLog | undefined;

  constructor(options: SandboxOptions) {
    const { function: lambda, environment, debuggerPort, debuggerVariables = {}, onLine } = options;
    this.#function = lambda;
    const { path, execArgv } = childEntry();
    this.#child = fork(path, [], {
      cwd: lambda.folder,
      env: {
        ...inherited(),
        ...environment,
        ...lambda.environment,
        ...withOwnOptions(debuggerVariables, lambda.environment),
        ...sandboxVariables(lambda),
        ...(debuggerPort === undefined ? {} : { [SANDBOX_DEBUGGER]: String(debuggerPort) }),
      },
      execArgv: [
        ...execArgv,
        ...(debuggerPort === undefined ? [] : [`--inspect=127.0.0.1:${debuggerPort}`]),
        `--max-old-space-size=${lambda.memoryMb}`,
      ],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'json',
    });
    const onLineOf = (stream: LogLine['stream']) => (line: string) => {
      const { text, source } = readMarked(line);
      this.#log?.add(text, stream);
      onLine(text, stream, source);
    };
    forEachLine(this.#child.stdout, onLineOf('stdout'));
    forEachLine(this.#child.stderr, (line) => {
      this.#stderrTail = line.trim() || this.#stderrTail;
      onLineOf('stderr')(line);
    });
    this.#ended = new Promise((resolve) => {
      const end = (reason: string) => {
        this.#alive = false;
        this.#endReason ??= reason;
        for (const wait of this.#waiting) wait(reason);
        this.#waiting.clear();
        resolve(reason);
      };
      this.#child.on('error', (error) => end(`cannot start: ${error.message}`));
      this.#child.once('exit', (code, signal) => end(signal ? `signal ${signal}` : `exit status ${code}`));
    });
    this.loaded = new Promise((resolve) => {
      const onMessage = ({ type }: Answer) => {
        if (type !== 'loaded') return;
        this.#child.off('message', onMessage);
        resolve();
      };
      this.#child.on('message', onMessage);
      void this.#ended.then(() => resolve());
    });
  }

  get functionName(): string {
    return this.#function.name;
  }

  /** Number of invocations that it remembers. */
  get remembered(): number {
    return this.#waiting.size + this.#child.listenerCount('message');
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** False once its process has ended. */
  get alive(): boolean {
    return this.#alive && this.#child.connected;
  }

  /** Calls the handler. Never rejects. */
  async invoke(event: unknown): Promise<Invocation> {
    const requestId = randomUUID();
    const timeoutMs = this.#function.timeoutSeconds * 1000;
    const call: Invoke = { type: 'invoke', requestId, event, deadline: Date.now() + timeoutMs };
    const cleanUps: (() => void)[] = [];
    const log = new InvocationLog();
    this.#log = log;
    try {
      const ended = await new Promise<Ended>((resolve) => {
        const onMessage = (answer: Answer) => {
          if (answer.requestId === requestId) resolve(invocationOf(answer));
        };
        this.#child.on('message', onMessage);
        cleanUps.push(() => this.#child.off('message', onMessage));

        const timer = setTimeout(() => {
          this.#waiting.delete(onEnd);
          this.kill();
          const message = `Task timed out after ${this.#function.timeoutSeconds} seconds`;
          // Not before the process is gone: another run may begin with its records at once.
          void this.#ended.then(() => resolve({ type: 'timedOut', message }));
        }, timeoutMs);
        cleanUps.push(() => clearTimeout(timer));

        const onEnd = (reason: string) =>
          resolve({ type: 'exited', message: `Runtime exited with ${this.#explain(reason)}` });
        if (this.#endReason !== undefined) return onEnd(this.#endReason);
        this.#waiting.add(onEnd);
        cleanUps.push(() => this.#waiting.delete(onEnd));
        // A channel that breaks meanwhile is seen as the end of the process.
        this.#child.send(call, () => {});
      });
      return { ...ended, log, requestId };
    } finally {
      for (const cleanUp of cleanUps) cleanUp();
    }
  }

  /**
   * Sets the clock of the function, also during an invocation. Resolves when the function follows it, its process has
   * ended, or `withinMs` have passed: a handler in an endless loop reads no message. What is invoked later follows it.
   *
   * @param clock the text of the variable `BACKLOG_CLOCK`
   */
  async setClock(clock: string, withinMs: number): Promise<void> {
    if (!this.alive) return;
    const message: SetClock = { type: 'setClock', requestId: randomUUID(), clock };
    const cleanUps: (() => void)[] = [];
    await new Promise<void>((resolve) => {
      const onMessage = ({ requestId }: Answer) => {
        if (requestId === message.requestId) resolve();
      };
      this.#child.on('message', onMessage);
      const timer = setTimeout(resolve, withinMs);
      const onEnd = () => resolve();
      this.#waiting.add(onEnd);
      cleanUps.push(
        () => this.#child.off('message', onMessage),
        () => clearTimeout(timer),
        () => this.#waiting.delete(onEnd),
      );
      this.#child.send(message, () => {});
    });
    for (const cleanUp of cleanUps) cleanUp();
  }

  /** Ends the process at once. */
  kill(): void {
    this.#alive = false;
    this.#child.kill('SIGKILL');
  }

  /** Lets the process end by itself, and kills it if it does not. */
  async close(graceMs = 500): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.#ended;
    clearTimeout(timer);
  }

  #explain(reason: string): string {
    const outOfMemory = /heap out of memory/.test(this.#stderrTail);
    return outOfMemory ? `${reason} (out of memory)` : reason;
  }
}

function invocationOf(answer: Answer): Ended {
  if (answer.type === 'error') {
    const { name, message, stack } = answer;
    return { type: 'error', name, message, stack };
  }
  return { type: 'result', value: answer.type === 'result' ? answer.value : null };
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Adds the function's own `NODE_OPTIONS`, which apply too in Lambda. */
function withOwnOptions(
  given: Readonly<Record<string, string>>,
  { NODE_OPTIONS: own }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { NODE_OPTIONS: options } = given;
  return own === undefined || options === undefined ? given : { ...given, NODE_OPTIONS: `${options} ${own}` };
}

function sandboxVariables(lambda: LocalFunction): Record<string, string> {
  return {
    AWS_LAMBDA_FUNCTION_NAME: lambda.name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(lambda.memoryMb),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    LAMBDA_TASK_ROOT: lambda.folder,
    TZ: 'UTC',
    [SANDBOX_FOLDER]: lambda.folder,
    [SANDBOX_HANDLER]: lambda.handler,
  };
}

/** Entry of the child process: compiled in the package, or run by tsx from the sources, as in tests. */
function childEntry(): { path: string; execArgv: string[] } {
  const fromSources = import.meta.url.endsWith('.ts');
  const file = fromSources ? './sandbox-child.ts' : './sandbox-child.js';
  return {
    path: fileURLToPath(new URL(file, import.meta.url)),
    execArgv: fromSources ? ['--import', import.meta.resolve('tsx')] : [],
  };
}

/** Length at which a line is cut, as Lambda does: one without an end would fill the memory. */
const MAX_LINE_CHARACTERS = 262_144;

export function forEachLine(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  let line = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    for (const [i, part] of chunk.split('\n').entries()) {
      if (i > 0) {
        onLine(line);
        line = '';
      }
      line += part.slice(0, MAX_LINE_CHARACTERS - line.length);
    }
  });
  stream?.on('end', () => {
    if (line) onLine(line);
  });
}
