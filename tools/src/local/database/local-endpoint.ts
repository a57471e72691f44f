import { ConfigurationError } from 'dynamo-backlog';
import { show } from 'dynamo-backlog/engine';

const AWS = /(^|\.)(amazonaws\.com(\.cn)?|api\.aws)\.?$/i;

/**
 * The URL of a DynamoDB that is not AWS's, without a slash at its end.
 *
 * @throws ConfigurationError for anything else
 */
export function localEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(
      `--dynamodb-endpoint: expected a URL such as http://127.0.0.1:8000, got ${show(text)}`,
    );
  }
  if (url.pathname !== '/' || url.search !== '' || url.username !== '') {
    throw new ConfigurationError(
      `--dynamodb-endpoint: expected a URL of a host and a port alone, such as http://127.0.0.1:8000, got ${show(text)}`,
    );
  }
  if (AWS.test(url.hostname)) {
    throw new ConfigurationError(
      `--dynamodb-endpoint: expected an emulator such as DynamoDB Local, got ${url.hostname}: this machine would attempt the records that are there`,
    );
  }
  return url.origin;
}
