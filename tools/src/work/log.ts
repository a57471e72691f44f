import type { AttemptLogger } from 'dynamo-backlog/lambda';

/**
 * Lines in the form of the functions' log: one JSON object each. Levels below INFO are left out.
 *
 * @param workerId tells the lines of one process from those of others
 */
export function jsonLogger(write: (line: string) => void, workerId: string): AttemptLogger {
  const method =
    (level: string) =>
    (message: string, extra: Record<string, unknown> = {}) =>
      write(
        JSON.stringify({
          level,
          message,
          timestamp: new Date().toISOString(),
          service: 'dynamo-backlog',
          workerId,
          ...extra,
        }),
      );
  return { debug: () => {}, info: method('INFO'), warn: method('WARN'), error: method('ERROR') };
}

/** The attributes of a log line about an error, with its stack. */
export function errorLine(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: `${error.name}: ${error.message}`, stack: error.stack };
}

/** `critical (weight 8), default (weight 1)`; the names alone where all weigh the same. */
export function watchingText(queues: readonly { readonly name: string; readonly weight: number }[]): string {
  const areAlike = new Set(queues.map(({ weight }) => weight)).size <= 1;
  return queues.map(({ name, weight }) => (areAlike ? name : `${name} (weight ${weight})`)).join(', ');
}
