import { withHeartbeat } from '../leases/timed-hold.js';
import type { IndexKey } from '../store/store.js';
import type { Clock } from '../support/clock.js';
import { MAX_PAGE_RECORDS } from './capacity.js';
import type { PageSource } from './pages.js';
import type { StopReason } from './stop-reason.js';

/** Time after which a run whose last attempts take long looks for records that have come due: in a lane of the queue, and in one of a busy key. */
const LOOK_MS = 1_000;
const LOOK_AT_BUSY_MS = 5_000;

/** A run of a lane, as far as it is needed here. */
type LaneOfRun = Parameters<typeof withHeartbeat>[2] & {
  readonly executor: Executor;
  readonly options: { readonly target: { readonly lane: string } };
  readonly atOnce: { readonly isBusyLane?: boolean | undefined };
  readonly keyLimit?: { readonly passes: unknown } | undefined;
  readonly breakers: { withoutPutOff(keys: readonly IndexKey[]): readonly IndexKey[] } | undefined;
};

interface Executor {
  readonly inFlight: ReadonlySet<string>;
  readonly stragglers: { readonly byId: ReadonlyMap<string, unknown> };
  readonly wake: (() => void) | undefined;
  hasRoom(): boolean;
  settled(mayWait: () => boolean): Promise<void>;
}

/** The steps of the draining of a lane. */
export interface LaneSteps<Run> {
  /** The pages of all that is due. */
  pagesOf(run: Run): PageSource;
  pageSize(run: Run): number;
  workOffPages(run: Run, pages: PageSource, first: readonly IndexKey[]): Promise<StopReason | undefined>;
}

/**
 * Works off what comes due while the last attempts of a lane take long, as records of other keys do not wait for these, and looks once
 * more at what was left for another lane.
 *
 * @param hasLeft asked whether records were left
 * @returns why the run must end; undefined: all attempts have ended
 */
export async function workOffMeanwhile<Run extends LaneOfRun>(
  run: Run,
  { pagesOf, pageSize, workOffPages }: LaneSteps<Run>,
  hasLeft: () => boolean,
): Promise<StopReason | undefined> {
  const { executor, atOnce, breakers, keyLimit, clock } = run;
  // A lane of a limited key is drained in passes.
  if (keyLimit?.passes) return undefined;
  const lookMs = atOnce.isBusyLane ? LOOK_AT_BUSY_MS : LOOK_MS;
  for (let isOver = false; !isOver && executor.hasRoom(); ) {
    isOver = await isSettledWithin(lookMs, executor, clock);
    if (isOver && !hasLeft()) return undefined;
    const pages = pagesOf(run);
    const limit = Math.min(MAX_PAGE_RECORDS, pageSize(run) + executor.inFlight.size);
    const named = await withHeartbeat(pages.first(limit), () => [...executor.inFlight], run);
    const waiting = (breakers?.withoutPutOff(named) ?? named).filter(({ id }) => !executor.inFlight.has(id));
    const stop = waiting.length > 0 ? await workOffPages(run, pages, waiting) : undefined;
    if (stop) return stop;
  }
  return undefined;
}

/** Waits for the outcomes of a run, for so many (real) milliseconds at most. */
async function isSettledWithin(milliseconds: number, executor: Executor, clock: Clock): Promise<boolean> {
  const settled = new AbortController();
  let isLate = false;
  const late = clock.sleep(milliseconds, settled.signal).then(() => {
    isLate = true;
    executor.wake?.();
  });
  await executor.settled(() => !isLate);
  settled.abort('settled');
  await late;
  return executor.inFlight.size <= executor.stragglers.byId.size;
}
