import type { Pool, Share } from './guards/pool.js';
import { ofLanes, type StopReason } from './stop-reason.js';

/** Lanes that one run drains at a time. */
export const LANES_AT_ONCE = 8;

/**
 * Drains lanes of one queue, some of them at once, which share the attempts that may be made at a time. One that cannot
 * be drained does not keep the others from it.
 *
 * @throws the first error of any of them, once all have ended
 */
export async function drainLanes(
  lanes: readonly string[],
  pool: Pool,
  drain: (lane: string, share: Share) => Promise<StopReason>,
): Promise<StopReason> {
  const atOnce = Math.min(lanes.length, LANES_AT_ONCE, pool.mostAtOnce);
  const ends: StopReason[] = [];
  const errors: unknown[] = [];
  let begun = 0;
  const worker = async (share: Share) => {
    while (begun < lanes.length) {
      const lane = lanes[begun++] ?? '';
      await drain(lane, share).then(
        (end) => ends.push(end),
        (error) => errors.push(error),
      );
    }
    share.leave();
  };
  // All of them before the first one begins: none counts on more than its share.
  await Promise.all(Array.from({ length: atOnce }, () => pool.join()).map(worker));
  if (errors.length > 0) throw errors[0];
  return ofLanes(ends);
}
