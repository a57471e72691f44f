import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** @inline */
export interface ClientOptions {
  /** The URL of the local runtime or another emulator. Default: AWS, or `AWS_ENDPOINT_URL_DYNAMODB`. */
  readonly endpoint?: string | undefined;
  /** Default: the environment's, as for every AWS client; `us-east-1` with an endpoint. */
  readonly region?: string | undefined;
  /** Of one try of one request, in milliseconds. Default: 10,000. */
  readonly requestTimeoutMs?: number | undefined;
}

const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 5;

/** A client that never hangs: DynamoDB answers in milliseconds, and a run has other things to do than to wait. */
export function createDynamoDbClient({
  endpoint,
  region,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
}: ClientOptions = {}): DynamoDBClient {
  return new DynamoDBClient({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : emulator(endpoint, region)),
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      socketTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
}

/** Emulators take any credentials, but the client insists on having some; never those of the environment. */
function emulator(endpoint: string, region = 'us-east-1') {
  return { endpoint, region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}
