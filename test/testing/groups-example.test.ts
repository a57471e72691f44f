import { expect, it } from 'vitest';
import { rows } from '../../examples/groups/put.js';
import { handler } from '../../examples/groups/rows.js';
import { testBacklog } from '../../src/testing/index.js';

it('the example of groups writes its report when the last row has ended, with the rows that were imported', async () => {
  const retry = { type: 'fibonacci', unit: 60, maxAttempts: 3 } as const;
  const backlog = testBacklog({ queues: { rows: { handler, retry }, reports: { handler } } });
  const onComplete = { queue: 'reports', payload: { to: 'sales@example.com' } };
  await backlog.groups.insert('import-7', rows('import-7', 300), { onComplete });
  await backlog.runUntilSettled();
  const reports = backlog.logs.map(({ message }) => message).filter((text) => text.startsWith('to '));
  expect(reports).toEqual(['to sales@example.com: import-7 is complete, 297 of 300 rows were imported']);
});
