import {
  type BacklogRecord,
  isTraceparent,
  outcomeOfReturn,
  outcomeOfThrow,
  truncate,
} from '../src/record/index.js';
import { ConfigurationError } from '../src/support/errors.js';
import { show } from '../src/support/validation.js';
import { VERSION } from '../src/support/version.js';
import type { AttemptContext, Process } from '../src/worker/index.js';

/** Kind and status of a span, as the API of OpenTelemetry numbers them. */
const SPAN_KIND_CONSUMER = 4;
const SPAN_STATUS_ERROR = 2;
/** The longest name of an error's class that a span has. */
const MAX_NAME_BYTES = 64;

/** Makes of a `process` one whose attempts are traced; `openTelemetry` gives one. */
export type AttemptTracing = (process: Process) => Process;

/**
 * The part of `@opentelemetry/api` that is used; the module itself fits. This package does not import it.
 *
 * @inline
 */
export interface OpenTelemetryApi {
  /** Makes spans. */
  readonly trace: {
    /** A tracer of the provider that is registered. */
    getTracer(
      name: string,
      version?: string,
    ): {
      /** Starts a span below the active one of a context. */
      startSpan(name: string, options: object, context: unknown): Span;
    };
    /** A context with this span as the active one. */
    setSpan(context: unknown, span: unknown): unknown;
    /** A context with the span of another process as the active one. */
    setSpanContext(context: unknown, spanContext: SpanContext): unknown;
    /** The active span of a context. */
    getSpanContext(context: unknown): SpanContext | undefined;
  };
  /** The active context. */
  readonly context: {
    /** The active context. */
    active(): unknown;
    /** Calls a function with another context as the active one. */
    with<Result>(context: unknown, act: () => Result): Result;
  };
}

/** @inline */
interface Span {
  /** The ids of the span. */
  spanContext(): SpanContext;
  /** Adds an attribute. */
  setAttribute(name: string, value: string): unknown;
  /** Says how it ended. */
  setStatus(status: { code: number }): unknown;
  /** Ends it. */
  end(): void;
}

/** @inline */
interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** 1: sampled. */
  readonly traceFlags: number;
  /** The span is of another process. */
  readonly isRemote?: boolean;
}

/**
 * Traces attempts by OpenTelemetry. Each runs within a span `process orders` (named by its queue), of the kind CONSUMER,
 * with the attributes of OpenTelemetry's conventions for messaging. The span is a child of the record's `traceparent`, and
 * linked to the span that was active then; without a `traceparent` it is a child of that one. A failure sets its status
 * and `error.type`, without the text of the error. `AttemptContext.traceparent` is the span's own.
 *
 *     import * as api from '@opentelemetry/api';
 *     export const handler = backlogHandler({ process: sendOrder, tracing: openTelemetry(api) });
 *
 * @param api the module `@opentelemetry/api`. Without a provider that is registered, it makes no spans
 * @throws ConfigurationError for anything else
 */
export function openTelemetry(api: OpenTelemetryApi): AttemptTracing {
  if (typeof api?.trace?.getTracer !== 'function' || typeof api.context?.active !== 'function') {
    throw new ConfigurationError(`openTelemetry: expected the module @opentelemetry/api, got ${show(api)}`);
  }
  const tracer = api.trace.getTracer('dynamo-backlog', VERSION);
  return (process) => {
    const traced: Process = (record, given) => {
      const active = api.context.active();
      const remote = remoteParent(record);
      const around = api.trace.getSpanContext(active);
      const parent = remote ? api.trace.setSpanContext(active, remote) : active;
      const links = remote && around ? [{ context: around }] : [];
      const options = { kind: SPAN_KIND_CONSUMER, attributes: attributesOf(record, given), links };
      const span = tracer.startSpan(`process ${record.queue}`, options, parent);
      const context = withTrace(given, span);
      return api.context.with(api.trace.setSpan(parent, span), async () => {
        try {
          const result = await process(record, context);
          describe(span, outcomeOfReturn(result));
          return result;
        } catch (error) {
          describe(span, outcomeOfThrow(error));
          throw error;
        } finally {
          span.end();
        }
      });
    };
    // The `prepare` of a process is kept, such as the delivery's, which gets its secrets before a run.
    return 'prepare' in process ? Object.assign(traced, { prepare: process.prepare }) : traced;
  };
}

/** https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
function attributesOf({ id, queue, task }: BacklogRecord, { attempt }: AttemptContext) {
  return {
    'messaging.system': 'dynamo_backlog',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
    'backlog.attempt': attempt,
    ...(task === undefined ? {} : { 'backlog.task': task }),
  };
}

/** A `traceparent` that `parseRecord` has let through is valid. */
function remoteParent({ traceparent }: BacklogRecord): SpanContext | undefined {
  if (traceparent === undefined) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** The signal and the token are made only for an attempt that reads them: no copy may read them. */
function withTrace(given: AttemptContext, span: Span): AttemptContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const flags = (traceFlags & 0xff).toString(16).padStart(2, '0');
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  return {
    get signal() {
      return given.signal;
    },
    get token() {
      return given.token;
    },
    attempt: given.attempt,
    logger: given.logger,
    traceparent: isTraceparent(traceparent) ? traceparent : given.traceparent,
  };
}

function describe(span: Span, outcome: ReturnType<typeof outcomeOfThrow>): void {
  span.setAttribute('backlog.outcome', outcome.type);
  if (outcome.type !== 'failure' && outcome.type !== 'dead') return;
  span.setStatus({ code: SPAN_STATUS_ERROR });
  span.setAttribute('error.type', truncate(outcome.error.name, MAX_NAME_BYTES));
}
