import { type BacklogStore, intercepted } from 'dynamo-backlog/engine';

/** Calls that read, all others write. */
const READS =
  /^(pages\.|(records\.get|claims\.find|queues\.read|breakers\.read|slots\.read|permits\.read|registry\.read|activeRegion\.read|leases\.read|records\.list|sweep\.(scan|read)))/;

/** The store, which counts its calls by their names. A group of outcomes counts as so many writes, as it costs. */
export function countedStore<Store extends BacklogStore>(store: Store, counts: Map<string, number>): Store {
  return intercepted(store, (name, call) => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return call();
  });
}

export function isWrite(name: string): boolean {
  return !READS.test(name);
}
