import { expect, it } from 'vitest';
import { GroupWork } from '../../tools/src/console/groups/work.js';

const CHECK = { label: 'Check', since: 1 };

/** A promise that the test settles. */
function later<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Value>((onValue, onError) => {
    [resolve, reject] = [onValue, onError];
  });
  return { promise, resolve, reject };
}

/** Work whose forms wait until the test says so. */
function work() {
  const patience = later<void>();
  return { work: new GroupWork(() => patience.promise), patience };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it('a task that ends in time is the answer to its form, and is forgotten', async () => {
  const { work: tasks } = work();
  expect(await tasks.run('a', CHECK, async () => 'Checked.')).toBe('Checked.');
  expect(tasks.of('a')).toBeUndefined();
});

it('a task that fails in time fails its form', async () => {
  const { work: tasks } = work();
  await expect(tasks.run('a', CHECK, () => Promise.reject(new Error('throttled')))).rejects.toThrow(
    'throttled',
  );
  expect(tasks.of('a')).toBeUndefined();
});

it('a long task goes on behind the answer, and its end is kept', async () => {
  const { work: tasks, patience } = work();
  const task = later<string>();
  const answer = tasks.run('a', CHECK, () => task.promise);
  patience.resolve();
  expect(await answer).toBeUndefined();
  expect(tasks.of('a')).toEqual(CHECK);
  task.resolve('Checked.');
  await settled();
  expect(tasks.of('a')).toEqual({ ...CHECK, ended: { ok: true, text: 'Checked.' } });
  expect(await tasks.run('a', CHECK, async () => 'again')).toBe('again');
  expect(tasks.of('a')).toBeUndefined();
});

it('a long task that fails is kept as failed, and ends no process', async () => {
  const { work: tasks, patience } = work();
  const task = later<string>();
  const answer = tasks.run('a', CHECK, () => task.promise);
  patience.resolve();
  await answer;
  task.reject(new Error('throttled'));
  await settled();
  expect(tasks.of('a')?.ended).toEqual({ ok: false, text: 'throttled' });
});

it('a group has one task at a time, and others are not kept from theirs', async () => {
  const { work: tasks, patience } = work();
  const answer = tasks.run('a', CHECK, () => later<string>().promise);
  patience.resolve();
  await answer;
  const second = tasks.run('a', { label: 'Seal', since: 2 }, async () => 'Sealed.');
  await expect(second).rejects.toThrow('a check of this group is under way: wait for its end');
  expect(tasks.of('a')).toEqual(CHECK);
  expect(await tasks.run('b', CHECK, async () => 'Checked.')).toBe('Checked.');
});

it('ends of a hundred groups are kept, and every task that is under way', async () => {
  const { work: tasks, patience } = work();
  const waiting = later<string>();
  patience.resolve();
  await tasks.run('first', CHECK, () => later<string>().promise);
  for (let i = 0; i < 120; i++) await tasks.run(`g${i}`, CHECK, () => waiting.promise);
  waiting.resolve('Checked.');
  await settled();
  await tasks.run('last', CHECK, () => later<string>().promise);
  expect(tasks.of('first')).toEqual(CHECK);
  expect(tasks.of('g0')).toBeUndefined();
  expect(tasks.of('g119')?.ended).toMatchObject({ ok: true });
});
