import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { AttemptContext, Process } from '../../src/worker/index.js';
import type { RunChoices } from './harness.js';
import { Harness, START, succeed } from './harness.js';

/** A run that is told to end three seconds after its start. */
async function stopped(
  work: (harness: Harness, context: AttemptContext) => Promise<void>,
  choices: RunChoices = {},
) {
  const harness = new Harness();
  for (let i = 0; i < 40; i++) harness.put(`r${i}`);
  const stop = new AbortController();
  harness.time.after(3_000, () => stop.abort());
  let begun = 0;
  const process: Process = (_, context) => {
    begun++;
    return work(harness, context);
  };
  const summary = await harness.run(process, { stop: stop.signal, ...choices });
  return { harness, summary, begun, tookMs: harness.time.now - START };
}

describe('a run whose process is to end', () => {
  it('begins no attempt any more, waits a moment for those under way, and gives its lease back', async () => {
    const { harness, summary, begun, tookMs } = await stopped((h) => h.sleep(1.05));
    expect(summary).toMatchObject({ ended: 'stopped', succeeded: 30, failed: 0 });
    expect(begun).toBe(30);
    expect(tookMs).toBe(3_150);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 10, ended: 'drained' });
  });

  it('tells those that last longer, which is no failure of theirs', async () => {
    const { harness, summary, begun, tookMs } = await stopped(
      (h, { signal }) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          void h.sleep(20).then(resolve);
        }),
    );
    expect(begun).toBe(10);
    expect(summary).toMatchObject({ ended: 'stopped', attempted: 10, failed: 0, snoozed: 10 });
    expect(tookMs).toBe(3_200);
    expect(harness.statuses()).toEqual({ NEW: 40 });
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 40, ended: 'drained' });
  });

  it('gives those up that do not listen, to be attempted when the process is surely gone', async () => {
    const { harness, summary, tookMs } = await stopped((h) => h.sleep(20));
    expect(summary).toMatchObject({ ended: 'stopped', failed: 0, snoozed: 10 });
    expect(tookMs).toBeLessThan(4_000);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 30 });
    await harness.pass(61);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 10 });
  });

  it('leaves nothing on the signal, which lives as long as the process', async () => {
    const harness = new Harness();
    const { signal } = new AbortController();
    for (let i = 0; i < 40; i++) harness.put(`r${i}`);
    await harness.run((_, context) => harness.sleep(context.attempt), {
      stop: signal,
      attemptsPerSecond: 20,
    });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does not wait for its next turn', async () => {
    const { summary, tookMs } = await stopped(async () => {}, { attemptsPerSecond: 0.1 });
    expect(summary).toMatchObject({ ended: 'stopped', attempted: 1, succeeded: 1 });
    expect(tookMs).toBe(3_000);
  });

  it('gives what has just come its place', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 40 }, (_, i) => `n${i}`);
    for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: {} });
    const stop = new AbortController();
    harness.time.after(1_000, () => stop.abort());
    const slow: Process = () => harness.sleep(0.9);
    const summary = await harness.run(slow, { stop: stop.signal, arrivals: { batch: 'b', ids } });
    expect(summary).toMatchObject({ ended: 'stopped', leftOver: 20 });
    expect(harness.store.items().every(({ lane, status }) => lane === 'q' || status === 'SUCCESS')).toBe(
      true,
    );
    expect(await harness.run(succeed)).toMatchObject({ ended: 'drained' });
    await harness.pass(61);
    await harness.run(succeed);
    expect(harness.statuses()).toEqual({ SUCCESS: 40 });
  });
});

it.each<[string, RunChoices]>([
  ['as fast as it can', {}],
  ['at a pace', { attemptsPerSecond: 100 }],
  ['within a limit of all runs', { globalConcurrency: 100 }],
])('a run of many attempts at once, %s, has Node.js warn of no leak', async (_, choices) => {
  const warned: string[] = [];
  const note = ({ message }: Error) => void warned.push(message);
  process.on('warning', note);
  const harness = new Harness();
  for (let i = 0; i < 60; i++) harness.put(`r${i}`);
  const stop = new AbortController();
  await harness.run(() => harness.sleep(1), { concurrency: 30, stop: stop.signal, ...choices });
  // Node.js emits warnings in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warned.filter((message) => message.includes('listeners'))).toEqual([]);
});
