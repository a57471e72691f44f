import { describe, expect, it } from 'vitest';
import { Done } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import type { Process, RunSummary } from '../../src/worker/index.js';
import { fail, Harness, START, succeed } from './harness.js';

const successesOf = async ({ store }: Harness) => [...(await store.control.read()).successes];

/** The calls of the store that a run makes, in order. */
async function callsOf(harness: Harness, run: (store: Harness['store']) => Promise<RunSummary>) {
  const calls: string[] = [];
  const store = intercepted(harness.store, (name, call) => {
    calls.push(name);
    return call();
  });
  await run(store as Harness['store']);
  return calls;
}

describe('the latest success of a queue', () => {
  it('comes with the writes of a run that are made anyway, and stays while runs fail or find nothing', async () => {
    const harness = new Harness();
    const runOf = (process: Process) => callsOf(harness, (store) => harness.run(process, { store }));
    harness.put('first');
    await harness.run(fail);
    harness.put('bad');
    const calls = await runOf(fail);
    expect(await successesOf(harness)).toEqual([]);
    harness.put('good');
    expect((await runOf(succeed)).filter((name) => name !== 'queues.noteFailing')).toEqual(
      calls.filter((name) => name !== 'queues.noteFailing'),
    );
    expect(await successesOf(harness)).toEqual([['q', START]]);
    await harness.pass(60);
    await runOf(fail);
    expect(await runOf(succeed)).toEqual(['pages.query']);
    expect(await successesOf(harness)).toEqual([['q', START]]);
  });

  it('is also that of a record that comes again', async () => {
    const harness = new Harness();
    harness.put('a');
    await harness.run(() => new Done({ again: new Date(START + 3_600_000) }));
    expect(await successesOf(harness)).toEqual([['q', START]]);
  });

  it('comes with each page of a long run', async () => {
    const harness = new Harness();
    for (let i = 0; i < 150; i++) harness.put(`r${String(i).padStart(3, '0')}`);
    let [made, seen]: [number, unknown] = [0, undefined];
    await harness.run(async () => {
      if (++made === 150) seen = await successesOf(harness);
    });
    expect(seen).toEqual([['q', START]]);
  });

  it('comes with the end of the claim under which first attempts are made', async () => {
    const harness = new Harness();
    for (const [id, process] of [
      ['a', fail],
      ['b', succeed],
      ['c', fail],
    ] as const) {
      harness.store.put({ id, status: 'NEW', queue: 'q', payload: {} });
      await harness.run(process, { arrivals: { batch: id, ids: [id] } });
      expect(await successesOf(harness)).toEqual(id === 'a' ? [] : [['q', START + 1000]]);
      await harness.pass(1);
    }
  });
});
