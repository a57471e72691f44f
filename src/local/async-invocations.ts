import { randomUUID } from 'node:crypto';
import type { SendMessage } from './queues/queues.js';
import type { Invocation } from './sandbox/sandbox.js';
import type { GivenUp } from './sandbox/sandbox-pool.js';
import type { LambdaService } from './services/lambda-service.js';
import type { LocalFunction } from './template/local-app.js';

/** How an event that one function has sent to another came out. */
export interface AsyncResult {
  readonly functionName: string;
  readonly event: unknown;
  readonly durationMs: number;
  readonly invocation: Invocation | GivenUp;
}

export interface AsyncInvocationsOptions {
  readonly functions: readonly LocalFunction[];
  readonly invoke: (functionName: string, event: unknown) => Promise<Invocation | GivenUp>;
  readonly send: SendMessage;
  readonly onResult: (result: AsyncResult) => void;
}

/** Asynchronous invocation: nobody waits for the result, and an event that is failed on goes to the function's queue for that. */
export function asyncInvocations(options: AsyncInvocationsOptions): LambdaService {
  const { functions, invoke, send, onResult } = options;
  const byName = new Map(functions.map((one) => [one.name, one]));
  const run = async (functionName: string, event: unknown) => {
    const startedAt = performance.now();
    const invocation = await invoke(functionName, event);
    onResult({ functionName, event, durationMs: performance.now() - startedAt, invocation });
    const { failureQueue } = byName.get(functionName) ?? {};
    if (invocation.type === 'result' || failureQueue === undefined) return;
    send(failureQueue, JSON.stringify(failureOf(functionName, event, invocation)), 0);
  };
  return {
    has: (functionName) => byName.has(functionName),
    start: (functionName, event) => void run(functionName, event),
  };
}

/** As Lambda tells a destination of it. */
function failureOf(
  functionName: string,
  event: unknown,
  invocation: Exclude<Invocation | GivenUp, { type: 'result' }>,
) {
  return {
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      requestId: randomUUID(),
      functionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
      condition: invocation.type === 'givenUp' ? 'EventAgeExceeded' : 'RetriesExhausted',
      approximateInvokeCount: 1,
    },
    requestPayload: event,
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload: { errorMessage: invocation.message },
  };
}
