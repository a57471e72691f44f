import { describe, expect, it } from 'vitest';
import {
  backlogHandler,
  ConfigurationError,
  Dead,
  defineTask,
  openTelemetry,
} from '../../functions/index.js';
import type { Process } from '../../src/worker/index.js';
import { context, workbench } from './support.js';

const queues = { orders: { retryMode: 'perRecord' } } as const;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const REMOTE = { traceId: TRACE_ID, spanId: '00f067aa0ba902b7', traceFlags: 1, isRemote: true };
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const INVOCATION = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 0 };
const NONE = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 };

interface Ids {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** An `@opentelemetry/api` with a provider, or without one: a context is the ids of its active span. */
function apiWith({ invocation, hasProvider = true }: { invocation?: Ids; hasProvider?: boolean }) {
  let active = invocation;
  const spans: { name: string; ended: number; status?: unknown; [part: string]: unknown }[] = [];
  const api = {
    trace: {
      getTracer: (name: string, version?: string) => ({
        startSpan(spanName: string, options: object, parent: Ids | undefined) {
          const number = String(spans.length + 1).padStart(16, '0');
          const own = { traceId: parent?.traceId ?? 'c'.repeat(32), spanId: number, traceFlags: 1 };
          const span = { tracer: name, version, name: spanName, ...options, parent, ended: 0 };
          spans.push(span);
          const attributes = { ...(options as { attributes?: object }).attributes };
          Object.assign(span, { attributes });
          return {
            // Without a provider, the API hands on what it is given.
            spanContext: () => (hasProvider ? own : (parent ?? NONE)),
            setAttribute: (key: string, value: string) => Object.assign(attributes, { [key]: value }),
            setStatus: (status: object) => Object.assign(span, { status }),
            end: () => {
              span.ended++;
            },
          };
        },
      }),
      setSpan: (_: Ids | undefined, span: { spanContext(): Ids }) => span.spanContext(),
      setSpanContext: (_: Ids | undefined, ids: Ids) => ids,
      getSpanContext: (ids: Ids | undefined) => ids,
    },
    context: {
      active: () => active,
      with<Result>(ids: Ids | undefined, act: () => Result): Result {
        const before = active;
        active = ids;
        try {
          return act();
        } finally {
          active = before;
        }
      },
    },
  };
  return { api, spans };
}

async function attempted(
  { api }: Pick<ReturnType<typeof apiWith>, 'api'>,
  process: Process,
  item: object = { traceparent: TRACEPARENT },
) {
  const bench = workbench(queues);
  await bench.insert({ id: 'order-7', queue: 'orders', payload: 'secret-payload', ...item });
  const handler = backlogHandler({
    queue: 'orders',
    process,
    tracing: openTelemetry(api),
    ...bench.overrides,
  });
  return { summary: await handler({ queue: 'orders' }, context), bench };
}

describe('an attempt that is traced', () => {
  it('runs in a span of its queue, below the trace of its record, and hands on its own', async () => {
    const otel = apiWith({ invocation: INVOCATION });
    const seen: unknown[] = [];
    const { summary } = await attempted(otel, (_, { traceparent, attempt }) => {
      seen.push(traceparent, attempt, otel.api.context.active()?.spanId);
    });
    expect(summary).toMatchObject({ succeeded: 1 });
    expect(seen).toEqual([`00-${TRACE_ID}-${'1'.padStart(16, '0')}-01`, 1, '1'.padStart(16, '0')]);
    expect(otel.spans).toEqual([
      {
        tracer: 'dynamo-backlog',
        version: expect.any(String),
        name: 'process orders',
        kind: 4,
        attributes: {
          'messaging.system': 'dynamo_backlog',
          'messaging.operation.name': 'process',
          'messaging.operation.type': 'process',
          'messaging.destination.name': 'orders',
          'messaging.message.id': 'order-7',
          'backlog.attempt': 1,
          'backlog.outcome': 'success',
        },
        parent: REMOTE,
        links: [{ context: INVOCATION }],
        ended: 1,
      },
    ]);
  });

  it('is below what is active where its record has no trace', async () => {
    const otel = apiWith({ invocation: INVOCATION });
    await attempted(otel, () => {}, { traceparent: 'malformed' });
    expect(otel.spans).toMatchObject([{ parent: INVOCATION, links: [], ended: 1 }]);
  });

  it.each<[string, Process, object]>([
    ['throws', () => Promise.reject(new RangeError('secret-text')), { 'error.type': 'RangeError' }],
    [
      'throws at once',
      () => {
        throw new RangeError('secret-text');
      },
      { 'error.type': 'RangeError' },
    ],
    ['is dead', () => new Dead('secret-text'), { 'error.type': 'Dead', 'backlog.outcome': 'dead' }],
  ])('that %s has an error, with its class and without its text', async (_, process, attributes) => {
    const otel = apiWith({});
    const { summary } = await attempted(otel, process);
    expect(summary).toMatchObject({ succeeded: 0 });
    expect(otel.spans).toMatchObject([{ status: { code: 2 }, attributes, ended: 1 }]);
    expect(JSON.stringify(otel.spans)).not.toContain('secret');
  });

  it('hands on the trace of its record where no provider is registered', async () => {
    const otel = apiWith({ hasProvider: false });
    const seen: unknown[] = [];
    const see: Process = (_, { traceparent }) => void seen.push(traceparent);
    await attempted(otel, see);
    await attempted(otel, see, {});
    expect(seen).toEqual([TRACEPARENT, undefined]);
  });

  it('makes no signal of its own accord, as that is expensive', async () => {
    const { api } = apiWith({});
    let signals = 0;
    const given = {
      get signal() {
        signals++;
        return new AbortController().signal;
      },
      token: '1.token',
      attempt: 1,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    };
    const record = { id: 'a', queue: 'orders' } as Parameters<Process>[0];
    await openTelemetry(api)(() => {})(record, given);
    expect(signals).toBe(0);
    await openTelemetry(api)((_, { signal }) => signal.throwIfAborted())(record, given);
    expect(signals).toBe(1);
  });

  it('is prepared as it would be untraced', () => {
    const prepare = async () => {};
    const process = Object.assign(() => {}, { prepare });
    const traced = openTelemetry(apiWith({}).api);
    expect(traced(process)).toHaveProperty('prepare', prepare);
    expect('prepare' in traced(() => {})).toBe(false);
  });

  it('may be one of a task', async () => {
    const otel = apiWith({});
    const bench = workbench(queues);
    await bench.insert({ id: 'a', queue: 'orders', task: 'mail', payload: 1, traceparent: TRACEPARENT });
    const seen: unknown[] = [];
    const perform = (_: unknown, { traceparent }: { traceparent?: string | undefined }) =>
      void seen.push(traceparent);
    const tasks = [defineTask({ name: 'mail', perform })];
    const tracing = openTelemetry(otel.api);
    await backlogHandler({ queue: 'orders', tasks, tracing, ...bench.overrides })(
      { queue: 'orders' },
      context,
    );
    expect(otel.spans).toMatchObject([{ attributes: { 'backlog.task': 'mail' } }]);
    expect(seen).toEqual([`00-${TRACE_ID}-${'1'.padStart(16, '0')}-01`]);
  });
});

it.each([undefined, {}, { trace: {} }, 'api'])('openTelemetry refuses what is not the API: %j', (api) => {
  expect(() => openTelemetry(api as never)).toThrow(ConfigurationError);
  expect(() => openTelemetry(api as never)).toThrow('expected the module @opentelemetry/api');
});

it('a handler refuses an API that was not made a tracing', () => {
  const { api } = apiWith({});
  expect(() => backlogHandler({ queue: 'orders', process: () => {}, tracing: api as never })).toThrow(
    'backlogHandler.tracing: expected what openTelemetry returns',
  );
});
