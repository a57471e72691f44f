import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { backlogHandler, ConfigurationError, defineTask } from '../../functions/index.js';
import { context, workbench } from '../functions/support.js';

const queues = {
  mails: { retryMode: 'perRecord', retry: { type: 'constant', interval: 60, jitter: 'none' } },
} as const;
const event = { queue: 'mails' };
type Options = Partial<Parameters<typeof backlogHandler>[0]>;

function handlerWith(options: Options, settings: Parameters<typeof workbench>[0] = queues) {
  const bench = workbench(settings);
  const handler = backlogHandler({ queue: 'mails', ...bench.overrides, ...options });
  const put = (id: string, task: string | undefined, payload: unknown = {}, more = {}) =>
    bench.insert({ id, queue: 'mails', payload, ...(task === undefined ? {} : { task }), ...more });
  return { bench, put, run: () => handler(event, context) };
}

const fails = (name: string) => () => {
  throw Object.assign(new Error('as always'), { name });
};

describe('a handler of several tasks', () => {
  it('performs each record’s own, and leaves those without one to process', async () => {
    const seen: unknown[] = [];
    const a = defineTask<number>({
      name: 'a',
      perform: (n, { attempt, record }) => void seen.push(['a', n, attempt, record.id]),
    });
    const b = defineTask<string>({ name: 'b', perform: async (text) => void seen.push(['b', text]) });
    const process = ({ id }: { id: string }) => void seen.push(['process', id]);
    const { put, run } = handlerWith({ tasks: [a, b], process });
    await put('r-1', 'a', 7);
    await put('r-2', 'b', 'text');
    await put('r-3', undefined);
    expect(await run()).toMatchObject({ succeeded: 3 });
    expect(seen.sort()).toEqual([
      ['a', 7, 1, 'r-1'],
      ['b', 'text'],
      ['process', 'r-3'],
    ]);
  });

  it('lets those without a task wait, if there is nothing for them', async () => {
    const { bench, put, run } = handlerWith({ tasks: [defineTask({ name: 'a', perform: () => {} })] });
    await put('r-1', undefined);
    await put('r-2', 'b');
    expect(await run()).toMatchObject({ attempted: 0, unknownTask: 2 });
    expect(bench.measured).toMatchObject([[{ unknownTask: 2 }, 'records-table']]);
    expect(bench.log().filter(({ level }) => level === 'WARN')).toMatchObject([
      { message: 'no task of that name here: its records wait', task: 'nothing', queue: 'mails', id: 'r-1' },
      { message: 'no task of that name here: its records wait', task: '"b"', queue: 'mails', id: 'r-2' },
    ]);
  });

  it('names the task that was probably meant in the warning about an unknown one', async () => {
    const { bench, put, run } = handlerWith({
      tasks: [defineTask({ name: 'welcomeMail', perform: () => {} })],
    });
    await put('r-1', 'welcomMail');
    await put('r-2', 'invoice');
    expect(await run()).toMatchObject({ unknownTask: 2 });
    const [near, far] = bench.log().filter(({ level }) => level === 'WARN');
    expect(near).toMatchObject({ task: '"welcomMail"', didYouMean: 'welcomeMail' });
    expect(far).not.toHaveProperty('didYouMean');
  });

  it('decides on failures as each task says, and as the handler does where it says nothing', async () => {
    const tasks = [
      defineTask({ name: 'policy', retry: { type: 'none' }, perform: fails('E') }),
      defineTask({ name: 'function', retry: () => 7, perform: fails('E') }),
      defineTask({ name: 'queue', retryQueue: 'slow', perform: fails('E') }),
      defineTask({ name: 'dead', deadOn: ['Fatal'], perform: fails('Fatal') }),
      defineTask({ name: 'plain', perform: fails('Fatal') }),
    ];
    const { bench, put, run } = handlerWith({ tasks });
    for (const { name } of tasks) await put(name, name);
    await put('own', 'policy', {}, { retry: { type: 'constant', interval: 5, jitter: 'none' } });
    await put('twice', 'function', {}, { retry: { maxAttempts: 1 } });
    await run();
    const inSeconds = (seconds: number) => new Date(bench.clock.now() + seconds * 1000).toISOString();
    // A wait of less than a tick is kept to the second, and is marked. A longer one is kept to the nearest tick.
    const inShort = (seconds: number) => inSeconds(seconds + 0.001);
    const found = await Promise.all(
      [...tasks.map(({ name }) => name), 'own', 'twice'].map((id) => bench.store.records.get(id)),
    );
    expect(found).toMatchObject([
      { status: 'DEAD', deadReason: 'maxAttempts' },
      { status: 'ERROR', dueAt: inShort(7) },
      { status: 'ERROR', queue: 'slow' },
      { status: 'DEAD', deadReason: 'deadOn: Fatal' },
      { status: 'ERROR', dueAt: inSeconds(60 - 30) },
      { status: 'ERROR', dueAt: inShort(5) },
      { status: 'DEAD', deadReason: 'maxAttempts' },
    ]);
  });

  it('ends the attempts of a task at its own time', async () => {
    const slow = defineTask({
      name: 'slow',
      attemptTimeout: 0.05,
      perform: (_: unknown, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
    });
    const { bench, put, run } = handlerWith({ tasks: [slow] });
    await put('r-1', 'slow');
    expect(await run()).toMatchObject({ failed: 1 });
    expect((await bench.store.records.get('r-1'))?.lastError).toMatchObject({
      name: 'AttemptTimeout',
      message: 'no end within 0.05 s',
    });
  });

  it('refuses a time limit above that of the queue, wherever that is set', async () => {
    const slow = defineTask({ name: 'slow', attemptTimeout: 31, perform: () => {} });
    const message =
      'task "slow": attemptTimeout: expected at most the attemptTimeout of its queue (30), got 31';
    await expect(handlerWith({ tasks: [slow] }).run()).rejects.toThrow(new ConfigurationError(message));
    expect(() => handlerWith({ tasks: [slow], attemptTimeout: 30 })).toThrow(message);
    const settings = { mails: { ...queues.mails, attemptTimeout: 31 } };
    await expect(handlerWith({ tasks: [slow] }, settings).run()).resolves.toBeDefined();
  });

  it.each([
    [{ tasks: [] }, 'backlogHandler.tasks: expected array to have >=1 items, got []'],
    [{ tasks: [{ name: 'a' }] }, 'backlogHandler.tasks.0: expected a task that defineTask has made'],
    [{}, 'backlogHandler: expected process, tasks, or both, got neither'],
  ])('is refused with %j', (options, message) => {
    expect(() => handlerWith(options as never)).toThrow(message);
  });

  it.each([
    [{ name: 'a' }, { name: 'a' }],
    [{ name: 'a' }, { name: 'b', previousNames: ['a'] }],
    [{ name: 'constructor' }, { name: 'constructor' }],
  ])('is refused with two tasks of one name: %j and %j', (one, other) => {
    const tasks = [one, other].map((options) => defineTask({ ...options, perform: () => {} }));
    expect(() => handlerWith({ tasks })).toThrow(
      /expected tasks with different names, got two of "(a|constructor)"/,
    );
  });
});

describe('a task with a schema', () => {
  const schema = z.object({ to: z.email(), copies: z.string().transform(Number) });

  it('performs what the schema makes of the payload; the record keeps what was inserted', async () => {
    const seen: unknown[] = [];
    const mail = defineTask({
      name: 'mail',
      schema,
      perform: (payload, { record }) => void seen.push(payload, record.payload),
    });
    const { bench, put, run } = handlerWith({ tasks: [mail] });
    const payload = { to: 'a@example.com', copies: '2', more: true };
    await put('r-1', 'mail', payload);
    await run();
    expect(seen).toEqual([{ to: 'a@example.com', copies: 2 }, payload]);
    expect((await bench.store.records.get('r-1'))?.payload).toEqual(payload);
  });

  it.each([
    ['at once', schema],
    ['later', schema.refine(async () => true)],
  ])(
    'gives up a payload that it refuses %s, before any attempt, with the reason and none of its values',
    async (_, own) => {
      let performed = 0;
      const mail = defineTask({ name: 'mail', schema: own, perform: () => void performed++ });
      const { bench, put, run } = handlerWith({ tasks: [mail], retry: () => 7 });
      await put('r-1', 'mail', { to: 'hunter2', copies: 3 });
      expect(await run()).toMatchObject({ attempted: 0, dead: 1, failed: 0 });
      expect(performed).toBe(0);
      const reason =
        'payload.to: Invalid email address; payload.copies: Invalid input: expected string, received number';
      expect(await bench.store.records.get('r-1')).toMatchObject({
        status: 'DEAD',
        attempts: 0,
        failures: 0,
        deadReason: `invalid payload: ${reason}`,
        lastError: { name: 'InvalidPayload', message: reason },
      });
      const [line] = bench.log();
      expect(line).toMatchObject({ level: 'ERROR', message: 'refused', id: 'r-1', task: 'mail' });
      for (const name of ['attempt', 'reason']) expect(line).not.toHaveProperty(name);
      expect(JSON.stringify([bench.lines, bench.store.items()[0]?.history])).not.toContain('hunter2');
    },
  );

  it.each([
    ['throws', () => Promise.reject(new TypeError('the database is down')), 'TypeError'],
    ['gives no answer', () => undefined, 'TypeError'],
  ])('is tried again where the schema %s', async (_, validate, name) => {
    const broken = { '~standard': { version: 1, vendor: 'test', validate } } as never;
    const { bench, put, run } = handlerWith({
      tasks: [defineTask({ name: 'mail', schema: broken, perform: () => {} })],
    });
    await put('r-1', 'mail');
    expect(await run()).toMatchObject({ attempted: 1, failed: 1, dead: 0 });
    expect(await bench.store.records.get('r-1')).toMatchObject({
      status: 'ERROR',
      failures: 1,
      lastError: { name },
    });
  });

  it('does not begin its work when the schema took all the time', async () => {
    let performed = 0;
    const slow = z.unknown().refine(async () => {
      await new Promise((resolve) => setTimeout(resolve, 120));
      return true;
    });
    const mail = defineTask({
      name: 'mail',
      attemptTimeout: 0.05,
      schema: slow,
      perform: () => void performed++,
    });
    const { bench, put, run } = handlerWith({ tasks: [mail] });
    await put('r-1', 'mail');
    expect(await run()).toMatchObject({ failed: 1 });
    expect((await bench.store.records.get('r-1'))?.lastError?.name).toBe('AttemptTimeout');
    expect(performed).toBe(0);
  });

  it('closes no breaker by a payload that it refuses: no request was sent to the destination', async () => {
    const mail = defineTask({ name: 'mail', schema, perform: fails('Down') });
    const { bench, put, run } = handlerWith({
      tasks: [mail],
      breaker: { minimumAttempts: 2 },
      concurrency: 1,
    });
    const good = { to: 'a@example.com', copies: '1' };
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await put(id, 'mail', good);
    expect(await run()).toMatchObject({ ended: 'breakerOpen', failed: 2 });
    bench.clock.advance(55);
    await put('0', 'mail', {}, { dueAt: new Date(bench.clock.now() - 3_600_000).toISOString() });
    expect(await run()).toMatchObject({ dead: 1, failed: 1, attempted: 1, ended: 'breakerOpen' });
  });
});
