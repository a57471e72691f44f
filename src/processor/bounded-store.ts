import type { Clock } from '../clock.js';
import { StoreUnavailableError } from '../store/errors.js';
import type { BacklogStore } from '../store/store.js';

/** Before the function's own deadline: what is not answered by then is not waited for. */
const LAST_CALL_MS = 1_000;

/**
 * The store, with no call that outlives the function: an SDK that repeats a request which nobody answers could take
 * longer than the time that is left, and a run must end by itself.
 *
 * A call that is given up throws StoreUnavailableError; it may still take effect.
 */
export function boundedStore(store: BacklogStore, clock: Clock, deadline: number): BacklogStore {
  const bound = async <T>(name: string, call: Promise<T>): Promise<T> => {
    const answered = new AbortController();
    const givenUp = async (): Promise<T> => {
      await clock.sleep(Math.max(0, deadline - LAST_CALL_MS - clock.wall()), answered.signal);
      if (answered.signal.aborted) return call;
      throw new StoreUnavailableError(`${name}: no answer before the function's deadline`);
    };
    return Promise.race([call.finally(() => answered.abort('answered')), givenUp()]);
  };
  return {
    ...passed(store),
    queryDue: (...args) => bound('queryDue', store.queryDue(...args)),
    readPage: (...args) => bound('readPage', store.readPage(...args)),
    readQueue: (...args) => bound('readQueue', store.readQueue(...args)),
    readRecords: (...args) => bound('readRecords', store.readRecords(...args)),
    settle: (...args) => bound('settle', store.settle(...args)),
    holdLease: (...args) => bound('holdLease', store.holdLease(...args)),
    takeOverLease: (...args) => bound('takeOverLease', store.takeOverLease(...args)),
    wakeHolder: (...args) => bound('wakeHolder', store.wakeHolder(...args)),
    acknowledgeWake: (...args) => bound('acknowledgeWake', store.acknowledgeWake(...args)),
    releaseLease: (...args) => bound('releaseLease', store.releaseLease(...args)),
    claimArrivals: (...args) => bound('claimArrivals', store.claimArrivals(...args)),
    releaseArrivals: (...args) => bound('releaseArrivals', store.releaseArrivals(...args)),
    claimedArrivals: (...args) => bound('claimedArrivals', store.claimedArrivals(...args)),
    scanUnplaced: (...args) => bound('scanUnplaced', store.scanUnplaced(...args)),
    readSweep: (...args) => bound('readSweep', store.readSweep(...args)),
    writeSweep: (...args) => bound('writeSweep', store.writeSweep(...args)),
    setWay: (...args) => bound('setWay', store.setWay(...args)),
    recordTierRun: (...args) => bound('recordTierRun', store.recordTierRun(...args)),
    setBreaker: (...args) => bound('setBreaker', store.setBreaker(...args)),
    takeSlots: (...args) => bound('takeSlots', store.takeSlots(...args)),
    releaseSlots: (...args) => bound('releaseSlots', store.releaseSlots(...args)),
    takeTurns: (...args) => bound('takeTurns', store.takeTurns(...args)),
  };
}

/** What a run does not use. */
function passed(store: BacklogStore): Pick<BacklogStore, 'insert' | 'get' | 'list'> {
  return {
    insert: (item) => store.insert(item),
    get: (id) => store.get(id),
    list: (filter) => store.list(filter),
  };
}
