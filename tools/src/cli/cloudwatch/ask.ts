import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { ConfigurationError } from 'dynamo-backlog';
import { printable } from '../output.js';

const CONNECTION_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 20_000;

export type { MetricAlarm } from '@aws-sdk/client-cloudwatch';

type Sdk = typeof import('@aws-sdk/client-cloudwatch');

/** CloudWatch, while it is asked. */
export interface CloudWatch {
  readonly client: CloudWatchClient;
  readonly sdk: Sdk;
}

/**
 * Asks CloudWatch. Its SDK is loaded only now.
 *
 * @param subject what needs the SDK: `mutes`
 * @param section of docs/permissions.md that has the rights
 * @throws ConfigurationError if the SDK is not installed, or if CloudWatch refuses
 */
export async function askCloudWatch<Answer>(
  subject: string,
  work: (cloudWatch: CloudWatch) => Promise<Answer>,
  section = 'mutes',
): Promise<Answer> {
  const sdk = await import('@aws-sdk/client-cloudwatch').catch((error: unknown) => {
    throw new ConfigurationError(
      `${subject} need @aws-sdk/client-cloudwatch, an optional dependency of the tools: npm install @aws-sdk/client-cloudwatch`,
      { cause: error },
    );
  });
  const client = new sdk.CloudWatchClient({
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  try {
    return await work({ client, sdk });
  } catch (error) {
    throw error instanceof ConfigurationError ? error : refused(error, section);
  } finally {
    client.destroy();
  }
}

/** Metrics have the name of a table that is known by its ARN. */
export function nameInMetrics(table: string): string {
  return table.split('/').at(-1) ?? table;
}

/** Tells whether a right is missing. */
export function isDenied(error: unknown): boolean {
  const { name = '', message = '' } = (error ?? {}) as { name?: string; message?: string };
  return /AccessDenied|not authorized/i.test(`${name} ${message}`);
}

/** An error of CloudWatch, or of the way there, in one line. */
function refused(error: unknown, section: string): ConfigurationError {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  const hint = isDenied(error) ? ` (the rights: docs/permissions.md#${section})` : '';
  return new ConfigurationError(`CloudWatch: ${printable(message || name)}${hint}`, { cause: error });
}
