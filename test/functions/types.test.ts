import { expect, expectTypeOf, it } from 'vitest';
import { backlogHandler, type Process, type RetryFunction } from '../../functions/index.js';
import type { BacklogRecord } from '../../src/index.js';
import { testBacklog } from '../../src/testing/index.js';

interface Order {
  readonly amount: number;
}

/** Code that is compiled and never called: the lines that are marked must not compile. */
function compiles() {
  const process: Process<Order> = async ({ payload }, { signal }) => {
    expectTypeOf(payload).toEqualTypeOf<Order>();
    signal.throwIfAborted();
  };
  const retry: RetryFunction<Order> = (_error, { payload }) => (payload.amount > 1_000 ? 60 : false);
  const handler = backlogHandler({ process, retry });
  backlogHandler({ process: async (record: BacklogRecord<Order>) => void record.payload.amount });
  backlogHandler({
    process,
    breaker: true,
    destination: ({ payload }: BacklogRecord<Order>) => String(payload.amount),
  });
  backlogHandler({ process: ({ payload }) => void expectTypeOf(payload).toBeUnknown() });
  testBacklog({ queues: { orders: { process } } });
  testBacklog({ queues: { orders: { handler } } });

  const untyped: Process = async ({ payload }) => void expectTypeOf(payload).toBeUnknown();
  expectTypeOf(untyped).toExtend<Process<Order>>();

  // @ts-expect-error: an order has no such attribute
  const misspelt: Process<Order> = async ({ payload }) => void payload.amuont;
  // @ts-expect-error: a payload of an unknown type has no attributes
  backlogHandler({ process: ({ payload }) => void payload.amount });
  // @ts-expect-error: what is returned is not an outcome
  const answer: Process<Order> = async () => 'sent';
  // @ts-expect-error: no record
  backlogHandler({ process: async (record: Order) => void record.amount });
  return { misspelt, answer };
}

it('a process, a retry function and a destination take records of a payload type', () => {
  expect(compiles).toBeTypeOf('function');
});
