import {
  type BacklogStore,
  type Clock,
  intercepted,
  type Settle,
  type Settled,
  SettleGroups,
} from 'dynamo-backlog/engine';

const REQUEST_MS = 5;
const GROUP_MS = 10;

interface Change extends Settle {
  readonly once: () => Promise<Settled>;
}

/** A store as one process reaches it: each request takes its time, and outcomes are written in groups. */
export function slowStore<Store extends BacklogStore>(store: Store, clock: Pick<Clock, 'sleep'>): Store {
  const takes = async <T>(milliseconds: number, operation: () => Promise<T>): Promise<T> => {
    await clock.sleep(milliseconds / 2);
    const answer = await operation();
    await clock.sleep(milliseconds / 2);
    return answer;
  };
  const isWritten = async ({ once }: Change) => (await once()) === 'settled';
  const groups = new SettleGroups<Change>(
    (changes) => takes(GROUP_MS, () => Promise.all(changes.map(isWritten))),
    clock,
  );
  return intercepted(store, (name, operation, args) => {
    if (name !== 'records.settle') return takes(REQUEST_MS, operation);
    const once = operation as () => Promise<Settled>;
    const [{ id }] = args as [{ readonly id: string }];
    return groups.write({ id, once, alone: () => takes(REQUEST_MS, once) });
  });
}
