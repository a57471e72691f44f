import { existsSync } from 'node:fs';
import * as inspector from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withMarkedOutput } from './attempt-output.js';
import {
  type Answer,
  type Invoke,
  SANDBOX_CLOCK,
  SANDBOX_DEBUGGER,
  SANDBOX_FOLDER,
  SANDBOX_HANDLER,
  type SetClock,
} from './sandbox-protocol.js';

/** The child process of a sandbox: imports one handler and calls it for one event after the other. */
type Handler = (event: unknown, context: LambdaContext) => unknown;

interface LambdaContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  callbackWaitsForEmptyEventLoop: boolean;
  getRemainingTimeInMillis(): number;
}

// The runtime's end, kill -9 included, closes the channel: nothing may go on working behind its back.
process.on('disconnect', () => process.exit(0));
// A Ctrl-C goes to the whole group of the terminal; running attempts may finish, and the runtime ends this process.
process.on('SIGINT', () => {});

openDebugger();
const loading = loadHandler(process.env[SANDBOX_FOLDER] ?? '', process.env[SANDBOX_HANDLER] ?? '');
// An error is reported by the first invocation.
loading.catch(() => {}).then(() => process.send?.({ type: 'loaded', requestId: '' } satisfies Answer));

process.on('message', (message: Invoke | SetClock) => {
  if (message.type === 'setClock') {
    process.env[SANDBOX_CLOCK] = message.clock;
    process.send?.({ type: 'clockSet', requestId: message.requestId } satisfies Answer);
    return;
  }
  answer(message).then((reply) => process.send?.(reply));
});

async function answer({ requestId, event, deadline }: Invoke): Promise<Answer> {
  try {
    const handler = await loading;
    const value = await handler(event, contextOf(requestId, deadline));
    return { type: 'result', requestId, value: value === undefined ? null : toJson(value) };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { type: 'error', requestId, name: error.name, message: error.message, stack: error.stack };
  }
}

/** Turns a result into JSON and back, as Lambda does. */
function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

/** The process that had the port before may need a moment to end. Node.js itself tries once only. */
function openDebugger(tries = 50): void {
  const port = Number(process.env[SANDBOX_DEBUGGER] ?? 0);
  if (port === 0 || tries === 0 || inspector.url() !== undefined) return;
  inspector.open(port, '127.0.0.1');
  setTimeout(() => openDebugger(tries - 1), 100).unref();
}

async function loadHandler(folder: string, handler: string): Promise<Handler> {
  const dot = handler.lastIndexOf('.');
  const name = handler.slice(dot + 1);
  const file = ['.mjs', '.js', '.cjs']
    .map((extension) => join(folder, handler.slice(0, dot) + extension))
    .find((path) => existsSync(path));
  if (!file) throw new Error(`Cannot find module '${handler.slice(0, dot)}' in ${folder}`);
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const exported = module[name] ?? (module.default as Record<string, unknown> | undefined)?.[name];
  if (typeof exported !== 'function') throw new Error(`${handler} is undefined or not exported`);
  return withMarkedOutput(exported as Handler);
}

function contextOf(requestId: string, deadline: number): LambdaContext {
  const functionName = process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'local';
  return {
    awsRequestId: requestId,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? '128',
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: String(process.pid),
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}
