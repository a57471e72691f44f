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
