import { describe, expect, it } from 'vitest';
import {
  type BacklogHandlerOptions,
  backlogHandler,
  Dead,
  Done,
  deliverByHttp,
  RetryAfter,
} from '../../functions/index.js';
import { lanesOf } from '../../src/record/index.js';
import { StoreThrottledError } from '../../src/store/index.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { defineTask } from '../../src/tasks/index.js';
import type { Process, RunOptions } from '../../src/worker/index.js';
import { listen } from '../delivery/support.js';
import { context, TIER_1, workbench } from './support.js';

const retryQueue = { default: { retryMode: 'perRecord' } } as const;

/** A handler whose run is only looked at. */
function plannedRun(
  options: Partial<BacklogHandlerOptions>,
  queues: Parameters<typeof workbench>[0],
  event: unknown,
  now?: number,
): Promise<RunOptions> {
  return new Promise((resolve, reject) => {
    const bench = workbench(queues);
    if (now !== undefined) bench.clock.advance((now - bench.clock.now()) / 1000);
    const handler = backlogHandler({
      queue: 'default',
      process: () => {},
      ...bench.overrides,
      ...options,
      run: async (runOptions) => {
        resolve(runOptions);
        return { ended: 'drained' } as never;
      },
    });
    handler(event, context).catch(reject);
  });
}

describe('a run', () => {
  it('attempts what is due, and its summary is the result', async () => {
    const bench = workbench(retryQueue);
    await bench.insert({ id: 'a', payload: { order: 1 } });
    await bench.insert({ id: 'b', payload: { order: 2 } });
    const seen: unknown[] = [];
    const handler = backlogHandler({
      queue: 'default',
      process: (record, { attempt, signal }) => {
        seen.push([record.id, record.payload, attempt, signal.aborted]);
      },
      ...bench.overrides,
    });
    const summary = await handler({ queue: 'default' }, context);
    expect(summary).toMatchObject({
      queue: 'default',
      lane: 'default',
      attempted: 2,
      succeeded: 2,
      failed: 0,
      dead: 0,
      snoozed: 0,
      cancelled: 0,
      leftOver: 0,
      ended: 'drained',
    });
    expect(seen).toEqual([
      ['a', { order: 1 }, 1, false],
      ['b', { order: 2 }, 1, false],
    ]);
    expect(await bench.store.records.get('a')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  });

  it('of a delivery that lacks its secret fails before anything is attempted, and goes on once it has it', async () => {
    await using server = await listen((_request, response) => response.end());
    const bench = workbench(retryQueue);
    await bench.insert({ id: 'a' });
    const token = { value: '' };
    const authorization = () => {
      if (token.value === '') throw new Error('no access to the secret');
      return token.value;
    };
    const process = deliverByHttp({ url: server.url, headers: { authorization } });
    const handler = backlogHandler({ queue: 'default', process, ...bench.overrides });
    await expect(handler({ queue: 'default' }, context)).rejects.toThrow('no access to the secret');
    expect(await bench.store.records.get('a')).toMatchObject({ status: 'NEW', attempts: 0 });
    expect(bench.log()).toMatchObject([{ level: 'ERROR', message: 'run failed' }]);
    token.value = 'Bearer 1';
    expect(await handler({ queue: 'default' }, context)).toMatchObject({ attempted: 1, succeeded: 1 });
  });

  it('of a process around a delivery that lacks its secret puts records off, and counts no failure', async () => {
    const bench = workbench(retryQueue);
    await bench.insert({ id: 'a', retry: { type: 'none' } });
    const secret = () => Promise.reject(new Error('no access to the secret'));
    const deliver = deliverByHttp({ url: 'https://erp.example.com/', secret });
    const process: Process = (record, attempt) => deliver(record, attempt);
    const handler = backlogHandler({ queue: 'default', process, ...bench.overrides });
    expect(await handler({ queue: 'default' }, context)).toMatchObject({ attempted: 1, failed: 0, dead: 0 });
    const record = await bench.store.records.get('a');
    expect(record).toMatchObject({ status: 'NEW' });
    expect(record?.failures ?? 0).toBe(0);
    expect(bench.log()).toContainEqual(
      expect.objectContaining({ level: 'ERROR', message: 'attempt put off' }),
    );
  });

  it('understands what process returns and throws', async () => {
    const bench = workbench(retryQueue);
    const outcomes: Record<string, () => unknown> = {
      nothing: () => undefined,
      done: () => new Done(),
      doneThrown: () => {
        throw new Done();
      },
      error: () => {
        throw new TypeError('no such field');
      },
      later: () => new RetryAfter(3600, 'the ERP is closed'),
      laterThrown: () => {
        throw new RetryAfter(3600);
      },
      dead: () => new Dead('no such customer'),
      deadThrown: () => {
        throw new Dead('no such customer');
      },
      odd: () => ({ statusCode: 200 }),
    };
    for (const id of Object.keys(outcomes)) await bench.insert({ id });
    const handler = backlogHandler({
      queue: 'default',
      process: async (record) => outcomes[record.id]?.() as never,
      ...bench.overrides,
    });
    const summary = await handler({ queue: 'default' }, context);
    expect(summary).toMatchObject({ attempted: 9, succeeded: 3, failed: 4, dead: 2 });

    const statusOf = async (id: string) => (await bench.store.records.get(id))?.status;
    for (const id of ['nothing', 'done', 'doneThrown']) expect(await statusOf(id)).toBe('SUCCESS');
    for (const id of ['error', 'later', 'laterThrown', 'odd']) expect(await statusOf(id)).toBe('ERROR');
    expect(await bench.store.records.get('dead')).toMatchObject({
      status: 'DEAD',
      deadReason: 'no such customer',
    });
    expect(await bench.store.records.get('deadThrown')).toMatchObject({
      status: 'DEAD',
      deadReason: 'no such customer',
    });
    expect((await bench.store.records.get('error'))?.lastError).toMatchObject({
      name: 'TypeError',
      message: 'no such field',
    });
    expect((await bench.store.records.get('odd'))?.lastError?.name).toBe('UnknownReturnValue');
    const inAnHour = new Date(bench.clock.now() + 3_600_000).toISOString();
    expect((await bench.store.records.get('later'))?.dueAt).toBe(inAnHour);
  });

  it('of a progressive queue attempts the band of its event', async () => {
    const bench = workbench({ bulk: { retryMode: 'progressive' } });
    await bench.insert({ id: 'a', queue: 'bulk' });
    const handler = backlogHandler({ queue: 'bulk', process: () => {}, ...bench.overrides });
    const summary = await handler({ queue: 'bulk', tier: TIER_1 }, context);
    expect(summary).toMatchObject({ queue: 'bulk', tier: 1, succeeded: 1 });
  });

  it('is never cut off from inside: it ends by itself and gives its lease back', async () => {
    const bench = workbench(retryQueue);
    const handler = backlogHandler({
      queue: 'default',
      process: () => {},
      ...bench.overrides,
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { ended: 'deadline' } as never;
      },
    });
    const almostOver = { ...context, getRemainingTimeInMillis: () => 20 };
    expect(await handler({ queue: 'default' }, almostOver)).toEqual({ ended: 'deadline' });
  });

  it('works again and again in the same sandbox', async () => {
    const bench = workbench(retryQueue);
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides });
    for (const id of ['a', 'b', 'c']) {
      await bench.insert({ id });
      expect(await handler({ queue: 'default' }, context)).toMatchObject({ attempted: 1, succeeded: 1 });
      bench.clock.advance(60);
    }
  });
});

describe('how a run is put together', () => {
  const event = { queue: 'default' };

  it('by default: Fibonacci, 10 at once, 30 s each, a success kept for 30 days, every minute', async () => {
    const options = await plannedRun({}, retryQueue, event);
    expect(options.policy.type).toBe('fibonacci');
    expect(options.limits).toEqual({ concurrency: 10, attemptTimeout: 30 });
    expect(options).toMatchObject({
      tickSeconds: 60,
      retention: 2_592_000,
      functionTimeoutSeconds: 300,
    });
  });

  it('ends before the function does', async () => {
    const bench = workbench(retryQueue);
    expect((await plannedRun({}, retryQueue, event)).deadline).toBe(bench.clock.wall() + 300_000);
  });

  it('the CDK app may say otherwise', async () => {
    const settings = {
      retryMode: 'perRecord',
      retry: { type: 'constant', interval: 7 },
      concurrency: 2,
      attemptsPerSecond: 3,
      attemptTimeout: 4,
      maxRecords: 5,
      retention: 6,
      tickSeconds: 120,
    } as const;
    const options = await plannedRun({}, { default: settings }, event);
    expect(options.policy.type).toBe('constant');
    expect(options.limits).toEqual({
      concurrency: 2,
      attemptsPerSecond: 3,
      attemptTimeout: 4,
      maxRecords: 5,
    });
    expect(options).toMatchObject({ retention: 6, tickSeconds: 120 });
  });

  it('an option that is given as undefined is not given', async () => {
    const settings = { retryMode: 'perRecord', retry: { type: 'constant' }, concurrency: 2 } as const;
    const options = await plannedRun(
      { retry: undefined, concurrency: undefined },
      { default: settings },
      event,
    );
    expect(options.policy.type).toBe('constant');
    expect(options.limits.concurrency).toBe(2);
  });

  it('durations are taken as text, from the code and from the environment', async () => {
    const text = { attemptTimeout: '10s', maxRetryAfter: '20s', retention: '1d' } as const;
    const breaker = { window: '2m', halfOpenAfter: '45s' } as const;
    const expected = {
      limits: { attemptTimeout: 10, maxRetryAfter: 20 },
      retention: 86_400,
      breaker: { window: 120, halfOpenAfter: 45 },
    };
    expect(await plannedRun({ ...text, breaker }, retryQueue, event)).toMatchObject(expected);
    const settings = JSON.stringify({ retryMode: 'perRecord', ...text, breaker });
    expect(await plannedRun({}, { default: JSON.parse(settings) }, event)).toMatchObject(expected);
  });

  it('arrivals of a progressive queue have its first tier, that of its own tiers', async () => {
    const tiers = [{ every: '10m', untilAge: '2h' }];
    const settings = { retryMode: 'progressive', retry: { type: 'progressive', tiers } } as const;
    const arrivals = { queue: 'default', arrivals: { batch: 'b', ids: ['a'] } };
    const { target } = await plannedRun({}, { default: settings }, arrivals);
    expect(target.firstBand).toEqual({ number: 1, every: 600, fromAge: 0, untilAge: 7_200, last: true });
  });

  it('a task may not have more time than its queue, said as text', async () => {
    const task = defineTask({ name: 'slow', attemptTimeout: '1m', perform() {} });
    expect(() => backlogHandler({ tasks: [task], attemptTimeout: '30s' })).toThrow(
      'task "slow": attemptTimeout: expected at most the attemptTimeout of its queue (30), got 60',
    );
  });

  it("the handler's code comes before the CDK app", async () => {
    const settings = {
      retryMode: 'perRecord',
      retry: { type: 'constant' },
      concurrency: 2,
      maxRecords: 5,
      retention: 6,
    } as const;
    const chosen = { retry: { type: 'none' }, concurrency: 20, retention: 'forever' } as const;
    const options = await plannedRun(chosen, { default: settings }, event);
    expect(options.policy.type).toBe('none');
    expect(options.limits).toMatchObject({ concurrency: 20, maxRecords: 5 });
    expect(options.retention).toBeUndefined();
  });

  it('knows where retries go, and which errors are dead at once; the code comes first', async () => {
    const settings = { retryMode: 'perRecord', retryQueue: 'retries', deadOn: ['TypeError'] } as const;
    const byApp = await plannedRun({}, { default: settings }, event);
    expect(byApp).toMatchObject({ retryQueue: 'retries', deadOn: ['TypeError'] });
    const chosen = { retryQueue: 'slow', deadOn: [RangeError] };
    expect(await plannedRun(chosen, { default: settings }, event)).toMatchObject(chosen);
  });

  it('knows what is kept of the attempts, option by option', async () => {
    const settings = { retryMode: 'perRecord', history: { bytes: 1000, entries: 5 } } as const;
    const redact = ({ name }: { name: string }) => ({ name, message: 'hidden' });
    const options = await plannedRun(
      { history: { entries: 9, bytes: undefined, redact } },
      { default: settings },
      event,
    );
    expect(options.history).toEqual({ bytes: 1000, entries: 9 });
    expect(options.redaction?.({ type: 'cancel', reason: 'secret' })).toMatchObject({
      outcome: { reason: 'hidden' },
    });
  });

  it('a progressive queue follows the progressive schedule, at the interval of its rule', async () => {
    const catchUp = [{ ...TIER_1, number: 3 }];
    const options = await plannedRun(
      { queue: 'bulk' },
      { bulk: { retryMode: 'progressive' } },
      { queue: 'bulk', tier: TIER_1, catchUp },
    );
    expect(options.policy.type).toBe('progressive');
    expect(options.tickSeconds).toBe(300);
    expect(options.target).toEqual({
      queue: 'bulk',
      lane: 'bulk',
      retryMode: 'progressive',
      band: TIER_1,
      catchUp,
      lanes: ['bulk'],
      shards: 1,
      part: 0,
    });
  });

  describe('of a queue that is fair between keys', () => {
    const at = (fairness: boolean | undefined, now: number) =>
      plannedRun({}, { default: { retryMode: 'perRecord', fairness } }, { queue: 'default' }, now);

    it('says so to its run', async () => {
      expect((await at(true, 0)).target).toMatchObject({
        fairness: true,
        lanes: expect.arrayContaining(['default']),
      });
      expect((await at(undefined, 0)).target.fairness).toBeUndefined();
    });

    it.each([
      [true, 24],
      [false, 24],
      [undefined, 1],
    ])(
      'looks once an hour into the lanes that keys may have had, also after it is switched off (%s)',
      async (fairness, looks) => {
        let all = 0;
        for (let minute = 0; minute < 24 * 60; minute++) {
          const { target } = await at(fairness, Date.UTC(2026, 4, 1) + minute * 60_000);
          if (target.lanes?.includes('default#31')) all++;
        }
        expect(all).toBe(looks);
      },
    );

    it('takes the number of arrivals whose keys are not busy, which is no other number', async () => {
      const arrivals = { batch: 'b', ids: ['a', 'b'], light: 1 };
      const of = (light: number) =>
        plannedRun(
          {},
          { default: { retryMode: 'perRecord', fairness: true } },
          { queue: 'default', arrivals: { ...arrivals, light } },
          0,
        );
      expect((await of(1)).target.arrivals).toEqual(arrivals);
      await expect(of(-1)).rejects.toThrow('event.arrivals.light');
    });
  });

  describe('of a queue with shards', () => {
    const shards = { default: { retryMode: 'perRecord', shards: 5, concurrency: 20 } } as const;
    const NO_LOOK_BACK = Date.parse('2026-05-01T10:31:00.000Z');
    const partOf = (number: number, now = NO_LOOK_BACK) =>
      plannedRun({}, shards, { queue: 'default', part: { number, of: 2 } }, now);

    it('comes to every other of its lanes where it is one of two, with its part of the attempts', async () => {
      const [first, second] = [await partOf(0), await partOf(1)];
      expect(first.target).toMatchObject({
        lanes: ['default', 'default#2', 'default#4'],
        shards: 5,
        part: 0,
      });
      expect(second.target).toMatchObject({ lanes: ['default#1', 'default#3'], shards: 5, part: 1 });
      expect([first.limits.concurrency, second.limits.concurrency]).toEqual([12, 8]);
    });

    it('makes one attempt at a time at least', async () => {
      const few = { default: { retryMode: 'perRecord', shards: 5, concurrency: 2 } } as const;
      const part = { queue: 'default', part: { number: 4, of: 5 } };
      expect((await plannedRun({}, few, part, NO_LOOK_BACK)).limits.concurrency).toBe(1);
    });

    it('comes to all of them where it is the only one, as with the rule of an older deployment', async () => {
      const { target, limits } = await plannedRun({}, shards, { queue: 'default' }, NO_LOOK_BACK);
      expect(target.lanes).toEqual(['default', 'default#1', 'default#2', 'default#3', 'default#4']);
      expect(limits.concurrency).toBe(20);
    });

    it('looks once an hour into the lanes that it may have had before, in the first of its runs', async () => {
      const hour = Date.parse('2026-05-01T10:00:00.000Z');
      const minutes = Array.from({ length: 60 }, (_, minute) => hour + minute * 60_000);
      const lanes = await Promise.all(minutes.map(async (now) => (await partOf(0, now)).target.lanes));
      const all = lanes.filter((some) => some?.includes('default#31'));
      expect(all).toEqual([['default', 'default#2', 'default#4', ...lanesOf('default', 5)]]);
      const others = await Promise.all(minutes.map(async (now) => (await partOf(1, now)).target.lanes));
      expect(others.every((some) => some?.length === 2)).toBe(true);
    });

    it.each([300, 3_600, 43_200])('does so in a tier that comes every %s seconds', async (every) => {
      const tier = { ...TIER_1, every };
      const queues = { default: { retryMode: 'progressive', shards: 1 } } as const;
      const looks: number[] = [];
      for (let i = 0; i < 12; i++) {
        const now = Date.parse('2026-05-01T10:02:00.000Z') + i * every * 1000;
        const { target } = await plannedRun({}, queues, { queue: 'default', tier }, now);
        if (target.lanes?.includes('default#1')) looks.push(i);
      }
      expect(looks).toHaveLength(every === 300 ? 1 : 12);
    });

    it('spreads what comes over all of them', async () => {
      const arrivals = { batch: 'b', ids: ['a'] };
      const { target, limits } = await plannedRun({}, shards, { queue: 'default', arrivals });
      expect(target).toMatchObject({ lane: 'default', shards: 5, arrivals });
      expect(target).not.toHaveProperty('lanes');
      expect(limits.concurrency).toBe(20);
    });
  });
});

describe('what goes wrong', () => {
  const failing = async (bench: ReturnType<typeof workbench>, event: unknown, options = {}) => {
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides, ...options });
    const error = await handler(event, context).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    return { error, logged: bench.log() };
  };

  it('an invalid environment fails every invocation, and each leaves a log line', async () => {
    const bench = workbench('{"default":{"retryMode":"sideways"}}');
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides });
    for (const invocation of [1, 2]) {
      await expect(handler({ queue: 'default' }, context)).rejects.toThrow(
        new ConfigurationError(
          'BACKLOG_QUEUES.default.retryMode: expected "perRecord" or "progressive", got "sideways"',
        ),
      );
      expect(bench.log()).toHaveLength(invocation);
    }
    expect(bench.log()[0]).toMatchObject({
      level: 'ERROR',
      message: 'run failed',
      error: { name: 'ConfigurationError' },
    });
  });

  it("an event for another function's queue is refused", async () => {
    const bench = workbench({ default: { retryMode: 'perRecord' }, orders: { retryMode: 'perRecord' } });
    const { error } = await failing(bench, { queue: 'orders' });
    expect(error?.message).toBe('event.queue: expected "default", the queue of this handler, got "orders"');
  });

  it('a retry policy that a progressive queue cannot have is refused', async () => {
    const bench = workbench({ default: { retryMode: 'progressive' } });
    const { error } = await failing(
      bench,
      { queue: 'default', tier: TIER_1 },
      { retry: { type: 'fibonacci' } },
    );
    expect(error?.message).toBe(
      'backlogHandler.retry.type: expected "progressive", as the queue is progressive, got "fibonacci"',
    );
  });

  it('trouble with DynamoDB fails the invocation, with the summary in log and error', async () => {
    const bench = workbench(retryQueue);
    bench.store.pages.query = async () => {
      throw new StoreThrottledError('DynamoDB throttled');
    };
    const { error, logged } = await failing(bench, { queue: 'default' });
    expect(error?.name).toBe('RunFailedError');
    expect(error?.message).toMatch(
      /^the run ended early \(StoreThrottledError: DynamoDB throttled\); what is left/,
    );
    expect(error?.message).toContain('"ended":"storeError"');
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ level: 'ERROR', message: 'run', ended: 'storeError' });
  });

  it('arrivals that others have claimed fail the invocation, so that its event comes back', async () => {
    const bench = workbench(retryQueue);
    bench.store.put({ id: 'a', status: 'NEW', payload: 1 });
    const claim = { batch: 'other', holder: 'h', ids: ['a'], until: bench.clock.wall() + 60_000, now: 0 };
    await bench.store.claims.take('default', claim);
    const { error } = await failing(bench, { queue: 'default', arrivals: { batch: 'b', ids: ['a'] } });
    expect(error?.name).toBe('RunFailedError');
    expect(error?.message).toMatch(/other runs have claimed some of these arrivals/);
    expect(bench.store.items()).toEqual([{ id: 'a', status: 'NEW', payload: 1 }]);
  });

  it.each([
    [
      { queue: 'a b' },
      'backlogHandler.queue: expected letters, digits, "_", "." and "-", at most 128, and not "__proto__", got "a b"',
    ],
    [
      { queue: 'q'.repeat(129) },
      `backlogHandler.queue: expected letters, digits, "_", "." and "-", at most 128, and not "__proto__", got "${'q'.repeat(76)}...`,
    ],
    [{ process: undefined }, 'backlogHandler: expected process, tasks, or both, got neither'],
    [{ retries: 3 }, 'backlogHandler: unknown option "retries"'],
    [
      { retry: { type: 'fibonacci', pause: 1 } },
      'backlogHandler.retry: unknown option "pause"; expected "unit", "type", "maxAttempts", "maxAge", "maxWait", "rounding", "jitter"',
    ],
    [{ history: { redact: /token/ } }, 'backlogHandler.history.redact: expected a function, got {}'],
    [{ history: { entries: 0 } }, 'backlogHandler.history.entries: expected number to be >=1, got 0'],
    [{ maxRecords: 0 }, 'backlogHandler.maxRecords: expected number to be >=1, got 0'],
    [
      { retryQueue: 'default' },
      'backlogHandler.retryQueue: expected another queue than the record\'s own, got "default"',
    ],
    [
      { deadOn: [() => {}] },
      'backlogHandler.deadOn.0: expected the name of an error such as "ValidationError", not "WorkerLost", or a class of errors, got a function',
    ],
    [{ deadOn: TypeError }, 'backlogHandler.deadOn: expected array, got a function'],
  ])('the options %j are refused where the handler is made', (options, message) => {
    const { overrides } = workbench(retryQueue);
    const whole = { queue: 'default', process: () => {}, ...overrides, ...options };
    expect(() => backlogHandler(whole as never)).toThrow(new ConfigurationError(message));
  });
});

describe('a handler of several queues', () => {
  const queues = {
    critical: { retryMode: 'perRecord' },
    default: { retryMode: 'perRecord' },
    other: { retryMode: 'perRecord' },
  } as const;
  const together = { queues: { critical: 6, default: 1 } };

  it('serves those of its event together, and measures each by itself', async () => {
    const bench = workbench(queues);
    for (const queue of ['critical', 'default']) {
      for (const id of ['a', 'b']) await bench.insert({ id: `${queue}-${id}`, queue, lane: queue });
    }
    const handler = backlogHandler({ process: () => {}, ...bench.overrides });
    const summary = await handler(together, context);
    expect(summary).toMatchObject({ queue: 'critical,default', succeeded: 4 });
    expect(summary.queues?.map(({ queue, succeeded }) => [queue, succeeded])).toEqual([
      ['critical', 2],
      ['default', 2],
    ]);
    // Each when its run has ended.
    expect(bench.log().map(({ queue, succeeded }) => [queue, succeeded])).toEqual(
      expect.arrayContaining([
        ['critical', 2],
        ['default', 2],
      ]),
    );
    expect(bench.log()).toHaveLength(2);
  });

  it('takes what comes in any of them', async () => {
    const bench = workbench(queues);
    await bench.insert({ id: 'a', queue: 'default', lane: undefined, dueAt: undefined, rev: undefined });
    const handler = backlogHandler({ queues: 'critical,6 default,1', process: () => {}, ...bench.overrides });
    const event = { queue: 'default', arrivals: { batch: 'b', ids: ['a'] } };
    expect(await handler(event, context)).toMatchObject({ queue: 'default', succeeded: 1 });
  });

  it.each<[string, Partial<BacklogHandlerOptions>, unknown, string]>([
    [
      'one that it is not for',
      { queues: 'critical default' },
      { queue: 'other' },
      'event.queue: expected "critical" or "default", which are the queues of this handler, got "other"',
    ],
    [
      'one that is unknown',
      {},
      { queues: { critical: 1, none: 1 } },
      'event.queue: expected a queue of BACKLOG_QUEUES',
    ],
    ['none at all', {}, { queues: {} }, 'event.queues: expected at least one queue'],
    ['a weight of nothing', {}, { queues: { critical: 0 } }, 'event.queues.critical'],
    [
      'a queue beside them',
      {},
      { queues: { critical: 1 }, queue: 'critical' },
      'event: unknown option "queue"',
    ],
    [
      'arrivals beside them',
      {},
      { queues: { critical: 1 }, arrivals: { batch: 'b', ids: ['a'] } },
      'event: unknown option "arrivals"',
    ],
  ])('refuses %s', async (_, options, event, message) => {
    const bench = workbench(queues);
    const handler = backlogHandler({ process: () => {}, ...bench.overrides, ...options });
    await expect(handler(event, context)).rejects.toThrow(message);
  });

  it.each<[object, string]>([
    [{ queue: 'a', queues: 'b' }, 'backlogHandler: expected either "queue" or "queues", got both'],
    [{ queues: 'a,none' }, 'backlogHandler.queues: expected a weight above 0 for the queue "a"'],
    [{ queues: { a: 1 } }, 'backlogHandler.queues: expected text such as "critical,6 default,1", or a list'],
  ])('with %j is refused', (options, message) => {
    expect(() => backlogHandler({ process: () => {}, ...options } as BacklogHandlerOptions)).toThrow(message);
  });
});
