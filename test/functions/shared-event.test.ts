import { describe, expect, it } from 'vitest';
import { backlogHandler } from '../../functions/index.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { run } from '../../src/worker/index.js';
import { context, TIER_1, workbench } from './support.js';

const NAMES = Array.from({ length: 20 }, (_, i) => `q${i}`);
const weights = Object.fromEntries(NAMES.map((name) => [name, 1]));
const settings = (of: QueuesSettings[string]): QueuesSettings =>
  Object.fromEntries(NAMES.map((name) => [name, of]));
const PER_RECORD = settings({ retryMode: 'perRecord' });

/** A workbench with three records in each queue. */
async function benchWithRecords(queues: QueuesSettings) {
  const bench = workbench(queues);
  for (const queue of NAMES) {
    for (const n of [1, 2, 3]) await bench.insert({ id: `${queue}-${n}`, queue, lane: queue });
  }
  return bench;
}
type Bench = Awaited<ReturnType<typeof benchWithRecords>>;

const queueOf = (id: unknown) => String(id).replace(/-.*/, '');
/** The queues all of whose records have succeeded. */
const doneOf = ({ store }: Bench) =>
  NAMES.filter((name) =>
    store
      .items()
      .filter(({ id }) => queueOf(id) === name)
      .every(({ status }) => status === 'SUCCESS'),
  );
const without = (...names: string[]) => NAMES.filter((name) => !names.includes(name));

describe('an event that twenty queues share', () => {
  it.each([
    ['that retry per record', PER_RECORD, {}],
    ['in one tier', settings({ retryMode: 'progressive' }), { tier: TIER_1 }],
  ])('has the records of all of them attempted in one run: queues %s', async (_, queues, shared) => {
    const bench = await benchWithRecords(queues);
    const handler = backlogHandler({ process: () => {}, ...bench.overrides });
    const summary = await handler({ queues: weights, ...shared }, context);
    expect(summary).toMatchObject({ attempted: 60, succeeded: 60 });
    expect(summary.queues?.map(({ queue }) => queue)).toEqual(NAMES);
    expect(bench.measured).toHaveLength(20);
  });

  it('leaves out none of the others where the run of one fails, and fails when all have ended', async () => {
    const bench = await benchWithRecords(PER_RECORD);
    const handler = backlogHandler({
      process: () => {},
      ...bench.overrides,
      run: async (options, deps) => {
        if (options.target.queue === 'q7') throw new TypeError('a mistake');
        return run(options, deps);
      },
    });
    await expect(handler({ queues: weights }, context)).rejects.toThrow('a mistake');
    expect(doneOf(bench)).toEqual(without('q7'));
    expect(bench.measured).toHaveLength(19);
    expect(bench.log().filter(({ message }) => message === 'run failed')).toHaveLength(1);
  });

  it('leaves out none of the others where the settings of one are wrong, or it is gone', async () => {
    const bench = await benchWithRecords({ ...PER_RECORD, q3: { retryMode: 'progressive' } });
    const handler = backlogHandler({ process: () => {}, ...bench.overrides });
    const event = { queues: { gone: 1, ...weights } };
    await expect(handler(event, context)).rejects.toThrow('expected a queue of BACKLOG_QUEUES');
    expect(doneOf(bench)).toEqual(without('q3'));
    const refusals = bench.log().filter(({ message }) => message === 'run failed');
    expect(refusals.map(({ error }) => (error as Error).message.split(':')[0])).toEqual([
      'event.queue',
      'event.tier',
    ]);
  });

  it('leaves out none of the others where every attempt of one fails, hangs, or its record is hostile', async () => {
    const queues = { ...PER_RECORD, q5: { retryMode: 'perRecord', attemptTimeout: 0.05 } } as const;
    const bench = await benchWithRecords(queues);
    await bench.insert({
      id: 'q9-hostile',
      queue: 'q9',
      lane: 'q9',
      attempts: 'x'.repeat(99),
      dueAt: '\u0000',
    });
    const handler = backlogHandler({
      process: ({ id }, { signal }) => {
        if (queueOf(id) === 'q4') throw new Error('down');
        if (queueOf(id) !== 'q5') return undefined;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      ...bench.overrides,
    });
    await handler({ queues: weights }, context);
    expect(doneOf(bench)).toEqual(expect.arrayContaining(without('q4', 'q5', 'q9')));
    const attempted = bench.store.items().filter(({ attempts }) => Number(attempts) > 0);
    expect(new Set(attempted.map(({ id }) => queueOf(id)))).toEqual(new Set(NAMES));
  });

  it('fails the invocation where DynamoDB does not answer for one, and measures all', async () => {
    const bench = await benchWithRecords(PER_RECORD);
    const handler = backlogHandler({
      process: () => {},
      ...bench.overrides,
      run: async (options, deps) => {
        const summary = await run(options, deps);
        return options.target.queue === 'q1' ? { ...summary, ended: 'storeError' } : summary;
      },
    });
    await expect(handler({ queues: weights }, context)).rejects.toThrow('the run ended early');
    expect(doneOf(bench)).toEqual(NAMES);
    expect(bench.measured).toHaveLength(20);
  });

  it('costs one query for each queue while nothing is due', async () => {
    const bench = workbench(PER_RECORD);
    const requests: string[] = [];
    const store = intercepted(bench.store, (name, call) => {
      requests.push(name);
      return call();
    });
    const handler = backlogHandler({ process: () => {}, ...bench.overrides, store });
    // At this minute of the day, no queue looks into the lanes of earlier shards.
    bench.clock.advance(60);
    await handler({ queues: weights }, context);
    // At its start a process reads what fails.
    expect(requests.filter((name) => name === 'queues.read')).toHaveLength(NAMES.length);
    requests.length = 0;
    bench.clock.advance(60);
    await handler({ queues: weights }, context);
    expect(requests).toEqual(NAMES.map(() => 'pages.query'));
  });
});
