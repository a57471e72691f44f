import { expect, it } from 'vitest';
import { backlogHandler } from '../../functions/index.js';
import { takePollution } from '../../src/support/prototypes.js';
import { defineTask } from '../../src/tasks/index.js';
import { backlogMatchers, perform, type TestBacklogOptions, testBacklog } from '../../src/testing/index.js';

const done: string[] = [];
const task = (name: string) =>
  defineTask({ name, perform: (_: unknown, { record }) => void done.push(record.id) });
const handler = backlogHandler({ queue: 'mails', tasks: [task('welcomeMail'), task('invoiceMail')] });
const backlogOf = (more: Partial<TestBacklogOptions> = {}) =>
  testBacklog({ queues: { mails: { handler } }, now: '2026-01-01T00:00:00Z', ...more });

it('a record whose task no handler has ends the test: the error names the task, those there are, and the nearest one', async () => {
  const backlog = backlogOf();
  await backlog.insert({ id: 'm-1', queue: 'mails', task: 'welcomMail', payload: 1 });
  await expect(backlog.drain()).rejects.toMatchObject({
    name: 'HandlerFindingError',
    findings: [{ type: 'unknownTask', id: 'm-1', queue: 'mails', attempt: 1 }],
    message:
      'the record "m-1" (queue "mails") is of the task "welcomMail", which the handler of its queue does not have: ' +
      'it was not attempted, and waits. The tasks there: "welcomeMail", "invoiceMail"; did you mean "welcomeMail"?',
  });
  expect(backlog.record('m-1')).toMatchObject({ status: 'NEW', attempts: 0 });
});

it('a record without a task is named, where the handler has tasks only', async () => {
  const backlog = backlogOf();
  await backlog.insert({ id: 'm-1', queue: 'mails', payload: 1 });
  await expect(backlog.advance('1h')).rejects.toThrow(
    'the record "m-1" (queue "mails") names no task, and the handler of its queue performs tasks only',
  );
});

it('runUntilSettled names the task at once, and attempts the others first', async () => {
  const backlog = backlogOf();
  await backlog.insert({ id: 'm-1', queue: 'mails', task: 'nothingLikeIt', payload: 1 });
  await backlog.insert({ id: 'm-2', queue: 'mails', task: 'invoiceMail', payload: 1 });
  await expect(backlog.runUntilSettled()).rejects.toThrow(/"nothingLikeIt".*"welcomeMail", "invoiceMail"$/);
  expect(backlog.record('m-2').status).toBe('SUCCESS');
  expect(backlog.now.toISOString()).toBe('2026-01-01T00:00:00.000Z');
});

it('each unknown task of a queue is reported once, however many records and minutes there are', async () => {
  const backlog = backlogOf({ throwFindings: false });
  for (const id of ['a', 'b', 'c']) await backlog.insert({ id, queue: 'mails', task: 'x', payload: 1 });
  await backlog.insert({ id: 'd', queue: 'mails', task: 'y', payload: 1 });
  await backlog.advance('2h');
  expect(backlog.findings.map(({ type, id }) => [type, id])).toEqual([
    ['unknownTask', 'a'],
    ['unknownTask', 'd'],
  ]);
});

it('with throwFindings false, what waits says why', async () => {
  const backlog = backlogOf({ throwFindings: false });
  await backlog.insert({ id: 'm-1', queue: 'mails', task: 'welcomMail', payload: 1 });
  await expect(backlog.runUntilSettled()).rejects.toThrow(
    'record "m-1" (queue "mails", task "welcomMail"): NEW, 0 attempts, 0 failures, no handler of its queue has its task',
  );
  const { message } = backlogMatchers.toHaveSucceeded.call({}, backlog.record('m-1'));
  expect(message()).toContain('no handler of its queue has its task');
});

it('a record that is moved to a queue whose handler has its task succeeds there', async () => {
  const backlog = testBacklog({
    queues: { mails: { handler }, others: { tasks: [task('x')], firstAttempt: 'scheduled' } },
    throwFindings: false,
  });
  await backlog.insert({ id: 'm-1', queue: 'mails', task: 'x', payload: 1 });
  await backlog.drain();
  await backlog.operator.move('m-1', { queue: 'others' });
  await backlog.runUntilSettled();
  expect(backlog.record('m-1').status).toBe('SUCCESS');
});

it('runUntilSettled names the queue that was probably meant', async () => {
  const backlog = backlogOf();
  await backlog.insert({ id: 'm-1', queue: 'mials', task: 'welcomeMail', payload: 1 });
  await expect(backlog.runUntilSettled()).rejects.toThrow(
    'no queue "mials", which the record "m-1" waits in: add it to "queues"; did you mean "mails"?',
  );
});

it('perform reports a process that changes its record, and one that changes Object.prototype, as a backlog does', async () => {
  const renaming = perform(
    (record) => void Object.assign(record, { id: 'other', retry: 7 }),
    {},
    { attempt: 2 },
  );
  await expect(renaming).rejects.toMatchObject({
    name: 'HandlerFindingError',
    findings: [{ type: 'changedRecord', id: 'test', queue: 'default', attempt: 2 }],
    message:
      'attempt 2 of the record "test" (queue "default") changed "id", "retry" of the record that it got. ' +
      'It is a copy, and no change of it is stored: use variables of your own',
  });
  const polluting = perform(() => {
    (Object.prototype as { isAdmin?: boolean }).isAdmin = true;
  }, {});
  await expect(polluting).rejects.toThrow('added "isAdmin" to Object.prototype');
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  expect(takePollution()).toEqual([]);
});

it('perform lets a process sort its payload, or replace it', async () => {
  const { outcome } = await perform(
    (record) => {
      (record.payload as number[]).sort();
      (record as { payload: unknown }).payload = 'read';
    },
    [2, 1],
  );
  expect(outcome).toBe('succeeded');
});
