/**
 * The methods of a Powertools `Logger` that are used here. Its own types need `@types/aws-lambda`, which a user of this
 * package may not have.
 *
 * @inline
 */
export interface HandlerLogger {
  /** A line of level DEBUG; `extra` becomes attributes of the line. */
  debug(message: string, extra: Record<string, unknown>): void;
  /** A line of level INFO. */
  info(message: string, extra: Record<string, unknown>): void;
  /** A line of level WARN. */
  warn(message: string, extra: Record<string, unknown>): void;
  /** A line of level ERROR. */
  error(message: string, extra: Record<string, unknown>): void;
  /** A line of level ERROR, with an error. */
  error(message: string, extra: Error): void;
}
