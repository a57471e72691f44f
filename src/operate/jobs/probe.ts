import type { OperatorStore } from '../../store/operator-store.js';
import type { Clock } from '../../support/clock.js';

/** Real time in which the records of a probe have to be attempted. */
const MAX_WAIT_MS = 10 * 60_000;
/** Real time between two looks at them. */
const LOOK_MS = 5_000;

interface ProbeDeps {
  readonly store: Pick<OperatorStore, 'records'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
}

/**
 * Waits until the records of a probe were attempted. Returns why the others must not follow; undefined: all have succeeded, or
 * the wait was ended.
 *
 * @param since the backlog's time before they were changed, epoch milliseconds
 */
export async function probeTrouble(
  ids: readonly string[],
  since: number,
  { store, clock, signal, patiently }: ProbeDeps,
): Promise<string | undefined> {
  const end = clock.wall() + MAX_WAIT_MS;
  for (;;) {
    await clock.sleep(LOOK_MS, signal);
    if (signal.aborted) return undefined;
    const found = await patiently(() => store.records.getItems(ids));
    const records = found.map(({ record }) => record);
    const succeeded = records.filter(({ status }) => status === 'SUCCESS').length;
    const failed = records.filter(
      ({ status, lastFailureAt = '' }) =>
        status === 'DEAD' || (status === 'ERROR' && Date.parse(lastFailureAt) > since),
    ).length;
    if (succeeded === ids.length) return undefined;
    const isOver = clock.wall() >= end;
    if (succeeded + failed < ids.length && !isOver) continue;
    if (failed > 0) return `${failed} of ${ids.length} failed again`;
    return `${ids.length - succeeded} of ${ids.length} did not succeed within 10 minutes`;
  }
}
