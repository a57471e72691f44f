import { expect, it } from 'vitest';
import { backlogHandler } from '../../functions/index.js';
import { testBacklog } from '../../src/testing/index.js';

it('attempts the record of a group’s end when its last member has ended, with the counts', async () => {
  const mails: unknown[] = [];
  const rows = backlogHandler({
    process: ({ payload }) => {
      if ((payload as { i: number }).i === 2) throw new Error('refused');
    },
  });
  const mail = backlogHandler({ process: ({ payload }) => void mails.push(payload) });
  const backlog = testBacklog({
    queues: {
      rows: { handler: rows, retry: { type: 'constant', interval: 60, maxAttempts: 2 } },
      mail: { handler: mail },
    },
  });
  const rowsOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ queue: 'rows', payload: { i } }));
  await backlog.groups.insert('import', rowsOf(3), {
    onComplete: { queue: 'mail', payload: { to: 'sales' } },
  });
  await backlog.drain();
  expect(await backlog.groups.get('import')).toMatchObject({ state: 'sealed', succeeded: 2, waiting: 1 });
  expect(mails).toEqual([]);
  await backlog.runUntilSettled();
  const group = {
    id: 'import',
    complete: true,
    members: 3,
    succeeded: 2,
    dead: 1,
    cancelled: 0,
    removed: 0,
    lost: 0,
  };
  expect(mails).toEqual([{ to: 'sales', group }]);
  expect(await backlog.groups.get('import')).toMatchObject({ state: 'ended', dead: 1 });
  expect(backlog.now.getTime()).toBeLessThan(Date.now() + 3_600_000);
});
