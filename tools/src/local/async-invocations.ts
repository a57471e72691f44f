import { randomUUID } from 'node:crypto';
import type { Invoke } from './function-host.js';
import type { SendMessage } from './queues/queues.js';
import type { Invocation } from './sandbox/sandbox.js';
import type { GivenUp } from './sandbox/sandbox-pool.js';
import type { LambdaService } from './services/lambda-service.js';
import type { LocalFunction } from './template/local-app.js';

/** Outcome of an event that one function has sent to another. */
export interface AsyncResult {
  readonly functionName: string;
  readonly event: unknown;
  readonly durationMs: number;
  readonly invocation: Invocation | GivenUp;
}

export interface AsyncInvocationsOptions {
  readonly find: (functionName: string) => LocalFunction | undefined;
  readonly invoke: Invoke;
  readonly send: SendMessage;
  readonly onResult: (result: AsyncResult) => void;
}

export interface AsyncInvocations extends LambdaService {
  /** Hands an event to a function, as a rule does. Resolves when it has ended. */
  readonly invoke: Invoke;
  /**
   * Resolves when one more would make it faster: few are at work, and none of them has just begun or the next one has
   * as much to do as it can have.
   */
  whenWelcome(isFull: () => boolean): Promise<void>;
}

/**
 * Shortest time between two beginnings: a warm sandbox does several times as much as a cold one.
 */
const APART_MS = 500;
const FEW = 3;
/** Invocations that have been at work for longer wait for something else, and keep no other from beginning. */
const YOUNG_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/**
 * Asynchronous invocation: the caller does not wait for the result, and an event on which the function fails goes to the
 * function's queue for failures.
 */
export function asyncInvocations(options: AsyncInvocationsOptions): AsyncInvocations {
  const { find, invoke, send, onResult } = options;
  const atWork = new Set<{ readonly startedAt: number }>();
  const youngerThan = (ageMs: number) => {
    const since = performance.now() - ageMs;
    return [...atWork].filter(({ startedAt }) => startedAt >= since).length;
  };
  const isWelcome = (isFull: boolean) =>
    youngerThan(YOUNG_MS) < FEW && (isFull || youngerThan(APART_MS) === 0);
  const invokeOnce: Invoke = async (functionName, event) => {
    const invocation = await invoke(functionName, event);
    const { failureQueue } = find(functionName) ?? {};
    if (invocation.type !== 'result' && failureQueue !== undefined) {
      send(failureQueue, JSON.stringify(failureOf(functionName, event, invocation)), 0);
    }
    return invocation;
  };
  const run = async (functionName: string, event: unknown) => {
    const one = { startedAt: performance.now() };
    atWork.add(one);
    const invocation = await invokeOnce(functionName, event);
    atWork.delete(one);
    onResult({ functionName, event, durationMs: performance.now() - one.startedAt, invocation });
  };
  return {
    has: (functionName) => find(nameOf(functionName)) !== undefined,
    start: (functionName, event) => void run(nameOf(functionName), event),
    invoke: invokeOnce,
    whenWelcome: async (isFull) => {
      while (!isWelcome(isFull())) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    },
  };
}

/** A function is called by its name or its ARN. */
function nameOf(functionName: string): string {
  return functionName.slice(functionName.lastIndexOf(':') + 1);
}

/** Builds the message that Lambda sends to a function's destination on failure. */
function failureOf(
  functionName: string,
  event: unknown,
  invocation: Exclude<Invocation | GivenUp, { type: 'result' }>,
) {
  const { requestId = randomUUID() } = invocation.type === 'givenUp' ? {} : invocation;
  return {
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      requestId,
      functionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}:$LATEST`,
      condition: invocation.type === 'givenUp' ? 'EventAgeExceeded' : 'RetriesExhausted',
      approximateInvokeCount: 1,
    },
    requestPayload: event,
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload: errorOf(invocation, requestId),
  };
}

function errorOf(invocation: Exclude<Invocation | GivenUp, { type: 'result' }>, requestId: string) {
  const { message } = invocation;
  const ofProcess = { errorMessage: `RequestId: ${requestId} Error: ${message}` };
  switch (invocation.type) {
    case 'error':
      return {
        errorType: invocation.name,
        errorMessage: message,
        trace: (invocation.stack ?? '').split('\n'),
      };
    case 'exited':
      return { errorType: 'Runtime.ExitError', ...ofProcess };
    case 'timedOut':
      return { errorType: 'Sandbox.Timedout', ...ofProcess };
    case 'givenUp':
      return { errorMessage: message };
    default:
      throw new TypeError(`unknown invocation ${JSON.stringify(invocation satisfies never)}`);
  }
}
