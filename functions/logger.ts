import { Logger } from '@aws-lambda-powertools/logger';
import type { AttemptLogger } from '../src/worker/index.js';

/** One JSON object per line; the level comes from `POWERTOOLS_LOG_LEVEL`, `LOG_LEVEL` or Lambda's own setting. */
export function createLogger(): Logger {
  return new Logger({ serviceName: 'dynamo-backlog' });
}

/** The logger as runs and attempts see it. */
export function attemptLogger(logger: Logger): AttemptLogger {
  const method =
    (level: keyof AttemptLogger) =>
    (message: string, extra: Record<string, unknown> = {}) =>
      logger[level](message, extra);
  return { debug: method('debug'), info: method('info'), warn: method('warn'), error: method('error') };
}
