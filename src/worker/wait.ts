import type { Clock } from '../support/clock.js';

/**
 * Waits for a real length of time, or until something has happened, or the process is to end. It leaves no listener behind:
 * `AbortSignal.any` would leave something of each wait on a signal that lives for as long as the process.
 *
 * @param happens its rejection is passed on
 * @returns whether all of that time has passed
 */
export async function waitUnless(
  happens: Promise<unknown>,
  milliseconds: number,
  { clock, stop }: { readonly clock: Clock; readonly stop?: AbortSignal | undefined },
): Promise<boolean> {
  if (stop?.aborted) return false;
  const over = new AbortController();
  const end = () => over.abort('over');
  stop?.addEventListener('abort', end, { once: true });
  try {
    const hasPassed = clock.sleep(milliseconds, over.signal).then(() => !over.signal.aborted);
    return await Promise.race([happens.then(() => false), hasPassed]);
  } finally {
    stop?.removeEventListener('abort', end);
    end();
  }
}
