import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import { Dead, RetryAfter } from '../../src/record/index.js';
import { type Process, type RetryFunction, retryDecider } from '../../src/worker/index.js';
import { due, fail, Harness, type RunChoices, START, succeed, YOUNG } from './harness.js';

const iso = (secondsAfterStart: number) => new Date(START + secondsAfterStart * 1000).toISOString();

/** A record after one failing attempt. */
async function afterOneAttempt(choices: RunChoices, process: Process = fail, attributes = {}) {
  const harness = new Harness();
  harness.put('r', attributes);
  const summary = await harness.run(process, choices);
  return { harness, summary, item: harness.item('r'), warnings: harness.warnings };
}

class ValidationError extends Error {}
class BadAddress extends ValidationError {
  override readonly name = 'BadAddress';
}
const throws =
  (error: unknown): Process =>
  () => {
    throw error;
  };

describe('an error that no retry helps against', () => {
  it.each([
    ['by its name', ['BadAddress'], new BadAddress('no such street'), 'BadAddress'],
    ['by its class', [BadAddress], new BadAddress('no such street'), 'BadAddress'],
    [
      'by the name of a class it is derived from',
      ['ValidationError'],
      new BadAddress('x'),
      'ValidationError',
    ],
    ['by a class it is derived from', [ValidationError], new BadAddress('x'), 'ValidationError'],
    [
      'by a class whose errors have no name of their own',
      ['ValidationError'],
      new ValidationError('x'),
      'ValidationError',
    ],
  ])('is dead at once, %s', async (_, deadOn, error, reason) => {
    const { item, summary } = await afterOneAttempt({ deadOn }, throws(error));
    expect(summary).toMatchObject({ dead: 1, failed: 0 });
    expect(item).toMatchObject({
      status: 'DEAD',
      lane: 'q/dead',
      deadReason: `deadOn: ${reason}`,
      failures: 1,
      lastError: { name: error.name, message: error.message },
    });
  });

  it('is dead whatever policy the record has, and is not asked about', async () => {
    const retry = { type: 'constant', interval: 7 };
    const retryFunction = () => 5;
    for (const choices of [{ retryFunction }, { retryQueue: 'retries' }]) {
      const { item } = await afterOneAttempt({ ...choices, deadOn: ['Error'] }, fail, { retry });
      expect(item).toMatchObject({ status: 'DEAD', queue: 'q' });
    }
  });

  it('gets the names that the library gives, too', async () => {
    const { item } = await afterOneAttempt({ deadOn: ['NonError'] }, throws('text'));
    expect(item).toMatchObject({ status: 'DEAD', deadReason: 'deadOn: NonError' });
  });

  it('is retried if process itself asks for it', async () => {
    const asks = throws(new RetryAfter(90, 'later', { cause: new BadAddress('x') }));
    const { item } = await afterOneAttempt({ deadOn: [BadAddress] }, asks);
    expect(item).toMatchObject({ status: 'ERROR', dueAt: iso(90) });
  });

  it.each([
    ['another error', new TypeError('x')],
    ['no error at all', { constructor: { name: 'ValidationError' } }],
    [
      'an error that throws when it is looked at',
      new Proxy(new Error('x'), {
        getPrototypeOf() {
          throw new Error('not for you');
        },
      }),
    ],
  ])('is not %s', async (_, thrown) => {
    const { item } = await afterOneAttempt({ deadOn: ['ValidationError', BadAddress] }, throws(thrown));
    expect(item).toMatchObject({ status: 'ERROR', failures: 1 });
  });
});

describe('a queue for retries', () => {
  const retryQueue = 'retries';

  it('gets each record that fails and is to be retried, by one write, with its wait', async () => {
    const { item, summary, harness } = await afterOneAttempt({ retryQueue });
    expect(summary).toMatchObject({ attempted: 1, failed: 1 });
    expect(item).toMatchObject({
      status: 'ERROR',
      queue: 'retries',
      lane: 'retries',
      dueAt: due(60),
      failures: 1,
    });
    await harness.pass(29);
    expect(await harness.run(succeed, { queue: 'retries' })).toMatchObject({ attempted: 0 });
    await harness.pass(1);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0 });
    expect(await harness.run(succeed, { queue: 'retries' })).toMatchObject({ succeeded: 1, lagSeconds: 0 });
  });

  it('gets no record that is dead, done or put off', async () => {
    for (const process of [succeed, throws(new Dead('for good'))]) {
      expect((await afterOneAttempt({ retryQueue }, process)).item).toMatchObject({ queue: 'q' });
    }
    const limited = await afterOneAttempt({ retryQueue, retry: { type: 'none' } });
    expect(limited.item).toMatchObject({ status: 'DEAD', queue: 'q', lane: 'q/dead' });
  });

  it('gets a record with a policy of its own, whose wait holds', async () => {
    const retry = { type: 'constant', interval: 7, jitter: 'none' };
    const { item } = await afterOneAttempt({ retryQueue }, fail, { retry });
    expect(item).toMatchObject({ queue: 'retries', dueAt: due(7), retry });
  });

  it('gets one no earlier than its destination asked for', async () => {
    const { item } = await afterOneAttempt({ retryQueue }, throws(new RetryAfter(900)));
    expect(item).toMatchObject({ queue: 'retries', dueAt: iso(900) });
  });

  it('leaves one where it is that is there already', async () => {
    const { item } = await afterOneAttempt({ retryQueue: 'q' });
    expect(item).toMatchObject({ queue: 'q', lane: 'q', dueAt: due(60) });
    const byAge = await afterOneAttempt({ retryQueue: 'q', band: YOUNG });
    expect(byAge.item).toMatchObject({ queue: 'q', lane: 'q', dueAt: iso(0) });
  });

  it('gets one that failed on arrival, with its place', async () => {
    const harness = new Harness();
    harness.store.put({ id: 'r', status: 'NEW', queue: 'q', payload: 1, expiresAt: 1 });
    const summary = await harness.run(fail, { arrivals: { batch: 'b', ids: ['r'] }, retryQueue });
    expect(summary).toMatchObject({ attempted: 1, failed: 1, leftOver: 0, ended: 'drained' });
    expect(harness.item('r')).toMatchObject({
      queue: 'retries',
      lane: 'retries',
      dueAt: due(60),
      insertedAt: iso(0),
    });
    expect(harness.item('r')).not.toHaveProperty('expiresAt');
  });

  it('does not get one whose worker was lost: it is attempted alone where it is', async () => {
    const harness = new Harness();
    harness.put('r');
    const lost = {
      holder: 'lost',
      until: START + 70_000,
      ids: ['r'],
      begun: true,
      rev: 'unwritten',
    } as const;
    await harness.store.leases.hold('q', lost);
    await harness.pass(80);
    await harness.run(succeed, { retryQueue });
    expect(harness.item('r')).toMatchObject({ queue: 'q', lane: 'q', lastError: { name: 'WorkerLost' } });
    await harness.pass(60);
    await harness.run(fail, { retryQueue });
    expect(harness.item('r')).toMatchObject({ queue: 'retries', failures: 2 });
  });

  it('that is progressive attempts it when its wait is over, and then by its age', async () => {
    const old = { insertedAt: iso(-3600), dueAt: iso(-3600) };
    const { harness } = await afterOneAttempt(
      { retryQueue, retry: { type: 'constant', interval: 700, jitter: 'none' } },
      fail,
      old,
    );
    const rule = () => harness.run(fail, { queue: 'retries', band: YOUNG });
    const attempted: number[] = [];
    for (let seconds = 300; seconds <= 1800; seconds += 300) {
      await harness.pass(300);
      if ((await rule()).attempted > 0) attempted.push(seconds);
    }
    expect(attempted).toEqual([900, 1200, 1500, 1800]);
    expect(harness.item('r')).toMatchObject({ queue: 'retries', dueAt: iso(-3600), failures: 5 });
  });

  it('that is progressive moves one that is older to the tier of its age, without an attempt', async () => {
    const old = { insertedAt: iso(-5 * 86_400), dueAt: iso(-3600) };
    const { harness } = await afterOneAttempt({ retryQueue }, fail, old);
    await harness.pass(300);
    const summary = await harness.run(fail, { queue: 'retries', band: YOUNG });
    expect(summary).toMatchObject({ attempted: 0, skipped: 1 });
    expect(harness.item('r')).toMatchObject({ lane: 'retries', dueAt: iso(-5 * 86_400), failures: 1 });
  });

  it('gets one of a progressive queue after the interval of its tier, and without its previous wait', async () => {
    const { harness, item } = await afterOneAttempt({ retryQueue, band: YOUNG }, fail, {
      notBefore: iso(-5),
    });
    expect(item).toMatchObject({ queue: 'retries', lane: 'retries', dueAt: due(300) });
    expect(item).not.toHaveProperty('notBefore');
    const retry = { type: 'constant', interval: 5000 } as const;
    await harness.pass(269);
    expect(await harness.run(succeed, { queue: 'retries', retry })).toMatchObject({ attempted: 0 });
    await harness.pass(1);
    expect(await harness.run(succeed, { queue: 'retries', retry })).toMatchObject({ succeeded: 1 });
  });

  it('gets no record of a progressive queue that is past its last day', async () => {
    const old = { insertedAt: iso(-400 * 86_400), dueAt: iso(-400 * 86_400) };
    const last = { ...YOUNG, fromAge: 180 * 86_400, untilAge: 360 * 86_400, last: true };
    const { item } = await afterOneAttempt({ retryQueue, band: last }, fail, old);
    expect(item).toMatchObject({ status: 'DEAD', deadReason: 'expired', queue: 'q', lane: 'q/dead' });
  });

  it('of which one is replaced by its producer begins again where that put it', async () => {
    const { harness } = await afterOneAttempt({ retryQueue });
    harness.put('r');
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
    await harness.pass(60);
    expect(await harness.run(succeed, { queue: 'retries' })).toMatchObject({ attempted: 0 });
  });
});

describe("a retry function's answer", () => {
  const answering = (retryFunction: RetryFunction, more: RunChoices = {}) =>
    afterOneAttempt({ ...more, retryFunction });

  it('may be the bare name of a policy: with its defaults', async () => {
    // 180 + 2^0 * 60, and its own fixed phase.
    const { item, warnings } = await answering(() => 'exponential');
    const wait = Date.parse(String(item.dueAt)) - START;
    expect(wait).toBeGreaterThan(100_000);
    expect(wait).toBeLessThan(400_000);
    expect(warnings).toEqual([]);
    const power = await answering(() => ({ wait: { type: 'power', jitter: 'none' } }));
    expect(power.item).toMatchObject({ dueAt: due(30) });
  });

  it('may be the schedule of its progressive queue: the rules keep it', async () => {
    const { item } = await answering(() => 'progressive', { band: YOUNG });
    expect(item).toMatchObject({ dueAt: iso(0) });
    expect(item).not.toHaveProperty('notBefore');
  });

  it('may be a wait and another queue', async () => {
    const { item } = await answering(() => ({ wait: 25, queue: 'slow' }), { retryQueue: 'retries' });
    expect(item).toMatchObject({ queue: 'slow', lane: 'slow', dueAt: due(25) });
  });

  it('may be another queue alone: after what its policy says', async () => {
    expect((await answering(() => ({ queue: 'slow' }))).item).toMatchObject({
      queue: 'slow',
      dueAt: due(60),
    });
    const stays = await answering(() => ({ queue: 'q' }), { retryQueue: 'retries' });
    expect(stays.item).toMatchObject({ queue: 'q', dueAt: due(60) });
  });

  it('may be a wait alone: it goes where retries go', async () => {
    const { item } = await answering(() => ({ wait: 25 }), { retryQueue: 'retries' });
    expect(item).toMatchObject({ queue: 'retries', dueAt: due(25) });
  });

  it('may be dead, with a reason', async () => {
    const { item } = await answering(() => ({ dead: 'no such customer' }), { retryQueue: 'retries' });
    expect(item).toMatchObject({ status: 'DEAD', deadReason: 'no such customer', queue: 'q', failures: 1 });
  });

  it('goes by the number of retries so far, 0 at the first failure', async () => {
    const counts: number[] = [];
    const harness = new Harness();
    harness.put('r');
    for (let i = 0; i < 3; i++) {
      await harness.run(fail, {
        retryFunction: (_, record, retryCount) => {
          counts.push(retryCount);
          expect(record.failures).toBe(retryCount + 1);
          return 10;
        },
      });
      await harness.pass(11);
    }
    expect(counts).toEqual([0, 1, 2]);
  });

  it('gives no more attempts than the policy behind it allows, unless its own does', async () => {
    const retry = { type: 'constant', maxAttempts: 1 } as const;
    expect((await answering(() => 10, { retry })).item).toMatchObject({ deadReason: 'maxAttempts' });
    const more = { type: 'constant', interval: 5, maxAttempts: 2 } as const;
    expect((await answering(() => more, { retry })).item).toMatchObject({ status: 'ERROR' });
  });

  const hostile = () => {
    const error = new Error('x');
    Object.defineProperty(error, 'message', {
      get() {
        throw new Error('not for you');
      },
    });
    throw error;
  };
  it.each([
    [
      'a queue that is a number',
      () => ({ queue: 7 }),
      'retry function: its answer.queue: expected string, got 7',
    ],
    [
      'a queue of bad characters',
      () => ({ wait: 5, queue: 'q/dead' }),
      'its answer.queue: expected the name of a queue',
    ],
    ['no queue at all', () => ({ queue: '' }), 'its answer.queue: expected the name of a queue'],
    ['a wait that is none', () => ({ wait: Number.NaN }), 'its answer.wait: expected seconds or a duration'],
    ['an endless wait', () => Number.POSITIVE_INFINITY, 'its answer: expected seconds or a duration'],
    ['a wait below zero', () => ({ wait: -1 }), 'its answer.wait: expected seconds or a duration'],
    ['a misspelt option', () => ({ wiat: 5 }), 'its answer: unknown option "wiat"; did you mean "wait"?'],
    ['a misspelt policy', () => 'expnential', 'did you mean "exponential"?'],
    ['dead and a wait', () => ({ dead: 'x', wait: 5 }), 'its answer: unknown option "wait"'],
    ['dead without a reason', () => ({ dead: true }), 'its answer.dead: expected string, got true'],
    ['true', () => true, 'its answer: expected a retry policy'],
    ['a list', () => [10, 20], 'its answer: expected a retry policy'],
    ['a promise of a good answer', async () => ({ queue: 'slow' }), 'its answer.type: expected one of'],
    [
      'an error that cannot be read',
      hostile,
      'retry function: what process returned or threw throws when it is read',
    ],
    ['a thrown outcome', throws(new Dead('x')), 'retry function: '],
    ['a message of a megabyte', throws(new Error('x'.repeat(1e6))), 'retry function: xxx'],
  ])('that is %s is reported in the log, and the rest decides', async (_, answer, warning) => {
    const { item, warnings } = await answering(answer as unknown as RetryFunction, { retryQueue: 'retries' });
    expect(item).toMatchObject({ status: 'ERROR', queue: 'retries', dueAt: due(60), failures: 1 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(warning);
    expect(warnings[0]?.length).toBeLessThanOrEqual(400);
  });

  it('is all that counts, whatever the function does to the record it is shown', async () => {
    const { item } = await answering((_, record) => {
      Object.assign(record, { failures: 99 });
      return 5;
    });
    expect(item).toMatchObject({ failures: 1, dueAt: due(5) });
  });
});

describe('what is said for one kind of records', () => {
  const policy = resolvePolicy({ type: 'constant', interval: 500, jitter: 'none' });

  it('comes before what its handler says, and leaves the rest to that', async () => {
    const handler: RunChoices = { retryFunction: () => 5, retryQueue: 'retries', deadOn: ['TypeError'] };
    const of = async (own: ReturnType<NonNullable<RunChoices['decisionsFor']>>, process = fail, more = {}) =>
      (await afterOneAttempt({ ...handler, decisionsFor: () => own }, process, more)).item;
    expect(await of({ policy })).toMatchObject({ queue: 'retries', dueAt: due(500) });
    expect(await of({ retryDecider: retryDecider(() => 7) })).toMatchObject({ dueAt: due(7) });
    expect(await of({ retryQueue: 'own' })).toMatchObject({ queue: 'own', dueAt: due(5) });
    expect(await of({ deadOn: ['Error'] })).toMatchObject({ status: 'DEAD' });
    expect(await of({ deadOn: [] }, throws(new TypeError('x')))).toMatchObject({ status: 'ERROR' });
    expect(await of(undefined)).toMatchObject({ queue: 'retries', dueAt: due(5) });
    const retry = { type: 'constant', interval: 9, jitter: 'none' };
    expect(await of({ policy, retryDecider: retryDecider(() => 7) }, fail, { retry })).toMatchObject({
      dueAt: due(9),
    });
  });

  it('is asked by the record', async () => {
    const harness = new Harness();
    harness.put('a', { payload: { task: 'slow' } });
    harness.put('b', { payload: { task: 'quick' } });
    const decisionsFor: RunChoices['decisionsFor'] = ({ payload }) =>
      (payload as { task: string }).task === 'slow' ? { policy } : undefined;
    await harness.run(fail, { decisionsFor });
    expect(harness.item('a')).toMatchObject({ dueAt: due(500) });
    expect(harness.item('b')).toMatchObject({ dueAt: due(60) });
  });

  it('has its limits kept: of attempts, of age, and of what a lost worker counts', async () => {
    const once = resolvePolicy({ type: 'constant', maxAttempts: 1, maxAge: 50 });
    const decisionsFor = () => ({ policy: once });
    expect((await afterOneAttempt({ decisionsFor })).item).toMatchObject({ deadReason: 'maxAttempts' });
    const old = { attempts: 1, insertedAt: iso(-60) };
    const { summary, item } = await afterOneAttempt({ decisionsFor }, fail, old);
    expect(summary).toMatchObject({ attempted: 0, dead: 1 });
    expect(item).toMatchObject({ deadReason: 'expired' });
  });

  it('waits on a progressive queue too', async () => {
    const { item } = await afterOneAttempt({ band: YOUNG, decisionsFor: () => ({ policy }) });
    expect(item).toMatchObject({ dueAt: iso(0), notBefore: iso(470) });
    const byAge = resolvePolicy({ type: 'progressive', maxAttempts: 5 });
    const limited = await afterOneAttempt({ band: YOUNG, decisionsFor: () => ({ policy: byAge }) });
    expect(limited.item).not.toHaveProperty('notBefore');
  });

  it('is left to the handler where asking for it throws', async () => {
    const { item, warnings } = await afterOneAttempt({
      decisionsFor() {
        throw new Error('secret');
      },
    });
    expect(item).toMatchObject({ status: 'ERROR', dueAt: due(60) });
    expect(warnings).toContain('decisionsFor threw');
  });
});
