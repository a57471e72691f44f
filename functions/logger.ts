import { Logger } from '@aws-lambda-powertools/logger';

/** One JSON object per line; the level comes from `POWERTOOLS_LOG_LEVEL`, `LOG_LEVEL` or Lambda's own setting. */
export function createLogger(): Logger {
  return new Logger({ serviceName: 'dynamo-backlog' });
}
