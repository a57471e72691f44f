import { describe, expect, it } from 'vitest';
import { hashOfKey } from '../../src/record/busy-keys.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import { replacing } from '../simulation/replacing.js';
import { FAIR, FairQueue, HOUR, MINUTE } from './fair-queue.js';
import { START, succeed } from './harness.js';

describe('the notes of busy keys', () => {
  it('are renewed when half of their hour is over, and not before', async () => {
    const harness = new FairQueue();
    const keys = harness.keys();
    await keys.note(['a']);
    const until = async () => (await harness.noted()).map((one) => (one.until - START) / MINUTE);
    expect(await until()).toEqual([60]);
    await harness.pass(29 * 60);
    await keys.note(['a']);
    expect(await until()).toEqual([60]);
    await harness.pass(2 * 60);
    await keys.note(['a']);
    expect(await until()).toEqual([91]);
  });

  it('are given up when they are old and their lane is empty', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b']);
    harness.put('later', { lane: 'q#30', key: 'b', dueAt: new Date(START + 5 * HOUR).toISOString() });
    await harness.pass(89 * 60);
    expect(await harness.keys().lanes(['q'])).toEqual(['q#31', 'q#30']);
    expect(await harness.keys().lanes(['q', 'q#31'])).toEqual(['q#30']);
    await harness.pass(2 * 60);
    // A record waits in the other one, for whatever time.
    expect(await harness.keys().lanes(['q'])).toEqual(['q#30']);
    expect(await harness.lanesOfKeys('a', 'b')).toEqual([undefined, 'q#30']);
    await harness.pass(5 * 3600);
    await harness.run(succeed, FAIR);
    expect(harness.item('later').status).toBe('SUCCESS');
    await harness.run(succeed, FAIR);
    expect((await harness.store.queues.read('q')).busyKeys).toBeUndefined();
  });

  it('of several processes at the same time are all kept', async () => {
    const harness = new FairQueue();
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => harness.keys().note([name])));
    expect(new Set(await harness.lanesOfKeys(...names))).toEqual(new Set(['q#31', 'q#30', 'q#29', 'q#28']));
  });

  it('of another run are kept by one that gives up a note meanwhile', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a'], START - 2 * HOUR);
    const pages = {
      query: async (query: Parameters<typeof harness.store.pages.query>[0]) => {
        await harness.noteKeys(['b']);
        // A page of the same run has it.
        keys.reads()(await harness.store.queues.read('q'));
        return harness.store.pages.query(query);
      },
    };
    const keys = harness.keys({ store: replacing({ pages }, harness.store) });
    await keys.lanes(['q']);
    expect((await harness.noted()).map(({ hash }) => hash)).toContain(hashOfKey('b'));
  });

  it('are tried five times while others write theirs, and the records go to the lanes of the queue then', async () => {
    const harness = new FairQueue();
    let tries = 0;
    const store = intercepted(harness.store, async (name, call) => {
      if (name !== 'queues.noteBusyKeys') return call();
      tries++;
      return false;
    });
    const keys = harness.keys({ store });
    await keys.note(['a']);
    expect(tries).toBe(5);
    expect(keys.laneOf({ key: 'a' })).toBeUndefined();
  });

  it('that cannot be read are no trouble of the records: the last ones that are known hold', async () => {
    const harness = new FairQueue();
    const memory = new Map();
    await harness.keys({ memory }).note(['a']);
    await harness.pass(10);
    const store = intercepted(harness.store, (name, call) => {
      if (name.startsWith('queues')) throw new StoreUnavailableError('no answer');
      return call();
    });
    const keys = harness.keys({ store, memory });
    await keys.note(['b']);
    expect(keys.laneOf({ key: 'a' })?.lane).toBe('q#31');
    expect(keys.laneOf({ key: 'b' })).toBeUndefined();
    expect(harness.warnings).toEqual(['keys could not be given lanes of their own']);
  });

  it('are read again only after five seconds', async () => {
    const harness = new FairQueue();
    let reads = 0;
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'queues.read') reads++;
      return call();
    });
    const memory = new Map();
    for (let i = 0; i < 3; i++) await harness.keys({ store, memory }).note([]);
    expect(reads).toBe(1);
    await harness.pass(6);
    await harness.keys({ store, memory }).note([]);
    expect(reads).toBe(2);
  });

  it('are none in a queue whose shards leave no lane for them', async () => {
    const harness = new FairQueue();
    let writes = 0;
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'queues.noteBusyKeys') writes++;
      return call();
    });
    await harness.keys({ store, shards: 32 }).note(['a']);
    expect(writes).toBe(0);
  });

  it.each([
    ['text that the library cannot have written', 'x,,v:a,{"a":1},'],
    ['one lane again and again', Array.from({ length: 2_000 }, () => 'v:a:zzzzzzzz').join(',')],
    ['lanes that are none', 'w:a:zzzzz,0:a:zzzzz,z:a:zzzzz'],
  ])('that are damaged stop no record: %s', async (_, text) => {
    const harness = new FairQueue();
    await harness.store.queues.noteBusyKeys('q', text, undefined);
    harness.putMany(20, 'b', 'q');
    let queries = 0;
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'pages.query') queries++;
      return call();
    });
    expect(await harness.run(succeed, { ...FAIR, store })).toMatchObject({ ended: 'drained', succeeded: 20 });
    expect(queries).toBeLessThan(10);
    await harness.keys().note(['b']);
    expect(await harness.lanesOfKeys('b')).toEqual([expect.stringMatching(/^q#3[01]$/)]);
  });
});
