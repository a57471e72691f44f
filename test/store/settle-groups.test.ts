import { describe, expect, it } from 'vitest';
import { StoreAccessError, StoreError, StoreUnavailableError } from '../../src/store/errors.js';
import { MAX_GROUP, type Settle, type Settled, SettleGroups } from '../../src/store/settle-groups.js';
import { VirtualTime } from '../../src/support/virtual-time.js';

const REQUEST_MS = 5;
const HANGS_MS = 10_000;

/** Groups on virtual time. Each request is noted with its ids and the time at which it was sent. */
class Writes {
  readonly time = new VirtualTime(0);
  readonly sent: {
    readonly at: number;
    readonly how: 'alone' | 'together';
    readonly ids: readonly string[];
  }[] = [];
  /** The answer to a group; by default, all of it is written. */
  answer: (ids: readonly string[]) => Promise<readonly boolean[] | undefined> = async (ids) =>
    ids.map(() => true);
  /** The length of a request, by its number. */
  takesMs: (nth: number) => number = () => REQUEST_MS;
  alone: (id: string) => Promise<Settled> = async () => 'settled';
  private readonly groups = new SettleGroups((settles) => this.together(settles), this.time.clock());

  write(id: string): Promise<Settled> {
    const alone = () => this.request('alone', [id], () => this.alone(id));
    return this.groups.write({ id, alone });
  }

  private together(settles: readonly Settle[]) {
    const ids = settles.map(({ id }) => id);
    return this.request('together', ids, () => this.answer(ids));
  }

  private async request<Answer>(
    how: 'alone' | 'together',
    ids: readonly string[],
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    const nth = this.sent.push({ at: this.time.now, how, ids });
    await this.time.clock().sleep(this.takesMs(nth));
    return answer();
  }
}

const idsOf = (count: number) => Array.from({ length: count }, (_, i) => `id-${i}`);
const all = (writes: Writes, ids: readonly string[]) =>
  writes.time.until(Promise.allSettled(ids.map((id) => writes.write(id))));
const requests = ({ sent }: Writes) => sent.map(({ how, ids }) => [how, ids.length]);
const written = { status: 'fulfilled', value: 'settled' };

describe('changes that are written at the same time', () => {
  it('a change that comes alone is written alone, at once', async () => {
    const writes = new Writes();
    for (const id of idsOf(3)) expect(await writes.time.until(writes.write(id))).toBe('settled');
    expect(writes.sent.map(({ at, how }) => [at, how])).toEqual([
      [0, 'alone'],
      [REQUEST_MS, 'alone'],
      [2 * REQUEST_MS, 'alone'],
    ]);
  });

  it('those that come while one is written are one request, as soon as that is answered', async () => {
    const writes = new Writes();
    const answers = await all(writes, idsOf(4));
    expect(answers).toEqual(answers.map(() => written));
    expect(writes.sent.map(({ at, how, ids }) => [at, how, ids])).toEqual([
      [0, 'alone', ['id-0']],
      [REQUEST_MS, 'together', ['id-1', 'id-2', 'id-3']],
    ]);
  });

  it('25 do not wait for an answer; two requests are under way at once', async () => {
    const writes = new Writes();
    await all(writes, idsOf(1 + 3 * MAX_GROUP));
    expect(requests(writes)).toEqual([
      ['alone', 1],
      ['together', MAX_GROUP],
      ['together', MAX_GROUP],
      ['together', MAX_GROUP],
    ]);
    expect(writes.sent.map(({ at }) => at)).toEqual([0, 0, REQUEST_MS, REQUEST_MS]);
  });

  it('a request that is not answered holds others back for 20 ms', async () => {
    const writes = new Writes();
    writes.takesMs = (nth) => (nth === 1 ? HANGS_MS : REQUEST_MS);
    const hanging = writes.write('hangs');
    const others = Promise.all(['a', 'b'].map((id) => writes.write(id)));
    expect(await writes.time.until(others)).toEqual(['settled', 'settled']);
    expect(writes.time.now).toBe(20 + REQUEST_MS);
    const later = writes.write('c');
    expect(await writes.time.until(later)).toBe('settled');
    expect(writes.time.now).toBeLessThan(100);
    expect(await writes.time.until(hanging)).toBe('settled');
  });

  it('the wait of a change begins with it, not with those that were sent before', async () => {
    const writes = new Writes();
    writes.takesMs = (nth) => (nth === 1 ? REQUEST_MS : HANGS_MS);
    void writes.write('first');
    void writes.write('second');
    await writes.time.runUntil(REQUEST_MS + 1);
    void writes.write('third');
    await writes.time.runUntil(100);
    expect(writes.sent.map(({ at, ids }) => [at, ...ids])).toEqual([
      [0, 'first'],
      [REQUEST_MS, 'second'],
      [REQUEST_MS + 1 + 20, 'third'],
    ]);
  });

  it('a request names each record once: the second change of it is in the next one', async () => {
    const writes = new Writes();
    await all(writes, ['first', 'a', 'b', 'a']);
    expect(writes.sent.map(({ ids }) => ids)).toEqual([['first'], ['a', 'b'], ['a']]);
  });

  it('what a group did not write is written alone, and has the answer of that', async () => {
    const writes = new Writes();
    writes.answer = async (ids) => ids.map((id) => id !== 'id-2');
    writes.alone = async (id) => (id === 'id-2' ? 'changed' : 'settled');
    const answers = await all(writes, idsOf(4));
    expect(answers[2]).toEqual({ status: 'fulfilled', value: 'changed' });
    expect(answers.filter((_, i) => i !== 2)).toEqual([written, written, written]);
    expect(writes.sent.at(-1)).toMatchObject({ how: 'alone', ids: ['id-2'] });
  });

  it('an error of one that is written alone is its own', async () => {
    const writes = new Writes();
    const refused = new StoreError('too large');
    writes.answer = async (ids) => ids.map((id) => id !== 'id-2');
    writes.alone = async (id) => {
      if (id === 'id-2') throw refused;
      return 'settled';
    };
    const answers = await all(writes, idsOf(4));
    expect(answers[2]).toEqual({ status: 'rejected', reason: refused });
    expect(answers.filter((_, i) => i !== 2)).toEqual([written, written, written]);
  });

  it('a request without an answer fails for each of its changes, and for no other', async () => {
    const writes = new Writes();
    const lost = new StoreUnavailableError('no answer');
    writes.answer = async (ids) => {
      if (ids.includes('id-1')) throw lost;
      return ids.map(() => true);
    };
    const answers = await all(writes, idsOf(1 + MAX_GROUP + 4));
    const failed = answers.filter(({ status }) => status === 'rejected');
    expect(failed).toEqual(Array.from({ length: MAX_GROUP }, () => ({ status: 'rejected', reason: lost })));
    expect(answers[0]).toEqual(written);
    expect(answers.slice(-4)).toEqual([written, written, written, written]);
  });

  it('a table that may not be used fails each of them', async () => {
    const writes = new Writes();
    const denied = new StoreAccessError('no such table');
    writes.answer = () => Promise.reject(denied);
    const answers = await all(writes, idsOf(3));
    expect(answers.slice(1)).toEqual([1, 2].map(() => ({ status: 'rejected', reason: denied })));
  });

  it('a request that is refused as a whole is written one by one: it may be for one of its changes', async () => {
    const writes = new Writes();
    writes.answer = () => Promise.reject(new StoreError('ValidationException'));
    expect(await all(writes, idsOf(3))).toEqual([written, written, written]);
    expect(requests(writes)).toEqual([
      ['alone', 1],
      ['together', 2],
      ['alone', 1],
      ['alone', 1],
    ]);
  });

  it('a store that takes no groups is asked once', async () => {
    const writes = new Writes();
    writes.answer = async () => undefined;
    const answers = await all(writes, idsOf(60));
    expect(answers).toEqual(answers.map(() => written));
    await all(writes, idsOf(60));
    expect(writes.sent.filter(({ how }) => how === 'together').length).toBeLessThanOrEqual(2);
    expect(writes.sent.filter(({ how }) => how === 'alone')).toHaveLength(120);
  });
});
