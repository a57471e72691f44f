import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { cleanPrototypes } from '../../support/prototypes.js';

/** @inline */
export interface ClientOptions {
  /** The URL of the local runtime or another emulator. Default: AWS, or `AWS_ENDPOINT_URL_DYNAMODB`. */
  readonly endpoint?: string | undefined;
  /** The AWS region. Default: the environment's, as for every AWS client; `us-east-1` with an endpoint. */
  readonly region?: string | undefined;
  /** The timeout of one try of a request, in milliseconds. Default: 10,000. */
  readonly requestTimeoutMs?: number | undefined;
}

const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 5;

/**
 * A log that takes no `info` and no `error`. For each of these the SDK copies all of a request and of its answer, even if
 * its logger does nothing: three quarters of the CPU time of a request with 300 KB.
 */
const NO_LOG = { trace() {}, debug() {}, warn() {} } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>;

/** A client that never hangs: DynamoDB answers in milliseconds, and a run has other things to do than to wait. */
export function createDynamoDbClient({
  endpoint,
  region,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
}: ClientOptions = {}): DynamoDBClient {
  const client = new DynamoDBClient({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : emulator(endpoint, region)),
    maxAttempts: MAX_ATTEMPTS,
    logger: NO_LOG,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      socketTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
  // The SDK takes inherited properties for entries of its maps, both when it writes them and when it reads them.
  const { middlewareStack } = client;
  const cleanBefore = <Args, Answer>(next: (args: Args) => Answer) => {
    return (args: Args) => {
      cleanPrototypes();
      return next(args);
    };
  };
  middlewareStack.add(cleanBefore, {
    step: 'initialize',
    name: 'cleanBefore',
    priority: 'low',
  });
  middlewareStack.add((next) => (args) => next(args).finally(cleanPrototypes), {
    step: 'deserialize',
    name: 'cleanBehind',
    priority: 'low',
  });
  return client;
}

/** The settings for an emulator. It takes any credentials, and never gets those of the environment. */
function emulator(endpoint: string, region = 'us-east-1') {
  return { endpoint, region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}
