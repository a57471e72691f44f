/** Waits for what is begun, unless the signal is aborted before or meanwhile: then it rejects with the signal's reason. */
export async function unlessAborted<Answer>(
  begin: () => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  if (!signal) return begin();
  if (signal.aborted) throw signal.reason;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  return Promise.race([begin(), aborted]).finally(() => signal.removeEventListener('abort', abort));
}
