import { expect, it } from 'vitest';
import { answered } from '../../examples/approvals/approve.js';
import { handler } from '../../examples/approvals/payments.js';
import { testBacklog } from '../../src/testing/index.js';

it('the example pays what is small, and what was approved, and tries what was refused again', async () => {
  const retry = { type: 'fibonacci', maxAttempts: 5 } as const;
  const backlog = testBacklog({ queues: { payments: { handler, retry } } });
  for (const amount of [20, 5000, 7000])
    await backlog.client.insert({ id: `pay-${amount}`, queue: 'payments', payload: { amount, to: 'x' } });
  await backlog.drain();
  expect(backlog.record('pay-20').status).toBe('SUCCESS');
  const [approved, refused] = [backlog.token('pay-5000'), backlog.token('pay-7000')];
  expect(await answered(backlog.client, 'pay-5000', approved, 'finance')).toBe(
    'pay-5000: approved by finance',
  );
  expect(await answered(backlog.client, 'pay-7000', refused, undefined)).toBe('pay-7000: refused');
  expect(await answered(backlog.client, 'pay-7000', approved, 'finance')).toBe('pay-7000: oldToken');
  expect(backlog.record('pay-5000')).toMatchObject({ status: 'SUCCESS', result: { by: 'finance' } });
  await backlog.advance('2m');
  expect(backlog.record('pay-7000').history[0]).toMatchObject({ message: 'not approved' });
});
