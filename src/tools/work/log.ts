import type { AttemptLogger } from '../../logger.js';

/** Lines in the form of the functions' log: one JSON object each. Levels below INFO are left out. */
export function jsonLogger(write: (line: string) => void): AttemptLogger {
  const method =
    (level: string) =>
    (message: string, extra: Record<string, unknown> = {}) =>
      write(
        JSON.stringify({
          level,
          message,
          timestamp: new Date().toISOString(),
          service: 'dynamo-backlog',
          ...extra,
        }),
      );
  return { debug: () => {}, info: method('INFO'), warn: method('WARN'), error: method('ERROR') };
}

/** For a log line: an error, and where it was thrown. */
export function errorLine(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: `${error.name}: ${error.message}`, stack: error.stack };
}
