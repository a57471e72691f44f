import { EXIT } from './output.js';

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
    for (const name of signals) process.off(name, interrupted).off(name, end);
  };
  function interrupted() {
    // The next signal does what it always does where none listens: nothing, to the first process of a container.
    close();
    if (process.pid === 1) for (const name of signals) process.on(name, end);
    abort.abort();
    onFirst();
  }
  function end() {
    process.exit(EXIT.failed);
  }
  for (const name of signals) process.on(name, interrupted);
  return { signal: abort.signal, close };
}
