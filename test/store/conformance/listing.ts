import { beforeAll, expect, it } from 'vitest';
import type { ListFilter } from '../../../src/store/index.js';
import { collect, iso, item } from '../records.js';
import type { UnderTest } from './under-test.js';

const QUEUE = 'list-queue';
const PENDING = 130;

export function listing(underTest: UnderTest): void {
  const record = (id: string, attributes: Record<string, unknown>) =>
    underTest().store.records.insert(item(id, { queue: QUEUE, lane: QUEUE, ...attributes }));

  beforeAll(async () => {
    for (let i = 0; i < PENDING; i++) await record(`list-new-${i}`, { dueAt: iso(i) });
    await record('list-error', { status: 'ERROR' });
    await record('list-dead', { status: 'DEAD', lane: `${QUEUE}/dead` });
    await record('list-success', { status: 'SUCCESS', lane: undefined, dueAt: undefined });
    await underTest().put({ id: 'list-foreign', status: 'NEW', payload: 1 });
    await underTest().store.records.insert(item('list-other', { queue: 'list-other', lane: 'list-other' }));
  });

  const ids = async (filter: ListFilter) =>
    (await collect(underTest().store.records.list(filter)))
      .map(({ id }) => id)
      .filter((id) => id.startsWith('list-'));

  it('lists the records of a queue and a status, over several pages', async () => {
    const found = await ids({ queue: QUEUE, status: 'NEW' });
    expect(new Set(found).size).toBe(PENDING);
    expect(found.every((id) => id.startsWith('list-new-'))).toBe(true);
    expect(found).toHaveLength(PENDING);
  });

  it.each([
    ['ERROR', ['list-error']],
    ['DEAD', ['list-dead']],
    ['SUCCESS', ['list-success']],
  ] as const)('lists those in %s', async (status, expected) => {
    expect(await ids({ queue: QUEUE, status })).toEqual(expected);
    expect(await ids({ status })).toEqual(expected);
  });

  it('lists all records of a queue, and all at all', async () => {
    expect(await ids({ queue: QUEUE })).toHaveLength(PENDING + 3);
    expect(await ids({})).toHaveLength(PENDING + 5);
  });

  it('counts a foreign record without a queue as one of the default queue', async () => {
    expect(await ids({ queue: 'default' })).toEqual(['list-foreign']);
    expect(await ids({ status: 'NEW' })).toContain('list-foreign');
  });
}
