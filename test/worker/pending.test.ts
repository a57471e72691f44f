import { describe, expect, it } from 'vitest';
import '../../src/client/complete.js';
import { BacklogClient, Done, Pending } from '../../src/index.js';
import { completionToken } from '../../src/record/index.js';
import type { Process } from '../../src/worker/index.js';
import { outsideWaiting, waitingToken } from '../outside-waiting.js';
import { Harness, START, succeed, YOUNG } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** The token of an attempt of a stored record, whose process is lost. */
async function lostToken({ store }: Harness, id: string) {
  const record = await store.records.get(id);
  return record ? completionToken('lost', record) : '';
}

/** A harness with a client beside it, and the tokens that its attempts had. */
function world() {
  const harness = new Harness();
  const client = new BacklogClient({ table: 'any', clock: harness.clock, store: harness.store as never });
  const tokens: string[] = [];
  const pending: Process = (_, { token }) => {
    tokens.push(token);
    throw new Pending({ timeout: '1h', reason: 'waits for approval' });
  };
  return { harness, client, tokens, pending };
}

describe('a record whose attempt ends as Pending', () => {
  it('waits without an attempt, and succeeds as it is completed, with the result', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    const summary = await harness.run(pending);
    expect(summary).toMatchObject({ attempted: 1, pending: 1, failed: 0, snoozed: 0, skipped: 0 });
    expect(harness.item('a')).toMatchObject({
      status: 'NEW',
      dueAt: iso(3599.998),
      notBefore: { until: iso(3599.998) },
    });
    await harness.pass(3599);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0 });
    expect(await client.complete('a', tokens[0] ?? '', { by: 'finance' })).toEqual({
      id: 'a',
      accepted: true,
    });
    expect(await client.get('a')).toMatchObject({
      status: 'SUCCESS',
      attempts: 1,
      result: { by: 'finance' },
    });
    for (const name of ['lane', 'dueAt', 'notBefore', 'completion'])
      expect(harness.item('a')?.[name]).toBeUndefined();
    expect(await client.complete('a', tokens[0] ?? '', { by: 'finance' })).toEqual({
      id: 'a',
      accepted: true,
    });
    await harness.pass(7200);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0, skipped: 0 });
  });

  it('fails when its time is up, and its next attempt has another token', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    await harness.run(pending);
    await harness.pass(3600);
    expect(await harness.run(pending)).toMatchObject({ attempted: 0, failed: 1 });
    expect(harness.item('a')).toMatchObject({
      status: 'ERROR',
      attempts: 1,
      failures: 1,
      lastError: { name: 'PendingTimedOut', message: 'not completed within 1 h' },
    });
    await harness.pass(3600);
    expect(await harness.run(pending)).toMatchObject({ attempted: 1, pending: 1 });
    const [first = '', second = ''] = tokens;
    expect(second).not.toBe(first);
    expect(await client.complete('a', first)).toEqual({ id: 'a', accepted: false, reason: 'oldToken' });
    expect(await client.complete('a', second)).toEqual({ id: 'a', accepted: true });
    expect(await client.get('a')).toMatchObject({ status: 'SUCCESS', attempts: 2, failures: 1 });
  });

  it('fails outside as it would have failed here: its policy says when the next attempt is', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    await harness.run(pending);
    const failed = () => client.fail('a', tokens[0] ?? '', new RangeError('no stock'));
    expect(await failed()).toEqual({ id: 'a', accepted: true });
    expect(await failed()).toEqual({ id: 'a', accepted: true });
    expect(await client.complete('a', tokens[0] ?? '')).toMatchObject({
      accepted: false,
      reason: 'endedBefore',
    });
    const retry = { type: 'constant', interval: 120 } as const;
    expect(await harness.run(succeed, { retry })).toMatchObject({ attempted: 0, failed: 1 });
    expect(harness.item('a')).toMatchObject({
      lastError: { name: 'RangeError', message: 'no stock' },
      failures: 1,
    });
    expect(harness.item('a')?.completion).toBeUndefined();
    await harness.pass(120);
    expect(await harness.run(succeed, { retry })).toMatchObject({ succeeded: 1 });
  });

  it('is dead where its policy allows no other attempt, and is not completed then', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    await harness.run(pending);
    await client.fail('a', tokens[0] ?? '', 'refused');
    expect(await harness.run(succeed, { retry: { type: 'none' } })).toMatchObject({ dead: 1 });
    expect(await client.complete('a', tokens[0] ?? '')).toMatchObject({ accepted: false, reason: 'dead' });
    expect(await client.fail('a', tokens[0] ?? '', 'refused')).toEqual({ id: 'a', accepted: true });
  });

  it('has failed for a call that comes again, until the next attempt, and for no other token', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    await harness.run(pending);
    const failed = (token = tokens[0] ?? '') => client.fail('a', token, 'no stock');
    await failed();
    await harness.run(succeed);
    expect(await failed()).toEqual({ id: 'a', accepted: true });
    expect(await failed(`1.${'x'.repeat(22)}.${tokens[0]?.slice(25)}`)).toMatchObject({ reason: 'oldToken' });
    expect(await client.complete('a', tokens[0] ?? '')).toMatchObject({ reason: 'oldToken' });
    await harness.pass(60);
    await harness.run(pending);
    expect(await failed()).toMatchObject({ accepted: false, reason: 'oldToken' });
  });

  it('has not failed outside where its time was up, or where the attempt itself has failed', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    await harness.run(pending);
    await harness.pass(3600);
    await harness.run(succeed);
    expect(await client.fail('a', tokens[0] ?? '', 'late')).toMatchObject({ reason: 'oldToken' });
    harness.put('b');
    await harness.run((_, { token }) => {
      tokens.push(token);
      throw new Error('its own');
    });
    expect(await client.fail('b', tokens.at(-1) ?? '', 'late')).toMatchObject({ reason: 'oldToken' });
  });

  it('that was completed, and set to wait again by hand, has not failed', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    await harness.run(pending);
    await client.complete('a', tokens[0] ?? '');
    harness.store.put({ ...harness.item('a'), status: 'ERROR' });
    expect(await client.fail('a', tokens[0] ?? '', 'no')).toMatchObject({ accepted: false });
  });

  it.each([
    ['per record', {}],
    ['progressive', { band: YOUNG }],
  ])('is prolonged by a heartbeat (%s)', async (_, options) => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    await harness.run(pending, options);
    await harness.pass(3000);
    expect(await client.heartbeat('a', tokens[0] ?? '')).toEqual({ id: 'a', accepted: true });
    await harness.pass(3000);
    expect(await harness.run(succeed, options)).toMatchObject({ attempted: 0, failed: 0 });
    expect(await client.heartbeat('a', tokens[0] ?? '', { timeout: '5m' })).toMatchObject({ accepted: true });
    await harness.pass(300);
    expect(await harness.run(succeed, options)).toMatchObject({ attempted: 0, failed: 1 });
  });
});

describe('an end that comes before the attempt has settled', () => {
  it('is kept, and written in place of what the attempt comes to', async () => {
    for (const [end, last] of [
      ['pending', { status: 'SUCCESS', result: { n: 1 } }],
      ['failure', { status: 'SUCCESS', result: { n: 1 } }],
      ['success', { status: 'SUCCESS', result: { n: 1 } }],
    ] as const) {
      const { harness, client } = world();
      harness.put('a');
      const answers: unknown[] = [];
      await harness.run(async (_, { token }) => {
        answers.push(
          await client.complete('a', token, { n: 1 }),
          await client.complete('a', token, { n: 2 }),
        );
        if (end === 'pending') throw new Pending();
        if (end === 'failure') throw new Error('after it was handed over');
        return new Done({ result: 'its own' });
      });
      expect(answers).toEqual(Array(2).fill({ id: 'a', accepted: true, kept: true }));
      expect(await client.get('a')).toMatchObject({ ...last, attempts: 1 });
      expect(harness.item('a')?.completion).toBeUndefined();
    }
  });

  it('is kept where it is a failure', async () => {
    const { harness, client } = world();
    harness.put('a');
    const summary = await harness.run(async (_, { token }) => {
      await client.fail('a', token, 'refused at once');
      expect(await client.complete('a', token)).toMatchObject({ reason: 'endedBefore' });
      throw new Pending();
    });
    expect(summary).toMatchObject({ attempted: 1, failed: 1, unsettled: 0 });
    expect(harness.item('a')).toMatchObject({
      attempts: 1,
      lastError: { name: 'FailedOutside', message: 'refused at once' },
    });
  });

  it('is written by the next run if the process of the attempt was lost, without another attempt', async () => {
    const { harness, client } = world();
    harness.put('a');
    expect(await client.complete('a', await lostToken(harness, 'a'), 7)).toMatchObject({ kept: true });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0, succeeded: 1 });
    expect(await client.get('a')).toMatchObject({ status: 'SUCCESS', attempts: 1, result: 7 });
  });

  it.each([
    ['of another attempt', { attempts: 1 }],
    ['from before another write', { rev: 'other' }],
    ['of other work', { payload: 'other' }],
    ['of a record that was put in its place', { rev: undefined }],
    ['that is none', { completion: { token: 'bogus' } }],
    ['of another type', { completion: 'done' }],
    ['with a hostile token', { completion: { token: { toString: 1 }, error: { name: { toString: 1 } } } }],
  ])('is left out if it is one %s', async (_, other) => {
    const { harness, client } = world();
    harness.put('a');
    expect(await client.complete('a', await lostToken(harness, 'a'))).toMatchObject({ kept: true });
    harness.store.put({ ...harness.item('a'), ...other });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 1, succeeded: 1 });
    expect(harness.item('a')?.completion).toBeUndefined();
  });

  it('of an earlier attempt that was lost leaves the present one its own outcome', async () => {
    const { harness, client } = world();
    harness.put('a');
    const summary = await harness.run(async (_, { token }) => {
      const [number, , ...state] = token.split('.');
      const lost = [number, 'abcdefghijklmnopqrstuv', ...state].join('.');
      expect(await client.complete('a', lost, 'of the lost one')).toMatchObject({ kept: true });
      return new Done({ result: 'its own' });
    });
    expect(summary).toMatchObject({ succeeded: 1, unsettled: 0 });
    expect(await client.get('a')).toMatchObject({ status: 'SUCCESS', result: 'its own' });
  });
});

it('a record whose work was changed while it waits is attempted when its wait is over, and has not failed', async () => {
  const { harness, pending } = world();
  harness.put('a', { payload: 1 });
  await harness.run(pending);
  harness.store.put({ ...harness.item('a'), payload: 2 });
  await harness.pass(3600);
  expect(await harness.run(succeed, { retry: { type: 'none' } })).toMatchObject({
    attempted: 1,
    succeeded: 1,
  });
});

it('a failure outside is judged by deadOn, as one of the attempt itself', async () => {
  const { harness, client, tokens, pending } = world();
  harness.put('a');
  await harness.run(pending);
  await client.fail('a', tokens[0] ?? '', new RangeError('no such customer'));
  expect(await harness.run(succeed, { deadOn: ['RangeError'] })).toMatchObject({ dead: 1 });
});

describe('a completion', () => {
  it('is not accepted as done for an attempt that failed outside, though a person has set the status since', async () => {
    const { harness, client } = world();
    harness.put('a');
    let given = '';
    await harness.run(async (_, { token }) => {
      given = token;
      await client.fail('a', token, 'refused');
      throw new Pending();
    });
    harness.store.put({ ...harness.item('a'), status: 'SUCCESS' });
    expect(await client.complete('a', given)).toMatchObject({ accepted: false, reason: 'succeeded' });
  });

  it('of work that was edited since is refused, and the record is attempted again', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a', { payload: { amount: 1 } });
    await harness.run(pending);
    harness.store.put({ ...harness.item('a'), payload: { amount: 2 } });
    expect(await client.complete('a', tokens[0] ?? '')).toMatchObject({
      accepted: false,
      reason: 'workChanged',
    });
    const seen: unknown[] = [];
    expect(await harness.run(({ payload }) => void seen.push(payload))).toMatchObject({ succeeded: 1 });
    expect(seen).toEqual([{ amount: 2 }]);
  });

  it('of work that was edited is refused again and again, and never ends the record', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a', { payload: { amount: 1 } });
    await harness.run(pending);
    harness.store.put({ ...harness.item('a'), payload: { amount: 2 } });
    const complete = () => client.complete('a', tokens[0] ?? '');
    expect(await complete()).toMatchObject({ reason: 'workChanged' });
    expect(await complete()).toMatchObject({ accepted: false, reason: 'oldToken' });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 1, succeeded: 1 });
  });

  it('of work that is edited during its attempt ends nothing, whichever comes first', async () => {
    for (const isFirst of [true, false]) {
      const { harness, client } = world();
      harness.put('a', { payload: 1 });
      const answers: unknown[] = [];
      const edit = () => harness.store.put({ ...harness.item('a'), payload: 2 });
      await harness.run(async (_, { token }) => {
        if (isFirst) edit();
        answers.push(await client.complete('a', token));
        if (!isFirst) edit();
      });
      expect(answers).toMatchObject([isFirst ? { reason: 'workChanged' } : { kept: true }]);
      expect(harness.item('a')).toMatchObject({ status: 'NEW', payload: 2 });
      const seen: unknown[] = [];
      await harness.run(({ payload }) => void seen.push(payload));
      expect(seen).toEqual([2]);
    }
  });

  it('whose wait is over by then is of an old attempt, and the present one can be completed early', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    await harness.run(pending);
    harness.store.put({ ...harness.item('a'), dueAt: iso(0) });
    const [old = ''] = tokens;
    expect(await client.complete('a', old)).toMatchObject({ reason: 'oldToken' });
    await harness.run(async (_, { token }) => {
      expect(await client.complete('a', old)).toMatchObject({ reason: 'oldToken' });
      expect(await client.complete('a', token, 'new')).toMatchObject({ kept: true });
      throw new Pending();
    });
    expect(await client.get('a')).toMatchObject({ status: 'SUCCESS', result: 'new' });
  });

  it('of an invented token does not end a record that was never attempted', async () => {
    const { harness, client } = world();
    harness.put('a');
    for (const token of [
      '1.abcdefghijklmnopqrstuv',
      `1.${'a'.repeat(22)}.${'b'.repeat(16)}.${'c'.repeat(8)}`,
    ])
      expect(await client.complete('a', token)).toMatchObject({ reason: 'oldToken' });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 1 });
  });

  it('holds although its handler has changed the payload that it got', async () => {
    const { harness, client } = world();
    harness.put('a', { payload: { amount: 1 } });
    let given = '';
    await harness.run(({ payload }, context) => {
      (payload as { amount: number }).amount = 7;
      given = context.token;
      throw new Pending();
    });
    expect(await client.complete('a', given)).toMatchObject({ accepted: true });
  });

  it('that was kept is accepted again after the attempt has written it', async () => {
    const { harness, client } = world();
    harness.put('a');
    let given = '';
    await harness.run(async (_, { token }) => {
      given = token;
      await client.complete('a', token);
      throw new Pending();
    });
    expect(await client.complete('a', given)).toEqual({ id: 'a', accepted: true });
  });

  it.each([
    ['of no record', 'none', '1.abcdefghijklmnopqrstuv', 'notFound'],
    ['with what is no token', 'a', 'bogus', 'oldToken'],
    ['with the token of another record', 'a', '1.abcdefghijklmnopqrstuv', 'oldToken'],
  ])('%s is refused with the reason', async (_, id, token, reason) => {
    const { harness, client, pending } = world();
    harness.put('a');
    await harness.run(pending);
    expect(await client.complete(id, token)).toEqual({ id, accepted: false, reason });
  });

  it('with a result that cannot be kept is refused, and the record waits still', async () => {
    const { harness, client, tokens, pending } = world();
    harness.put('a');
    await harness.run(pending);
    await expect(client.complete('a', tokens[0] ?? '', 'x'.repeat(1100))).rejects.toThrow(
      'complete: result: expected at most 1024 bytes of JSON, got 1102',
    );
    expect(await client.complete('a', tokens[0] ?? '')).toMatchObject({ accepted: true });
  });
});

it('a failure outside that comes early is judged by deadOn, too', async () => {
  const { harness, client } = world();
  harness.put('a');
  const summary = await harness.run(
    async (_, { token }) => {
      await client.fail('a', token, new RangeError('no such customer'));
      throw new Pending();
    },
    { deadOn: ['RangeError'] },
  );
  expect(summary).toMatchObject({ dead: 1, failed: 0 });
});

it('a wait keeps the time at which the attempt ended, also after a heartbeat', async () => {
  const { harness, client, tokens, pending } = world();
  harness.put('a');
  await harness.run(pending);
  await harness.pass(600);
  await client.heartbeat('a', tokens[0] ?? '');
  expect(harness.item('a').notBefore).toMatchObject({ pending: { since: iso(0) } });
});

it('a timeout that no attempt can have given is none', async () => {
  const { harness, client, tokens, pending } = world();
  harness.put('a');
  await harness.run(pending);
  const { notBefore } = harness.item('a') as { notBefore: { until: string; pending: object } };
  harness.put('a', {
    ...harness.item('a'),
    notBefore: { ...notBefore, pending: { ...notBefore.pending, timeout: 1e9 } },
  });
  expect(await client.heartbeat('a', tokens[0] ?? '')).toMatchObject({ accepted: false });
});

it('a success is kept for as long as its queue keeps them', async () => {
  const { harness, client } = world();
  const item = { id: 'a', status: 'NEW', payload: 1, queue: 'q', lane: 'q', rev: 'r', insertedAt: iso(0) };
  harness.put('a', outsideWaiting(item, iso(60), { retention: 3600 }));
  expect(await client.complete('a', waitingToken(item))).toMatchObject({ accepted: true });
  expect(harness.item('a').expiresAt).toBe(START / 1000 + 3600);
});

it('a result for which its item has no room is refused, and the record waits still', async () => {
  const { harness, client } = world();
  const payload = 'x'.repeat(407_500);
  const item = { id: 'a', status: 'NEW', payload, queue: 'q', lane: 'q', rev: 'r', insertedAt: iso(0) };
  harness.put('a', outsideWaiting(item, iso(60)));
  await expect(client.complete('a', waitingToken(item), 'y'.repeat(1000))).rejects.toThrow(
    'complete: the item of the record has no room for its result',
  );
  expect(await client.complete('a', waitingToken(item))).toMatchObject({ accepted: true });
});

it('an early end of a record without rev is for the process of its attempt alone', async () => {
  const { harness } = world();
  const item = {
    id: 'a',
    status: 'NEW',
    payload: 1,
    queue: 'q',
    lane: 'q',
    dueAt: iso(0),
    insertedAt: iso(0),
  };
  harness.store.put({ ...item, completion: { token: waitingToken(item), result: '1' } });
  expect(await harness.run(succeed)).toMatchObject({ attempted: 1, succeeded: 1 });
});
