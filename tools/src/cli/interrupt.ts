/**
 * Ctrl-C or SIGTERM asks for an end in good order; a second one ends the process at once.
 *
 * @param signals that do so. Default: SIGINT and SIGTERM
 */
export function listenForInterrupt(
  onFirst: () => void,
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'],
): {
  readonly signal: AbortSignal;
  close(): void;
} {
  const abort = new AbortController();
  const close = () => {
    for (const name of signals) process.off(name, interrupted);
  };
  function interrupted() {
    // Without a listener the next one does what it always does.
    close();
    abort.abort();
    onFirst();
  }
  for (const name of signals) process.on(name, interrupted);
  return { signal: abort.signal, close };
}
