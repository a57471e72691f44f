import { describe, expect, it, vi } from 'vitest';
import { BacklogClient, ConfigurationError, InvalidRecordError, Pending } from '../../src/index.js';
import { Tables } from '../../src/operate/tables.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, START, succeed } from '../worker/harness.js';
import { operatorOf } from './support.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** A harness with the record `a`, which waits for its end from outside, and the tokens that its attempts had. */
async function waiting() {
  const harness = new Harness();
  const tokens: string[] = [];
  const pending: Process = (_, { token }) => {
    tokens.push(token);
    throw new Pending({ timeout: '1h', reason: 'waits for approval' });
  };
  harness.put('a');
  await harness.run(pending);
  return { harness, pending, tokens, operator: operatorOf(harness) };
}

describe('a record that waits for its end from outside', () => {
  it('is completed by its id, with a result', async () => {
    const { harness, operator, tokens } = await waiting();
    expect(await operator.complete('a', { result: { by: 'finance' } })).toEqual({ id: 'a', accepted: true });
    expect(harness.item('a')).toMatchObject({
      status: 'SUCCESS',
      attempts: 1,
      result: '{"by":"finance"}',
      rev: tokens[0],
    });
    // The service that has the token comes too late.
    const client = new BacklogClient({
      table: 'any',
      clock: harness.clock,
      store: harness.store as never,
    });
    expect(await client.fail('a', tokens[0] ?? '', 'no')).toMatchObject({ reason: 'succeeded' });
    expect(await operator.complete('a')).toEqual({ id: 'a', accepted: false, reason: 'succeeded' });
  });

  it('fails by its id, as its handler would have failed', async () => {
    const { harness, operator } = await waiting();
    expect(await operator.fail('a', { error: 'not approved' })).toEqual({ id: 'a', accepted: true });
    expect(await operator.fail('a', { error: 'not approved' })).toEqual({ id: 'a', accepted: true });
    expect(await operator.complete('a')).toMatchObject({ accepted: false, reason: 'endedBefore' });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0, failed: 1 });
    expect(harness.item('a')).toMatchObject({
      status: 'ERROR',
      lastError: { name: 'FailedOutside', message: 'not approved' },
    });
  });

  it('is attempted again at once when its payload is edited, also at the end of its wait', async () => {
    const { harness, operator, tokens } = await waiting();
    await harness.pass(3590);
    expect(await operator.editPayload(['a'], { payload: { amount: 2 } })).toMatchObject({ changed: 1 });
    expect(await operator.complete('a', { token: tokens[0] })).toMatchObject({ reason: 'oldToken' });
    const seen: unknown[] = [];
    await harness.run(({ payload }) => void seen.push(payload));
    expect(seen).toEqual([{ amount: 2 }]);
  });

  it('waits for longer, for the timeout of its attempt or another time', async () => {
    const { harness, operator } = await waiting();
    await harness.pass(600);
    expect(await operator.heartbeat('a')).toEqual({ id: 'a', accepted: true });
    expect(harness.item('a')).toMatchObject({ dueAt: iso(4199.998), notBefore: { until: iso(4199.998) } });
    expect(await operator.heartbeat('a', { timeout: '2d' })).toMatchObject({ accepted: true });
    expect(harness.item('a')).toMatchObject({ dueAt: iso(600 + 2 * 86_400 - 0.002) });
  });

  it('is ended by the token that is given, and by no older one', async () => {
    const { harness, operator, pending, tokens } = await waiting();
    await harness.pass(3600);
    await harness.run(pending);
    await harness.pass(3600);
    await harness.run(pending);
    const [first = '', second = ''] = tokens;
    expect(await operator.complete('a', { token: first })).toMatchObject({ reason: 'oldToken' });
    expect(await operator.complete('a', { token: second })).toMatchObject({ accepted: true });
  });

  it('is not ended for an attempt that began after the record was read', async () => {
    const { harness, pending } = await waiting();
    const wrote = { done: false };
    const store = replacing(
      {
        records: {
          change: async (...args) => {
            // Its time is up, and the next attempt waits when the operator writes.
            if (!wrote.done) {
              wrote.done = true;
              await harness.pass(3600);
              await harness.run(pending);
              await harness.pass(3600);
              await harness.run(pending);
            }
            return harness.store.records.change(...args);
          },
        },
      },
      harness.store,
    );
    const operator = operatorOf(harness, store);
    expect(await operator.complete('a')).toEqual({ id: 'a', accepted: false, reason: 'oldToken' });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', attempts: 1 });
  });
});

it.each([
  ['new', { status: 'NEW' }, 'notWaiting'],
  ['a success without rev', { status: 'SUCCESS', rev: undefined, lastAttemptAt: iso(0) }, 'succeeded'],
  ['put off', { notBefore: iso(600) }, 'notWaiting'],
  [
    'of a foreign wait',
    { notBefore: { until: iso(600), pending: { token: 'x', timeout: -1 } } },
    'notWaiting',
  ],
  ['done', { status: 'SUCCESS', lane: undefined, dueAt: undefined }, 'succeeded'],
  ['dead', { status: 'DEAD', lane: 'q/dead' }, 'dead'],
  ['absent', undefined, 'notFound'],
])('a record that is %s has no end from outside without a token', async (_, attributes, reason) => {
  const harness = new Harness();
  if (attributes) harness.put('a', attributes);
  const before = harness.store.items();
  const operator = operatorOf(harness);
  for (const call of [operator.complete('a'), operator.fail('a', { error: 'x' }), operator.heartbeat('a')]) {
    expect(await call).toEqual({ id: 'a', accepted: false, reason });
  }
  expect(harness.store.items()).toEqual(before);
});

it('wrong options are refused, and nothing is changed', async () => {
  const { harness, operator } = await waiting();
  const before = harness.item('a');
  for (const [call, message] of [
    [() => operator.complete(''), /complete: id: /],
    [() => operator.complete('a', { token: '' }), /complete.token/],
    [() => operator.complete('a', { resutl: 1 } as never), /unknown option "resutl"; did you mean "result"/],
    [() => operator.fail('a', {} as never), /fail.error: expected an error, or its message/],
    [() => operator.fail('a', { error: '' }), /fail.error: expected an error, or its message/],
    [() => operator.heartbeat('a', { timeout: 0 }), /heartbeat.timeout/],
    [() => operator.heartbeat('a', { timeout: '400d' }), /heartbeat.timeout/],
  ] as const) {
    await expect(call()).rejects.toThrow(ConfigurationError);
    await expect(call()).rejects.toThrow(message);
  }
  await expect(operator.complete('a', { result: 'x'.repeat(2_000) })).rejects.toThrow(InvalidRecordError);
  expect(harness.item('a')).toEqual(before);
});

it('is refused in a region that is not the active one', async () => {
  const { harness, operator } = await waiting();
  vi.spyOn(Tables.prototype, 'isPassive').mockResolvedValue(true);
  await expect(operator.complete('a')).rejects.toThrow('expected the region that attempts the records');
  expect(harness.item('a')).toMatchObject({ status: 'NEW' });
  vi.restoreAllMocks();
});
