import { attributesOf, type Line } from '../../src/lines/line.js';
import { withEntries } from '../../src/lines/line-page.js';
import { heldLinesKey, lineKey, linePageKey, pageOf } from '../../src/lines/names.js';
import type { MemoryStore } from '../../src/store/index.js';
import { groupBy } from '../../src/support/group-by.js';
import { dead, inRetry, MINUTE, NOW, waiting } from './console-under-test.js';

const QUEUE = 'orders';

/** Puts a line of `orders` as the intake leaves it, with records of these numbers in its pages; also in place of one that is there. */
export async function putLine(
  store: MemoryStore,
  key: string,
  line: Line,
  numbers: readonly number[],
  idOf = (seq: number) => `r-${seq}`,
) {
  const name = { queue: QUEUE, key };
  const put = async (item: string, attributes: object = {}) => {
    const rev = (await store.lines.read([item])).get(item)?.rev;
    await store.lines.write(item, { ...attributes, rev: 'l' }, rev as string | undefined);
  };
  await put(lineKey(name), attributesOf(line));
  const entries = numbers.map((seq) => ({ id: idOf(seq), seq }));
  for (const [number, those] of groupBy(entries, ({ seq }) => pageOf(seq))) {
    await put(linePageKey(name, number), withEntries({ entries: [] }, those, line.next));
  }
}

/** Notes keys of `orders` as held, as the intake does. */
export async function noteHeld(store: MemoryStore, keys: readonly string[], hasMore = false) {
  await store.lines.write(heldLinesKey(QUEUE), { keys, hasMore, rev: 'h' }, undefined);
}

/** The head of a line. */
export const headOf = (id: string, seq = 1) => ({ id, seq, by: '', since: NOW });

/** A record that waits behind the head of its line. */
export const behind = (id: string, key: string, seq: number) =>
  waiting(id, { key, seq, lane: undefined, dueAt: undefined });

/** Puts lines in each state, and held ones of these keys. */
export async function fillLines(store: MemoryStore, held: readonly string[]) {
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
  for (const [at, key] of held.entries()) {
    const idOf = (seq: number) => `line-${at}-${seq}`;
    store.put(dead(idOf(3), { key, seq: 3 }));
    store.put(behind(idOf(4), key, 4));
    await putLine(store, key, { next: 3, last: 70, head: headOf(idOf(3), 3) }, numbers(3, 70), idOf);
  }
  const leftOut = { from: 3, to: 4, at: NOW - 9 * MINUTE };
  await putLine(store, 'gap', { next: 6, last: 8, gapSince: NOW - 5 * MINUTE, leftOut }, [7, 8]);
  store.put(inRetry('line-again-8', { key: 'again', seq: 8 }));
  await putLine(store, 'again', { next: 8, last: 8, head: headOf('line-again-8', 8) }, [8]);
  await putLine(store, 'starting', { next: 8, last: 9 }, [8, 9]);
  await putLine(store, 'ending', { next: 8, last: 9, until: NOW + MINUTE }, [8, 9]);
  await putLine(store, 'idle', { next: 8, last: 7 }, []);
  await noteHeld(store, [...held, 'gap', 'again', 'gone'], true);
}
