import { type Drain, drainBusyLanes, type LanesRun } from './busy-lanes.js';
import { INDEX_LAG_MS, LANES_AT_ONCE } from './capacity.js';
import type { BusyKeys } from './guards/busy-keys.js';
import type { Pool, Share } from './guards/pool.js';
import { isShortOfTime } from './options.js';
import { ofLanes, type StopReason } from './stop-reason.js';

/**
 * Drains lanes of one queue, some of them at once, which share the attempts that may be made at a time. One that cannot
 * be drained does not keep the others from it. The lanes of busy keys are drained beside them.
 *
 * @throws the first error of any of them, once all have ended
 */
export async function drainLanes(run: LanesRun, pool: Pool, drain: Drain): Promise<StopReason> {
  const { lane: only, lanes: given = [only] } = run.options.target;
  const { busyKeys } = run.guards;
  const lanes = (await busyKeys?.withoutBusy(given)) ?? given;
  const atOnce = Math.min(lanes.length, LANES_AT_ONCE, pool.mostAtOnce);
  const ends: StopReason[] = [];
  const errors: unknown[] = [];
  let begun = 0;
  const noteEnd = (ended: Promise<StopReason>) =>
    ended.then(
      (end) => ends.push(end),
      (error) => errors.push(error),
    );
  const worker = async (share: Share) => {
    while (begun < lanes.length) await noteEnd(drain(lanes[begun++] ?? '', share));
    share.leave();
  };
  // All of them before the first one begins: none counts on more than its share.
  const shares = Array.from({ length: atOnce }, () => pool.join());
  const drainBusy = (keys: BusyKeys) =>
    noteEnd(drainBusyLanes(run, { busyKeys: keys, pool, drain, own: lanes }));
  const busy = busyKeys && drainBusy(busyKeys);
  await Promise.all([...shares.map(worker), busy]);
  // Records that were put into lanes of their keys meanwhile need not wait for the next run, if this one has time left.
  if (busyKeys?.hasMoved) {
    const { options, clock } = run;
    if (isShortOfTime(options, clock)) ends.push(options.stop?.aborted ? 'stopped' : 'deadline');
    else {
      await clock.sleep(INDEX_LAG_MS, options.stop);
      await drainBusy(busyKeys);
    }
  }
  if (errors.length > 0) throw errors[0];
  return ofLanes(ends);
}
