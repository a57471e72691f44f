import { expect, it } from 'vitest';
import { BacklogClient, Pending } from '../../src/index.js';
import { perform, testBacklog } from '../../src/testing/index.js';

function approvals() {
  const tokens: string[] = [];
  const backlog = testBacklog({
    queues: {
      payments: {
        process: (_, { token }) => {
          tokens.push(token);
          throw new Pending({ timeout: '1h' });
        },
        retry: { type: 'constant', interval: '10m', maxAttempts: 2, jitter: 'none' },
      },
    },
  });
  return { backlog, tokens };
}

it('a record that was completed has succeeded, and wait says so', async () => {
  const { backlog, tokens } = approvals();
  const end = backlog.redirectClients();
  const client = new BacklogClient({ table: 'orders-backlog' });
  await client.insert({ id: 'pay-7', queue: 'payments', payload: { amount: 12 } });
  expect(await backlog.drain()).toMatchObject({ attempted: 1, pending: 1, succeeded: 0, failed: 0 });
  expect(backlog.token('pay-7')).toBe(tokens[0]);
  const waiting = client.wait('pay-7', { timeout: '1h' });
  expect(await client.heartbeat('pay-7', backlog.token('pay-7'))).toMatchObject({ accepted: true });
  expect(await client.complete('pay-7', backlog.token('pay-7'), { by: 'finance' })).toEqual({
    id: 'pay-7',
    accepted: true,
  });
  expect(await client.fail('pay-7', tokens[0] ?? '', 'too late')).toMatchObject({ reason: 'succeeded' });
  await backlog.drain();
  expect(await waiting).toMatchObject({ status: 'SUCCESS', result: { by: 'finance' } });
  expect(() => backlog.token('pay-7')).toThrow('token: it does not wait for its end from outside');
  end();
});

it('a record that nothing completes fails at its timeout, until its policy gives up', async () => {
  const { backlog, tokens } = approvals();
  await backlog.client.insert({ id: 'pay-8', queue: 'payments', payload: 1 });
  await backlog.runUntilSettled();
  expect(backlog.record('pay-8')).toMatchObject({ status: 'DEAD', lastError: { name: 'PendingTimedOut' } });
  expect(new Set(tokens).size).toBe(2);
});

it('a failed assertion says that a record waits for its end from outside', async () => {
  const { backlog } = approvals();
  await backlog.client.insert({ id: 'pay-9', queue: 'payments', payload: 1 });
  await backlog.drain();
  await expect(backlog.runUntilSettled('5m')).rejects.toThrow(/pay-9.*waits for its end from outside until/);
});

it('perform says that an attempt is pending, until when and why, and gives it a token', async () => {
  let given = '';
  const process = (_: unknown, { token }: { token: string }) => {
    given = token;
    return new Pending({ timeout: '2h', reason: 'waits for approval' });
  };
  const { outcome, waitSeconds, reason } = await perform(process, 1);
  expect({ outcome, waitSeconds, reason }).toEqual({
    outcome: 'pending',
    waitSeconds: 7200,
    reason: 'waits for approval',
  });
  expect(given).toMatch(/^1(\.[\w-]+){3}$/);
});
