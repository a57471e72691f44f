import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Bytes of `fibonacci` that each part saves; it has 403,808, 1.0959 of a bare handler, and test/long/bundles.test.ts allows 1.1.
// Credentials 33,034; errors 9,644; lib-dynamodb 9,357; endpoint discovery 8,552; SHA-256 3,216.
// Browsers' streams and S3 3,097; rate limiter 2,586; headers of event streams 2,375; package.json 2,363.
// Event streams 1,452; region 1,437; log of requests 1,405; hints 1,391; warning of Node.js 626; pages 616.
// Of `intake` event streams are 15,843.

const SCRIPTS = dirname(fileURLToPath(import.meta.url));
const ABSENT_PARTS = join(SCRIPTS, 'absent-parts.mjs');
// Files of their own: the SDK loads them later, so that no handler loads them at its cold start.
const ABSENT_CREDENTIALS = join(SCRIPTS, 'absent-credentials.mjs');
const ABSENT_EVENT_STREAMS = join(SCRIPTS, 'absent-event-streams.mjs');
const ABSENT_BROWSERS = join(SCRIPTS, 'absent-browsers.mjs');

/** esbuild's aliases: packages that are replaced as a whole. */
export const ABSENT_PACKAGES = {
  '@aws-sdk/credential-provider-ini': ABSENT_CREDENTIALS,
  '@aws-sdk/credential-provider-process': ABSENT_CREDENTIALS,
  '@aws-sdk/credential-provider-sso': ABSENT_CREDENTIALS,
  '@aws-sdk/credential-provider-web-identity': ABSENT_CREDENTIALS,
  '@smithy/credential-provider-imds': ABSENT_CREDENTIALS,
  '@smithy/core/event-streams': ABSENT_EVENT_STREAMS,
  '@aws-sdk/middleware-endpoint-discovery': ABSENT_PARTS,
  'fastest-levenshtein': ABSENT_PARTS,
  bowser: ABSENT_BROWSERS,
};

const DOCUMENT_CLIENT = /@aws-sdk[\\/]lib-dynamodb[\\/]/;
const RESOLVED = 'resolved';
// The SDK's chain has five links more, which are absent, and a warning about two of them.
const CREDENTIALS_IN_LAMBDA = `
  import { fromEnv } from '@aws-sdk/credential-provider-env';
  import { CredentialsProviderError } from '@smithy/core/config';
  import { remoteProvider } from './remoteProvider';
  import { memoizeChain } from './runtime/memoize-chain';
  export const credentialsWillNeedRefresh = (credentials) => credentials?.expiration !== undefined;
  export const credentialsTreatedAsExpired = (credentials) =>
    credentials?.expiration !== undefined && credentials.expiration.getTime() - Date.now() < 300000;
  const none = async () => {
    throw new CredentialsProviderError('Could not load credentials from any providers', { tryNextLink: false });
  };
  export const defaultProvider = (init = {}) =>
    memoizeChain([() => fromEnv(init)(), async () => (await remoteProvider(init))(), none], credentialsTreatedAsExpired);
`;
// The mode `adaptive` (`AWS_RETRY_MODE`) is then the mode `standard`: a run slows down by itself where DynamoDB throttles.
const STANDARD_RETRIES =
  "export { StandardRetryStrategy as AdaptiveRetryStrategy } from './StandardRetryStrategy';";

/**
 * An esbuild plugin: leaves out of the handlers' bundles what single files of the SDK bring along and no handler needs.
 */
export const withoutUnneededParts = {
  name: 'without unneeded parts',
  setup(build) {
    // Files without side effects, and the package does not say so. A handler needs NumberValue alone.
    build.onResolve({ filter: /^@aws-sdk\/lib-dynamodb$|^\./ }, async ({ path, pluginData, ...where }) => {
      const isItsOwn = !path.startsWith('.') || DOCUMENT_CLIENT.test(where.importer);
      if (!isItsOwn || pluginData === RESOLVED) return undefined;
      const resolved = await build.resolve(path, { ...where, pluginData: RESOLVED });
      return { ...resolved, sideEffects: false };
    });
    const absent =
      /\/(Sha256Js|HeaderFormatter|getInstanceMetadataRegion|service-customizations|sdk-stream-mixin\.browser|loggerMiddleware|schemaLogFilter|createPaginator|emitWarningIfUnsupportedVersion|long-attempts\.js|logBuffer\.js)$/;
    build.onResolve({ filter: absent }, () => ({ path: ABSENT_PARTS }));
    build.onLoad({ filter: /util-retry[\\/]AdaptiveRetryStrategy\.js$/ }, () => ({
      contents: STANDARD_RETRIES,
    }));
    build.onLoad({ filter: /credential-provider-node[\\/]dist-es[\\/]defaultProvider\.js$/ }, () => ({
      contents: CREDENTIALS_IN_LAMBDA,
    }));
    build.onLoad({ filter: /@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/ }, onlyVersion);
    build.onLoad({ filter: /client-dynamodb[\\/]dist-es[\\/]models[\\/]errors\.js$/ }, dynamoDbErrors);
    build.onLoad({ filter: /util-endpoints[\\/]lib[\\/]aws[\\/]partitions\.js$/ }, partitions);
  },
};

/** A client reads its package.json for the version that it names to AWS. */
async function onlyVersion({ path }) {
  const { version } = JSON.parse(await readFile(path, 'utf8'));
  return { contents: JSON.stringify({ version }), loader: 'json' };
}

/** The AWS partitions, by the pattern of their regions. Of a region that fits it, the SDK's list has a description beside that. */
async function partitions({ path }) {
  const text = await readFile(path, 'utf8');
  const { partitions: listed, ...others } = JSON.parse(
    text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1),
  );
  const shortened = listed.map(({ regions, ...partition }) => {
    const fits = new RegExp(partition.regionRegex);
    const odd = Object.keys(regions).filter((region) => !fits.test(region));
    return { ...partition, regions: Object.fromEntries(odd.map((region) => [region, {}])) };
  });
  return {
    contents: `export const partitionsInfo = ${JSON.stringify({ partitions: shortened, ...others })};`,
    loader: 'js',
  };
}

/** The SDK's 35 classes differ in the name, and a few in one more property. */
async function dynamoDbErrors() {
  const exported = await import('@aws-sdk/client-dynamodb');
  const { DynamoDBServiceException } = exported;
  const errors = Object.entries(exported).flatMap(([name, Exception]) => {
    if (!(Exception?.prototype instanceof DynamoDBServiceException)) return [];
    const { $fault, $retryable } = new Exception({ $metadata: {} });
    const others = JSON.stringify({ $fault: $fault === 'client' ? undefined : $fault, $retryable });
    return `export const ${name} = /* @__PURE__ */ exception('${name}'${others === '{}' ? '' : `, ${others}`});`;
  });
  const contents = `
    import { DynamoDBServiceException } from './DynamoDBServiceException';
    const exception = (name, others) =>
      class extends DynamoDBServiceException {
        constructor(options) {
          super({ name, $fault: 'client', ...options });
          Object.assign(Object.setPrototypeOf(this, new.target.prototype), others);
        }
      };
    ${errors.join('\n')}`;
  return { contents, loader: 'js' };
}
