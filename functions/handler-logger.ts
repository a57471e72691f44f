/**
 * A Powertools `Logger`, by what is used of it: its own types need `@types/aws-lambda`, which who uses this package may
 * not have.
 */
export interface HandlerLogger {
  debug(message: string, extra: Record<string, unknown>): void;
  info(message: string, extra: Record<string, unknown>): void;
  warn(message: string, extra: Record<string, unknown>): void;
  error(message: string, extra: Record<string, unknown>): void;
  error(message: string, extra: Error): void;
}
