import * as z from 'zod/mini';

/** A run whose process has died, as Lambda reports it. */
export interface DeadRun {
  /** The request id of the run. */
  readonly invocation: string;
  /** The function, without its version. */
  readonly functionArn: string;
  readonly event: DeadRunEvent;
}

/** An event as a rule sends it. */
export type RuleEvent = Readonly<Record<string, unknown>>;

/** An event in place of a rule's. */
export interface RuleInvocation {
  readonly functionName: string;
  readonly event: RuleEvent;
}

type DeadRunEvent = z.output<typeof eventSchema>;

const text = z.string().check(z.minLength(1));
const tier = z.looseObject({ number: z.int() });
const eventSchema = z.looseObject({
  queue: z.optional(text),
  queues: z.optional(z.record(text, z.unknown())),
  tier: z.optional(tier),
  catchUp: z.optional(z.array(tier)),
  arrivals: z.optional(z.unknown()),
});

const reportSchema = z.object({
  requestContext: z.object({ requestId: text, functionArn: text }),
  requestPayload: eventSchema,
  responsePayload: z.object({
    errorType: z.optional(z.string()),
    errorMessage: z.string(),
    trace: z.optional(z.unknown()),
  }),
});

/** Lambda's own errors for a process that is gone. An error of a handler has a trace. */
const DEATHS: readonly unknown[] = ['Runtime.ExitError', 'Runtime.OutOfMemory', 'Sandbox.Timedout'];
const UNHANDLED = 'Runtime.UnhandledPromiseRejection';
const TIMED_OUT = /\bTask timed out after \d/;

/**
 * Reads what Lambda sends to an on-failure destination. Undefined where no process has died for certain: a handler that
 * returns an error may have left attempts behind that go on with the next event of its sandbox.
 */
export function deadRunOf(content: unknown): DeadRun | undefined {
  const { success, data } = reportSchema.safeParse(content);
  if (!success) return undefined;
  const { requestContext, requestPayload: event, responsePayload } = data;
  const { errorType, errorMessage, trace } = responsePayload;
  const isOfLambda =
    trace === undefined &&
    (DEATHS.includes(errorType) || (errorType === undefined && TIMED_OUT.test(errorMessage)));
  if (!isOfLambda && errorType !== UNHANDLED) return undefined;
  const { requestId: invocation, functionArn } = requestContext;
  return { invocation, functionArn: functionArn.replace(/:\$LATEST$/, ''), event };
}

/** The rule's event again; undefined where the run had records that had just come. */
export function ruleEventOf({ event: { arrivals, ...event } }: DeadRun): RuleEvent | undefined {
  return arrivals === undefined ? event : undefined;
}
