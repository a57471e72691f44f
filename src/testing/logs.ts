import type { HandlerLogger } from '../../functions/handler-logger.js';

/** A line that the functions and your handler have logged. */
export interface LogEntry {
  /** The level of the line. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** The text of the line. */
  readonly message: string;
  /** Attributes of the line. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Keeps the lines, and passes them on to a logger of the user's own. */
export function keepingLogger(entries: LogEntry[], own: HandlerLogger | undefined): HandlerLogger {
  const method =
    (level: LogEntry['level']) =>
    (message: string, extra: Record<string, unknown> | Error = {}) => {
      const attributes = extra instanceof Error ? { error: extra } : extra;
      entries.push({ level, message, extra: attributes });
      own?.[level](message, extra as Record<string, unknown>);
    };
  return { debug: method('debug'), info: method('info'), warn: method('warn'), error: method('error') };
}
