import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/errors.js';
import { numbers, OneLine } from './one-line.js';

const DISCARDED = { status: 'DEAD', deadReason: 'discarded' };

async function discard(line: OneLine, seqs: readonly number[]): Promise<void> {
  for (const seq of seqs) line.put(`${seq}`, seq, DISCARDED);
  await line.take(seqs.map((seq) => line.change(`${seq}`)));
}

describe('records that have ended behind a missing number', () => {
  it('are passed permanently, more of them than one look reads, too', async () => {
    const line = new OneLine();
    await line.come(...numbers(2, 500));
    await discard(line, numbers(2, 490));
    const { turn, looks } = await line.lookOn(await line.look('491'));
    expect(looks).toBeLessThan(5);
    expect(turn.later).toEqual({ id: '491', seconds: 120 });
    line.now += 120_000;
    expect((await line.look('491')).start?.id).toBe('491');
  });

  it('are not missed when that number has come', async () => {
    const line = new OneLine();
    line.rules = { ...line.rules, skipGapAfter: undefined };
    await line.come(...numbers(2, 500));
    await discard(line, numbers(2, 490));
    await line.lookOn(await line.look('491'));
    expect((await line.come(1)).start?.id).toBe('1');
    expect((await line.lookOn(await line.end('1'))).turn.start?.id).toBe('491');
  });

  it('have their turn when they come back', async () => {
    const line = new OneLine();
    await line.come(...numbers(2, 500));
    await discard(line, numbers(2, 490));
    await line.lookOn(await line.look('491'));
    await line.come(300);
    line.now += 120_000;
    expect((await line.look('491')).start?.id).toBe('300');
  });

  it('have their turn when they come back as another process has just passed them', async () => {
    const line = new OneLine();
    await line.come(...numbers(2, 500));
    await discard(line, numbers(2, 490));
    line.before = async (method, key) => {
      if (method !== 'write' || key !== 'line#q#k' || (await line.line()).gapSince === null) return;
      line.before = () => {};
      await line.come(20);
    };
    await line.lookOn(await line.look('491'));
    line.now += 120_000;
    expect((await line.look('491')).start?.id).toBe('20');
  });
});

describe('numbers that begin far away', () => {
  it('are taken from the lowest one on, however many wait', async () => {
    const line = new OneLine();
    for (let from = 50_000; from < 54_000; from += 100) await line.come(...numbers(from, from + 99));
    line.now += 120_000;
    expect((await line.look('53999')).start?.id).toBe('50000');
    expect((await line.end('50000')).start?.id).toBe('50001');
  });

  it('are taken from the lowest one on, if that comes last', async () => {
    const line = new OneLine();
    for (let from = 53_900; from >= 50_000; from -= 100) await line.come(...numbers(from, from + 99));
    line.now += 120_000;
    expect((await line.look('53999')).start?.id).toBe('50000');
  });

  it('are found in one look in the middle of a line', async () => {
    const line = new OneLine();
    await line.come(1, 2, 9_000_000_000_000_000);
    await line.end('1');
    expect((await line.end('2')).later).toEqual({ id: '9000000000000000', seconds: 120 });
    line.now += 120_000;
    expect((await line.look('9000000000000000')).start?.id).toBe('9000000000000000');
    await line.come(3, 900_000);
    expect((await line.end('9000000000000000')).start?.id).toBe('3');
    expect((await line.lookOn(await line.end('3'))).looks).toBeGreaterThan(100);
  });
});

describe('a record that comes back to a number long past', () => {
  it('keeps the line for one look', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    await line.end('1');
    await line.end('2');
    await line.come(1_000_000);
    line.now += 120_000;
    await line.look('1000000');
    await line.come(1_000_001);
    line.put('1', 1);
    await line.take([line.change('1')]);
    expect((await line.end('1000000')).start?.id).toBe('1');
    const { turn, looks } = await line.lookOn(await line.end('1'));
    expect([turn.start?.id, looks]).toEqual(['1000001', 0]);
  });

  it.each(['read', 'remove'] as const)('keeps its page, which is just removed (%s)', async (step) => {
    const line = new OneLine();
    await line.come(...numbers(1, 17));
    for (const seq of numbers(1, 14)) await line.end(`${seq}`);
    line.put('5', 5);
    let hasPassed = false;
    line.before = async (method, key) => {
      if (method === 'write' && key === 'line#q#k') hasPassed = true;
      if (!hasPassed || method !== step || !key.startsWith('line-page#0')) return;
      line.before = () => {};
      await line.take([line.change('5')]);
    };
    expect((await line.end('15')).start?.id).toBe('16');
    expect((await line.end('16')).start?.id).toBe('5');
  });

  it('is found though its page has passed', async () => {
    const line = new OneLine();
    await line.come(...numbers(1, 20));
    for (const seq of numbers(1, 18)) await line.end(`${seq}`);
    expect(await line.page(0)).toBeUndefined();
    await line.come(5);
    expect((await line.end('19')).start?.id).toBe('5');
    expect((await line.end('5')).start?.id).toBe('20');
  });
});

describe('many records with one number', () => {
  it('have their turns one after another', async () => {
    const line = new OneLine();
    const ids = numbers(100, 450).map((n) => `twin ${n}`);
    for (const id of ids) line.put(id, 1);
    let turn = await line.take(ids.map((id) => line.change(id)));
    const seen: (string | undefined)[] = [];
    for (; turn.start && seen.length < 1_000; ) {
      seen.push(turn.start.id);
      turn = (await line.lookOn(await line.end(turn.start.id))).turn;
    }
    expect(seen.sort()).toEqual(ids);
  });

  it('fill a page, which takes no more then, and says so', async () => {
    const line = new OneLine();
    await line.come(1);
    for (let at = 0; at < 11; at++) {
      const ids = numbers(1, 100).map((n) => `${at} ${n}`);
      for (const id of ids) line.put(id, 2);
      await line.take(ids.map((id) => line.change(id)));
    }
    expect((await line.page(0))?.waiting).toHaveLength(2_000);
    expect(line.errors).toHaveLength(1);
    const large = numbers(1, 100).map((n) => `${n} ${'x'.repeat(2_040)}`);
    for (const id of large) line.put(id, 100);
    await line.take(large.map((id) => line.change(id)));
    expect(JSON.stringify(await line.page(6)).length).toBeLessThan(210_000);
  });
});

describe('records behind a dead one', () => {
  const cancelling = async (count: number) => {
    const line = new OneLine();
    line.rules = { ...line.rules, onDeadHead: 'cancel' };
    await line.come(...numbers(1, count));
    const turn = await line.end('1', { status: 'DEAD', deadReason: 'maxAttempts' });
    return { line, ...(await line.lookOn(turn)) };
  };
  const statuses = (line: OneLine) => new Set(line.store.items().map(({ status }) => status));

  it('are all cancelled, and the next one is not', async () => {
    const { line, looks } = await cancelling(650);
    expect(looks).toBeLessThan(10);
    expect(statuses(line)).toEqual(new Set(['DEAD']));
    expect(line.record('650')?.deadReason).toMatch(/^cancelled: /);
    expect(await line.line()).toMatchObject({ next: 651, head: null, cancelTo: null });
    expect((await line.come(651)).start?.id).toBe('651');
    expect(await line.page(30)).toBeUndefined();
  });

  it('have their turn when they are brought back, with a number missing behind them', async () => {
    const { line } = await cancelling(5);
    await line.come(7);
    line.put('3', 3);
    expect((await line.take([line.change('3')])).start?.id).toBe('3');
  });

  it('have their turn when they are brought back, while others are cancelled', async () => {
    const line = new OneLine();
    line.rules = { ...line.rules, onDeadHead: 'cancel' };
    await line.come(...numbers(1, 650));
    const { later } = await line.end('1', { status: 'DEAD', deadReason: 'maxAttempts' });
    expect(later?.seconds).toBe(0);
    line.put('1', 1);
    expect((await line.take([line.change('1')])).start?.id).toBe('1');
    expect(line.record('1')?.status).toBe('NEW');
    expect((await line.lookOn(await line.end('1'))).turn.start).toBeUndefined();
    expect(line.record('650')?.status).toBe('DEAD');
  });

  it('have their turn if they have no room for the mark', async () => {
    const line = new OneLine();
    line.rules = { ...line.rules, onDeadHead: 'cancel' };
    await line.come(1, 2, 3);
    line.store.records.settle = async () => {
      throw new StoreError('Item size has exceeded the maximum');
    };
    expect((await line.end('1', { status: 'DEAD', deadReason: 'maxAttempts' })).start?.id).toBe('2');
    expect(line.errors).toHaveLength(1);
  });
});

it('a record that cannot be read holds up no other one', async () => {
  const line = new OneLine();
  await line.come(1, 2, 3);
  const get = line.store.records.get.bind(line.store.records);
  line.store.records.get = async (id) => {
    if (id === '2') throw new RangeError('a number of 40 digits');
    return get(id);
  };
  expect((await line.end('1')).start?.id).toBe('3');
  expect(line.errors).toHaveLength(1);
});
