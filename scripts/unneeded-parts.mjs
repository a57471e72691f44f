import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPTS = dirname(fileURLToPath(import.meta.url));
const NO_SHA256 = join(SCRIPTS, 'absent-sha256.mjs');
const NO_METADATA_REGION = join(SCRIPTS, 'absent-metadata-region.mjs');
const NO_RATE_LIMITER = join(SCRIPTS, 'absent-rate-limiter.mjs');

const DOCUMENT_CLIENT = /@aws-sdk[\\/]lib-dynamodb[\\/]/;
const RESOLVED = 'resolved';

/**
 * An esbuild plugin: leaves out of the handlers' bundles what single files of the SDK bring along and no handler needs.
 * (An alias replaces whole packages.)
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
    build.onResolve({ filter: /\/Sha256Js$/ }, () => ({ path: NO_SHA256 }));
    build.onResolve({ filter: /\/getInstanceMetadataRegion$/ }, () => ({ path: NO_METADATA_REGION }));
    build.onResolve({ filter: /\/DefaultRateLimiter$/ }, () => ({ path: NO_RATE_LIMITER }));
    build.onLoad({ filter: /@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/ }, onlyVersion);
    build.onLoad({ filter: /client-dynamodb[\\/]dist-es[\\/]models[\\/]errors\.js$/ }, dynamoDbErrors);
  },
};

/** A client reads its package.json for the version that it names to AWS. */
async function onlyVersion({ path }) {
  const { version } = JSON.parse(await readFile(path, 'utf8'));
  return { contents: JSON.stringify({ version }), loader: 'json' };
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
