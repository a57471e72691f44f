/**
 * Waits until all are settled, and then throws the first error. `Promise.all` would throw before: a write that goes on behind that may be
 * late, and undo what a repetition has written.
 */
export async function allDone(work: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
