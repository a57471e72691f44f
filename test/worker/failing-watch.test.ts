import { describe, expect, it } from 'vitest';
import { Dead, Done, parseFailing, Snooze } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/index.js';
import type { Process } from '../../src/worker/index.js';
import { fail, Harness, type RunChoices, succeed } from './harness.js';

const MINUTES = 10;

/** A queue `q` with records, and what its runs ask of the store for their notes. */
function queueWith(records: number) {
  const harness = new Harness();
  for (let i = 0; i < records; i++) harness.put(`r${i}`, { payload: { n: i } });
  const calls: string[] = [];
  const store = intercepted(harness.store, async (name, call) => {
    if (name.startsWith('queues.')) calls.push(name);
    return call();
  });
  const run = (process: Process, options: RunChoices = {}) => harness.run(process, { store, ...options });
  const notes = async () => parseFailing((await harness.store.queues.read('q')).failing).notes;
  /** A run in each of so many minutes. */
  const minutes = async (count: number, process: Process, options: RunChoices = {}) => {
    for (let i = 1; i < count; i++) {
      await run(process, options);
      await harness.pass(60);
    }
    return run(process, options);
  };
  return { harness, calls, run, notes, minutes };
}

const byDestination: RunChoices = { destination: ({ payload }) => `d${(payload as { n: number }).n % 2}` };
const failsAt =
  (destination: number): Process =>
  ({ payload }) => {
    if ((payload as { n: number }).n % 2 === destination) throw new Error('down');
  };

describe('what fails', () => {
  it('is in the summary of the run, with one write for each run that has touched it', async () => {
    const { calls, minutes } = queueWith(5);
    const last = await minutes(MINUTES, fail);
    expect(last.failingSeconds).toBe((MINUTES - 1) * 60);
    expect(calls.filter((call) => call === 'queues.noteFailing')).toHaveLength(MINUTES);
    expect(calls).not.toContain('queues.read');
  });

  it('is noted once a minute by a run that goes on', async () => {
    const { harness, calls, run } = queueWith(60);
    const slow: Process = async () => {
      await harness.sleep(20);
      throw new Error('down');
    };
    await run(slow, { concurrency: 5 });
    // Twelve rounds of 20 s, in pages of 5.
    expect(calls.filter((call) => call === 'queues.noteFailing').length).toBeGreaterThanOrEqual(3);
    expect(calls.filter((call) => call === 'queues.noteFailing').length).toBeLessThanOrEqual(5);
  });

  it('costs nothing while none fails, and names no destination', async () => {
    const { harness, calls, run } = queueWith(9);
    let asked = 0;
    const destination = () => `d${asked++}`;
    expect(await run(succeed, { destination })).not.toHaveProperty('failingSeconds');
    expect([asked, calls]).toEqual([0, ['queues.setRetryMode']]);
    expect((await harness.store.queues.read('q')).failing).toBeUndefined();
  });

  it('is not noted for a first attempt that fails among others that succeed', async () => {
    const { calls, run } = queueWith(9);
    await run(({ id }) => {
      if (id === 'r4') throw new Error('once');
    });
    expect(calls).toEqual(['queues.setRetryMode']);
  });

  describe('one by one, at first attempts of records that then wait for long,', () => {
    const retry = { type: 'constant', interval: 3_600 } as const;
    /** A run for each record, in one process; each fails if its letter is an f. */
    async function comeIn(letters: string, choices: RunChoices = {}) {
      const { harness, run, notes } = queueWith(0);
      const failingMemory = new Map();
      for (const [i, letter] of [...letters].entries()) {
        harness.put(`r${i}`, { payload: { n: i } });
        await run(letter === 'f' ? fail : succeed, { retry, failingMemory, ...choices });
        await harness.pass(60);
      }
      return (await notes()).map(({ group, records, evidence }) => [group, records, evidence]);
    }

    it('is noted once three have failed in one process, by destination as well', async () => {
      expect(await comeIn('ff')).toEqual([]);
      expect(await comeIn('fff')).toEqual([['', 3, 3]]);
      // The odd ones have a destination of their own.
      expect(await comeIn('sfsfsf', byDestination)).toEqual([['d1', 3, 3]]);
    });

    it('is not noted where as many succeed between them', async () => {
      expect(await comeIn('fsfsfsfs')).toEqual([]);
    });
  });

  it('counts three times at most for one record', async () => {
    const { minutes, notes } = queueWith(1);
    await minutes(MINUTES, fail, { failingMemory: new Map() });
    expect(await notes()).toMatchObject([{ records: 1, evidence: 3 }]);
  });

  it('counts three times for a record that dies at once', async () => {
    const { run, notes } = queueWith(3);
    await run(() => new Dead('HTTP 400'));
    expect(await notes()).toMatchObject([{ records: 3, evidence: 9 }]);
  });

  it('is over with successes, and the run says 0', async () => {
    const { harness, minutes, run, notes } = queueWith(5);
    await minutes(MINUTES, fail);
    await harness.pass(120);
    expect(await run(succeed)).toMatchObject({ succeeded: 5, failingSeconds: 0 });
    expect(await notes()).toEqual([]);
  });

  it('is over with successes that come again, too', async () => {
    const { harness, minutes, run, notes } = queueWith(5);
    await minutes(MINUTES, fail);
    await harness.pass(120);
    const again = () => new Done({ again: new Date(harness.time.now + 3_600_000) });
    expect(await run(again)).toMatchObject({ succeeded: 5, failingSeconds: 0 });
    expect(await notes()).toEqual([]);
  });

  it('is noted by destination while the others succeed', async () => {
    const { harness, minutes, notes } = queueWith(6);
    const half = failsAt(0);
    for (let i = 0; i < MINUTES; i++) {
      harness.put(`more${i}`, { payload: { n: 1 } });
      await minutes(2, half, byDestination);
    }
    expect((await notes()).map(({ group }) => group)).toContain('d0');
    expect((await notes()).map(({ group }) => group)).not.toContain('d1');
  });

  it('is noted for the whole queue where the handler cannot name the destination', async () => {
    const { minutes } = queueWith(5);
    const destination = () => {
      throw new Error('no name');
    };
    expect((await minutes(MINUTES, fail, { destination })).failingSeconds).toBeGreaterThan(0);
  });

  it('is not what is not ready yet', async () => {
    const { calls, minutes } = queueWith(9);
    await minutes(MINUTES, () => new Snooze(30));
    expect(calls).toEqual(['queues.setRetryMode']);
  });

  it('is not reported while the queue is paused', async () => {
    const { harness, minutes, run } = queueWith(5);
    await minutes(MINUTES, fail);
    await harness.pass(60);
    const paused: Process = async () => {
      await harness.store.queues.setPaused('q', true);
      throw new Error('still down');
    };
    await run(paused);
    await harness.pass(60);
    expect(await run(fail)).not.toHaveProperty('failingSeconds');
  });
});

describe('a note that cannot be written', () => {
  it('fails no run', async () => {
    const { harness } = queueWith(5);
    const store = intercepted(harness.store, async (name, call) => {
      if (name === 'queues.noteFailing') throw new StoreUnavailableError('no answer');
      return call();
    });
    expect(await harness.run(fail, { store })).toMatchObject({ failed: 5, ended: 'drained' });
    expect(harness.warnings).toContain('what fails could not be noted');
  });

  it('as another run has written meanwhile is written on top of that, once', async () => {
    const { harness, notes } = queueWith(5);
    let races = 0;
    const store = intercepted(harness.store, async (name, call) => {
      const { failing } = await harness.store.queues.read('q');
      if (name === 'queues.noteFailing' && races++ < 1)
        await harness.store.queues.noteFailing('q', '[0,[["d","E: m",1767225600,0,0,9,9,0,9]]]', failing);
      return call();
    });
    await harness.run(fail, { store });
    expect((await notes()).map(({ group }) => group)).toEqual(['', 'd']);
  });

  it('is counted once where a lost answer has it written twice', async () => {
    const { harness, notes } = queueWith(5);
    const store = intercepted(harness.store, async (name, call) => {
      if (name === 'queues.noteFailing') await call();
      return call();
    });
    await harness.run(fail, { store });
    expect(await notes()).toMatchObject([{ records: 5, evidence: 5 }]);
  });

  it('again and again is left to the next run', async () => {
    const { harness, run } = queueWith(5);
    let races = 0;
    const store = intercepted(harness.store, async (name, call) => {
      const { failing } = await harness.store.queues.read('q');
      if (name === 'queues.noteFailing')
        await harness.store.queues.noteFailing('q', `[${++races},[]]`, failing);
      return call();
    });
    expect(await harness.run(fail, { store })).toMatchObject({ failed: 5, ended: 'drained' });
    expect(races).toBe(2);
    await harness.pass(60);
    expect(await run(fail)).toMatchObject({ failed: 5 });
  });

  it.each(['', '[[[', '[9e99,{}]', `[0,[["${'x'.repeat(5000)}"]]]`])('is replaced: %s', async (damaged) => {
    const { harness, run, notes } = queueWith(5);
    await harness.store.queues.noteFailing('q', damaged, undefined);
    expect(await run(fail)).toMatchObject({ failed: 5, ended: 'drained' });
    expect(await notes()).toMatchObject([{ group: '', records: 5 }]);
  });
});
