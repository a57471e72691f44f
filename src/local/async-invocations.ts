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
  /** Events of one group take turns. */
  readonly groupOf: (event: unknown) => string;
  readonly onResult: (result: AsyncResult) => void;
}

export interface AsyncInvocations extends LambdaService {
  /** Resolves when few are at work that have just begun: more of them would not make it faster. */
  whenFew(): Promise<void>;
}

/** Below the number of runs on arrivals that one queue takes at a time; what comes above would be left to its rule. */
const FEW = 4;
/** Those that have been at work for longer wait for somebody else, and keep nobody from beginning. */
const YOUNG_MS = 2_000;
/** With the time that an event waits for a sandbox this stays below the time after which a run is taken for begun. */
const MOST_HELD_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/** Asynchronous invocation: nobody waits for the result, and an event that is failed on goes to the function's queue for that. */
export function asyncInvocations(options: AsyncInvocationsOptions): AsyncInvocations {
  const { functions, invoke, send, groupOf, onResult } = options;
  const byName = new Map(functions.map((one) => [one.name, one]));
  const atWork = new Set<{ readonly group: string; readonly startedAt: number }>();
  const count = (counts: (one: { group: string; startedAt: number }) => boolean) =>
    [...atWork].filter(counts).length;
  const run = async (functionName: string, event: unknown) => {
    const group = groupOf(event);
    const heldUntil = performance.now() + MOST_HELD_MS;
    while (count((one) => one.group === group) >= FEW && performance.now() < heldUntil) await aMoment();
    const startedAt = performance.now();
    const one = { group, startedAt };
    atWork.add(one);
    const invocation = await invoke(functionName, event);
    atWork.delete(one);
    onResult({ functionName, event, durationMs: performance.now() - startedAt, invocation });
    const { failureQueue } = byName.get(functionName) ?? {};
    if (invocation.type === 'result' || failureQueue === undefined) return;
    send(failureQueue, JSON.stringify(failureOf(functionName, event, invocation)), 0);
  };
  return {
    has: (functionName) => byName.has(functionName),
    start: (functionName, event) => void run(functionName, event),
    whenFew: async () => {
      while (count(({ startedAt }) => startedAt >= performance.now() - YOUNG_MS) >= FEW) await aMoment();
    },
  };
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
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
