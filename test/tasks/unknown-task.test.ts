import { describe, expect, it } from 'vitest';
import { defineTask, type Task, type TaskOptions } from '../../src/tasks/index.js';
import { workOf } from '../../src/tasks/work.js';
import type { RunOptions } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, type RunChoices, START, YOUNG } from '../worker/harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const done: string[] = [];
const task = (name: string, more: Partial<TaskOptions> = {}) =>
  defineTask({ ...more, name, perform: (_payload: unknown, { record }) => void done.push(record.id) });

/** A handler with these tasks at work on the queue. */
function at(harness: Harness, tasks: readonly Task[], choices: RunChoices = {}) {
  const { process, knows, decisionsFor } = workOf(tasks, undefined, 'tasks');
  return harness.run(process, { knows, decisionsFor, ...choices });
}

function counting(harness: Harness) {
  let writes = 0;
  const settle: Harness['store']['records']['settle'] = (...given) => {
    writes++;
    return harness.store.records.settle(...given);
  };
  const store = replacing({ records: { settle } }, harness.store);
  return { store, writes: () => writes };
}

describe('a record whose task its handler does not know', () => {
  it('waits 1, 1, 2, 4, 8, 10, 10, ... minutes, for as long as it takes, and is attempted once it is known', async () => {
    const harness = new Harness();
    harness.put('a', { task: 'new' });
    const dueAt: number[] = [];
    for (let minute = 0; minute < 46; minute++) {
      const { unknownTask = 0, ...summary } = await at(harness, [task('old')]);
      expect(summary).toMatchObject({ attempted: 0, failed: 0, dead: 0, snoozed: 0, skipped: 0 });
      if (unknownTask > 0) dueAt.push((Date.parse(String(harness.item('a').dueAt)) - START) / 60_000);
      await harness.pass(60);
    }
    expect(dueAt).toEqual([1, 2, 4, 8, 16, 26, 36, 46]);
    expect(harness.item('a')).toMatchObject({ status: 'NEW', unknownTaskSince: iso(0) });
    expect(harness.item('a')).not.toHaveProperty('attempts');
    expect(await at(harness, [task('old'), task('new')])).toMatchObject({ attempted: 1, succeeded: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
    expect(harness.item('a')).not.toHaveProperty('unknownTaskSince');
  });

  it('costs one write each time it is met, and is reported once in a run by its name', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'c']) harness.put(id, { task: 'new' });
    harness.put('d');
    const { store, writes } = counting(harness);
    expect(await at(harness, [task('old')], { store })).toMatchObject({ unknownTask: 4, ended: 'drained' });
    expect(writes()).toBe(4);
    const warnings = harness.warnings.filter((text) => text.startsWith('no task'));
    expect(warnings).toHaveLength(2);
    expect(await at(harness, [task('old')], { store })).not.toHaveProperty('unknownTask');
    expect(writes()).toBe(4);
  });

  it('is not left to the handler of records without a task', async () => {
    const harness = new Harness();
    harness.put('a', { task: 'new' });
    harness.put('b');
    const seen: string[] = [];
    const { process, knows, decisionsFor } = workOf([task('old')], ({ id }) => void seen.push(id), 'tasks');
    const summary = await harness.run(process, { knows, decisionsFor });
    expect(summary).toMatchObject({ succeeded: 1, unknownTask: 1 });
    expect(seen).toEqual(['b']);
  });

  it('keeps none of the others, nor their limit', async () => {
    const harness = new Harness();
    for (let i = 0; i < 30; i++) harness.put(`new-${i}`, { task: 'new', dueAt: iso(-60) });
    for (let i = 0; i < 30; i++) harness.put(`old-${i}`, { task: 'old' });
    expect(await at(harness, [task('old')], { maxRecords: 30 })).toMatchObject({
      succeeded: 30,
      unknownTask: 30,
    });
  });

  it('that has just come is indexed, and gets its first attempt by the rule', async () => {
    const harness = new Harness();
    harness.store.put({ id: 'a', status: 'NEW', queue: 'q', task: 'new', payload: 1 });
    const arrivals = { batch: 'b', ids: ['a'] };
    expect(await at(harness, [task('old')], { arrivals })).toMatchObject({ attempted: 0, unknownTask: 1 });
    expect(harness.item('a')).toMatchObject({ lane: 'q', dueAt: iso(60), insertedAt: iso(0) });
    await harness.pass(60);
    expect(await at(harness, [task('new')])).toMatchObject({ succeeded: 1 });
  });

  it('waits on a progressive queue from turn to turn', async () => {
    const harness = new Harness();
    harness.put('a', { task: 'new' });
    expect(await at(harness, [task('old')], { band: YOUNG })).toMatchObject({ unknownTask: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', dueAt: iso(0), notBefore: iso(60) });
    await harness.pass(300);
    expect(await at(harness, [task('new')], { band: YOUNG })).toMatchObject({ succeeded: 1 });
  });

  it('is not given up as too old meanwhile: it still gets an attempt by a function that knows it', async () => {
    const harness = new Harness();
    const retry = { type: 'constant', interval: 60, jitter: 'none', maxAge: 3600 } as const;
    harness.put('a', {
      task: 'new',
      attempts: 1,
      failures: 1,
      lastAttemptAt: iso(-60),
      lastFailureAt: iso(-60),
    });
    for (let minute = 0; minute < 120; minute++) {
      await at(harness, [task('old')], { retry });
      await harness.pass(60);
    }
    expect(harness.item('a')).toMatchObject({ status: 'NEW' });
    await harness.pass(600);
    expect(await at(harness, [task('new')], { retry })).toMatchObject({ succeeded: 1 });
  });

  it('is given up by a handler that knows it, if it was too old when it was first met', async () => {
    const harness = new Harness();
    const retry = { type: 'constant', interval: 60, jitter: 'none', maxAge: 60 } as const;
    const failed = { attempts: 1, failures: 1, lastAttemptAt: iso(-90), lastFailureAt: iso(-90) };
    harness.put('a', { task: 'new', insertedAt: iso(-100), ...failed });
    expect(await at(harness, [task('old')], { retry })).toMatchObject({ unknownTask: 1, dead: 0 });
    await harness.pass(60);
    expect(await at(harness, [task('new')], { retry })).toMatchObject({ attempted: 0, dead: 1 });
  });

  it('is known by an earlier name, too', async () => {
    const harness = new Harness();
    harness.put('a', { task: 'mail' });
    expect(await at(harness, [task('send-mail', { previousNames: ['mail'] })])).toMatchObject({
      succeeded: 1,
    });
  });

  it('may be named as an attribute of every object is', async () => {
    const harness = new Harness();
    for (const name of ['constructor', '__proto__', 'toString']) harness.put(name, { task: name });
    expect(await at(harness, [task('old')])).toMatchObject({ unknownTask: 3, attempted: 0 });
    await harness.pass(60);
    const tasks = ['constructor', '__proto__', 'toString'].map((name) => task(name));
    expect(await at(harness, tasks)).toMatchObject({ succeeded: 3 });
  });

  it('is left to the run that knows it where two handlers share a queue, and none is lost', async () => {
    const harness = new Harness();
    for (let i = 0; i < 20; i++) harness.put(`r-${i}`, { task: i % 2 ? 'one' : 'two' });
    const handlers = [[task('one')], [task('two')]];
    for (let i = 0; i < 60 && harness.statuses().NEW; i++) {
      await at(harness, handlers[i % 2] as Task[]);
      await harness.pass(60);
    }
    expect(harness.statuses()).toEqual({ SUCCESS: 20 });
  });

  it('stays where it is when the function that decides is broken, which the log reports', async () => {
    const harness = new Harness();
    harness.put('a', { task: 'new' });
    const knows: RunOptions['knows'] = () => {
      throw new TypeError('broken');
    };
    expect(await harness.run(() => {}, { knows })).toMatchObject({ succeeded: 1 });
    expect(harness.warnings).toContain('knows threw');
  });
});
