import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type BundlingOptions,
  type ICommandHooks,
  LogLevel,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import { ConfigurationError } from '../../src/support/errors.js';
import { LOCAL_CONTEXT } from '../../src/support/local-bundle.js';
import { nodeVersion } from '../props/function-shape.js';
import type { FunctionSettings } from './function-settings.js';

/** The library is an ES module, and some of what it bundles asks for `require`. */
const BANNER =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** The options by which esbuild bundles an `entry`: with a source map, and so that stacks name places in TypeScript. */
export function entryBundling(
  scope: Construct,
  { runtime, bundling = {} }: Pick<FunctionSettings, 'runtime' | 'bundling'>,
): BundlingOptions {
  const isLocal = scope.node.tryGetContext(LOCAL_CONTEXT) !== undefined;
  const options = {
    format: OutputFormat.ESM,
    logLevel: LogLevel.WARNING,
    target: `node${nodeVersion(runtime)}`,
    // A debugger shows variables by the names that the bundle has.
    minify: !isLocal,
    keepNames: true,
    mainFields: ['module', 'main'],
    bundleAwsSDK: true,
    externalModules: [],
    sourceMap: true,
    sourcesContent: false,
    ...bundling,
    banner: bundling.banner === undefined ? BANNER : `${BANNER}\n${bundling.banner}`,
  };
  // In a container, this package's files have other paths.
  if (!options.sourceMap || options.forceDockerBundling) return options;
  return {
    ...options,
    inject: [built('functions/stacks/install.js'), ...(bundling.inject ?? [])],
    // The local runtime's map names files of this machine: a debugger sets breakpoints in them.
    ...(isLocal ? {} : { commandHooks: withProjectSources(bundling.commandHooks) }),
  };
}

/** Makes the map the same on every machine, before commands of the user's own see it. */
function withProjectSources(own: ICommandHooks | undefined): ICommandHooks {
  const script = built('cdk/functions/project-sources.js');
  return {
    beforeBundling: (input, output) => own?.beforeBundling(input, output) ?? [],
    beforeInstall: (input, output) => own?.beforeInstall(input, output) ?? [],
    afterBundling: (input, output) => [
      ['node', ...[script, output, input].map(quoted)].join(' '),
      ...(own?.afterBundling(input, output) ?? []),
    ],
  };
}

function quoted(path: string): string {
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}

/** A file of the built package, whether this one runs compiled (below dist) or from source. */
function built(path: string): string {
  const files = [`../../${path}`, `../../dist/${path}`].map((one) =>
    fileURLToPath(new URL(one, import.meta.url)),
  );
  const found = files.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new ConfigurationError(
    `${path} is not there: run "npm run build" first (looked for ${files.join(' and ')})`,
  );
}
