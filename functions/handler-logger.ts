/**
 * The methods of a Powertools `Logger` that are used here. Its own types need `@types/aws-lambda`, which a user of this
 * package may not have.
 */
export interface HandlerLogger {
  debug(message: string, extra: Record<string, unknown>): void;
  info(message: string, extra: Record<string, unknown>): void;
  warn(message: string, extra: Record<string, unknown>): void;
  error(message: string, extra: Record<string, unknown>): void;
  error(message: string, extra: Error): void;
}
