import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Beginning } from '../../../tools/src/local/streams/beginning.js';
import type { AttributeMap, Change } from '../../../tools/src/local/streams/change.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const item = (id: string, n = 1) => ({ id: { S: id }, n: { N: String(n) } });
const put = (id: string, n = 1): Change => ({ table: 'Records', before: undefined, after: item(id, n) });

/** Items that are read one by one, with something happening in between. */
async function* reading(items: readonly AttributeMap[], meanwhile: (index: number) => void = () => {}) {
  for (const [index, one] of items.entries()) {
    yield one;
    meanwhile(index);
  }
}

function start() {
  const reported: string[] = [];
  const beginning = new Beginning();
  const text = ({ before, after }: Change) => {
    const { id, n } = (after ?? before) as ReturnType<typeof item>;
    return `${id.S}${n.N} ${after === undefined ? 'gone' : before === undefined ? 'new' : 'changed'}`;
  };
  const listener = {
    add: (change: Change) => void reported.push(text(change)),
    wants: ({ after }: Change) => (after?.id as { S: string } | undefined)?.S !== 'done',
  };
  const open = (items: AsyncIterable<AttributeMap>) =>
    beginning.open(listener, [{ table: 'Records', keys: ['id'], items }]);
  return { beginning, reported, open };
}

describe('the beginning of a runtime', () => {
  it('reports what is written before there is a listener, once there is one', async () => {
    const { beginning, reported, open } = start();
    beginning.add(put('a'));
    expect(reported).toEqual([]);
    await open(reading([]));
    beginning.add(put('b'));
    expect(reported).toEqual(['a1 new', 'b1 new']);
  });

  it('reports the items that are there as if they had been put now, except those that are filtered out', async () => {
    const { reported, open } = start();
    await open(reading([item('a'), item('done'), item('b')]));
    expect(reported).toEqual(['a1 new', 'b1 new']);
  });

  it('tells once of an item that is put while they are read, whether the reading met it or not', async () => {
    const { beginning, reported, open } = start();
    await open(
      reading([item('a'), item('met'), item('z')], (index) => {
        if (index === 0) for (const id of ['met', 'missed']) beginning.add(put(id));
      }),
    );
    expect(reported.sort()).toEqual(['a1 new', 'met1 new', 'missed1 new', 'z1 new']);
  });

  it('reports the change alone where an item is changed or removed meanwhile', async () => {
    const { beginning, reported, open } = start();
    await open(
      reading([item('a'), item('b')], () => {
        if (reported.length > 0) return;
        beginning.add({ table: 'Records', before: item('a'), after: item('a', 2) });
        beginning.add({ table: 'Records', before: item('b'), after: undefined });
      }),
    );
    expect(reported.slice(0, 2)).toEqual(['a2 changed', 'b1 gone']);
  });

  it('does not report an item twice whose insertion is reported late', async () => {
    const { beginning, reported, open } = start();
    const at = Date.now();
    await open(reading([item('a'), item('b')]));
    beginning.add(put('a'));
    await vi.advanceTimersByTimeAsync(5_000);
    beginning.add({ ...put('b'), at });
    expect(reported).toEqual(['a1 new', 'b1 new']);
  });

  it('reports an item that is removed and put again', async () => {
    const { beginning, reported, open } = start();
    await open(reading([item('a')]));
    await vi.advanceTimersByTimeAsync(5_000);
    beginning.add({ table: 'Records', before: item('a'), after: undefined });
    beginning.add(put('a', 2));
    expect(reported).toEqual(['a1 new', 'a1 gone', 'a2 new']);
  });
});
