import { expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { backlogHandler } from '../../functions/index.js';
import { type BacklogClient, defineTask, type TaskContext } from '../../src/index.js';

/** Code that is compiled and never called: the lines that are marked must not compile. */
async function compiles(backlog: BacklogClient) {
  const mail = defineTask({
    name: 'mail',
    priorities: { high: 'mails-high', low: 'mails-low' },
    schema: z.object({
      to: z.string(),
      at: z.coerce.date().optional(),
      copies: z.string().transform(Number),
    }),
    perform: (payload, context) => {
      expectTypeOf(payload).toEqualTypeOf<{ to: string; at?: Date | undefined; copies: number }>();
      expectTypeOf(context).toEqualTypeOf<TaskContext>();
    },
  });
  const resize = defineTask<{ image: string }>({
    name: 'resize',
    perform: ({ image }, { signal, record, attempt, logger }) => {
      logger.info(image, { id: record.id, attempt, aborted: signal.aborted });
    },
  });
  const inferred = defineTask({ name: 'inferred', perform: async (_payload: { n: number }) => {} });
  const anything = defineTask({
    name: 'anything',
    perform: (payload) => void expectTypeOf(payload).toBeUnknown(),
  });
  const nested = defineTask<{ payload: string }>({ name: 'nested', perform: () => {} });

  const keyed = defineTask({
    name: 'keyed',
    schema: z.object({ copies: z.string().transform(Number) }),
    key: (payload) => {
      expectTypeOf(payload).toEqualTypeOf<{ copies: string }>();
      return payload.copies;
    },
    perform: ({ copies }) => void expectTypeOf(copies).toBeNumber(),
  });
  const bare = defineTask<{ image: string }>({ name: 'bare', key: ({ image }) => image, perform: () => {} });

  await backlog.insert(keyed, { copies: '2' }, { key: 'c-7' });
  await backlog.insert(bare, { image: 'a' });
  // @ts-expect-error: no text
  defineTask<{ n: number }>({ name: 'wrong', key: ({ n }) => n, perform: () => {} });
  // @ts-expect-error: no text
  await backlog.insert(bare, { image: 'a' }, { key: 7 });
  await backlog.insert(mail, { to: 'a', copies: '2' }, { priority: 'high', delay: 'PT2H' });
  await backlog.insert(mail, { to: 'a', copies: '2' }, { uniqueFor: '1h', uniqueBy: ({ to }) => to });
  await backlog.insert(resize, { image: 'a' }, { maxAttempts: 3 });
  await backlog.insert(anything, { whatever: [1] });
  await backlog.insertMany(resize, [{ image: 'a' }, { payload: { image: 'b' }, id: 'b', delay: 60 }]);
  await backlog.insertMany(nested, [{ payload: { payload: 'wrapped' } }]);
  await backlog.insert({ payload: 1, task: 'mail', retry: { maxAttempts: 2 } });

  // @ts-expect-error: of the input, not of what the schema makes of it
  await backlog.insert(mail, { to: 'a', copies: 2 });
  // @ts-expect-error: misspelt
  await backlog.insert(resize, { imagee: 'a' });
  // @ts-expect-error: nothing
  await backlog.insert(resize, {});
  // @ts-expect-error: no such option
  await backlog.insert(resize, { image: 'a' }, { wait: 5 });
  // @ts-expect-error: no such priority
  await backlog.insert(mail, { to: 'a', copies: '2' }, { priority: 'hgih' });
  // @ts-expect-error: a wrong type
  await backlog.insert(inferred, { n: '1' });
  // @ts-expect-error: one of them is wrong
  await backlog.insertMany(resize, [{ image: 'a' }, { image: 2 }]);
  // @ts-expect-error: the wrapped one is wrong
  await backlog.insertMany(resize, [{ payload: { image: 2 } }]);
  // @ts-expect-error: nobody could tell whether that is the payload, or its wrapping
  await backlog.insertMany(nested, [{ payload: 'bare' }]);
  // @ts-expect-error: an id is for one record
  await backlog.insertMany(resize, [{ image: 'a' }], { id: 'a' });
  // @ts-expect-error: the payload is not what the schema gives
  defineTask({ name: 'x', schema: z.object({ a: z.string() }), perform: ({ b }) => b });
  // @ts-expect-error: a value nobody asked for
  defineTask({ name: 'x', perform: () => 7 });
  // @ts-expect-error: no task
  backlogHandler({ queue: 'q', tasks: [{ name: 'x' }] });
  return backlogHandler({ queue: 'q', tasks: [mail, resize, inferred, anything, nested] });
}

it('payloads, options and priorities of a wrong type do not compile', () => {
  expect(compiles).toBeTypeOf('function');
});
