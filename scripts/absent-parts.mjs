// What stands in the handlers' bundles for parts of the SDK, and of the library, that no handler needs.

/** Endpoint discovery, which DynamoDB's client configures and none of its commands uses. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};

export function resolveEndpointDiscoveryConfig(config) {
  return Object.assign(config, { endpointDiscoveryEnabled: async () => false });
}

/**
 * The search for the name that a misspelt one may mean. The CDK app has checked all settings before they were deployed,
 * and has suggested such names then.
 */
export const distance = () => Number.POSITIVE_INFINITY;
export const closest = (name) => name;

/** The region that a machine's metadata names. Lambda has the region in the environment. */
export const getInstanceMetadataRegion = async () => undefined;

/** The logger's buffer of lines, which no handler enables. */
export function CircularMap() {
  return new Map();
}

/** The SDK's log of requests: no handler gives a client a logger that logs. */
export const loggerMiddleware = () => (next) => next;
export const loggerMiddlewareOptions = undefined;
export const getLoggerPlugin = () => ({ applyToStack() {} });
export const schemaLogFilter = () => undefined;

/** The SDK's pages of its own, which no handler reads. */
export const createPaginator = () => undefined;

/** The SDK's warning of a Node.js that is too old. The CDK app chooses the runtime of the handlers. */
export const emitWarningIfUnsupportedVersion = () => {};
export const state = {};

/** The SDK's rules for names of buckets: no handler uses S3. */
export async function resolveParamsForS3() {}

/** Answers that are streams of a browser. The SDK tells that the stream is none that it knows. */
export function sdkStreamMixin() {
  throw new Error('streams of browsers are not in the bundle');
}

/** Headers of signed event streams: no client of the handlers has any. */
export function HeaderFormatter() {}

/** Attempts that go on without their run: only a worker process has them, and it loads a module of the user's. */
export function longAttempts() {
  throw new Error('long attempts are not in the bundle');
}

/** SHA-256 in JavaScript, which the SDK has for a Node.js without OpenSSL. */
export const Sha256Js = undefined;
