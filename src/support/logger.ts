/** The few methods that attempts log with; Powertools' Logger fits. */
export interface AttemptLogger {
  /** A line of level DEBUG; `extra` becomes attributes of the line. */
  debug(message: string, extra?: Record<string, unknown>): void;
  /** A line of level INFO. */
  info(message: string, extra?: Record<string, unknown>): void;
  /** A line of level WARN. */
  warn(message: string, extra?: Record<string, unknown>): void;
  /** A line of level ERROR. */
  error(message: string, extra?: Record<string, unknown>): void;
}

/**
 * The logger as runs and attempts see it: no method of it can be replaced, as all attempts of a run share it.
 *
 * @param logger of any kind whose methods take attributes, such as Powertools'
 */
export function frozenLogger(
  logger: {
    readonly [level in keyof AttemptLogger]: (message: string, extra: Record<string, unknown>) => void;
  },
): AttemptLogger {
  const method =
    (level: keyof AttemptLogger) =>
    (message: string, extra: Record<string, unknown> = {}) =>
      logger[level](message, extra);
  return Object.freeze({
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
  });
}
