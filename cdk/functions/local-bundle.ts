import { resolve } from 'node:path';
import type { AssetStaging, CfnResource } from 'aws-cdk-lib';
import type { BundlingOptions, NodejsFunction, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';
import { BUNDLE_METADATA, type BundleDescription, LOCAL_CONTEXT } from '../../src/support/local-bundle.js';

/**
 * Tells the local runtime, if it asks, how to bundle a function again when one of its files was saved. A function that was
 * bundled with more than esbuild alone is not described: the runtime then synthesizes the app again.
 */
export function describeBundle(lambda: NodejsFunction, entry: string, bundling: BundlingOptions): void {
  if (lambda.node.tryGetContext(LOCAL_CONTEXT) === undefined) return;
  const description = descriptionOf(lambda, entry, bundling);
  if (description) (lambda.node.defaultChild as CfnResource).addMetadata(BUNDLE_METADATA, description);
}

function descriptionOf(
  lambda: NodejsFunction,
  entry: string,
  bundling: BundlingOptions,
): BundleDescription | undefined {
  const staging = lambda.node.tryFindChild('Code')?.node.tryFindChild('Stage') as AssetStaging | undefined;
  const options = esbuildOptions(bundling);
  if (!staging || !options) return undefined;
  return { ...options, entryPoints: [entry], absWorkingDir: staging.sourcePath };
}

/** Options of esbuild for what the CDK puts on its command line. Undefined: one of the options is not known here. */
export function esbuildOptions(bundling: BundlingOptions): Record<string, unknown> | undefined {
  const { format, target, minify, keepNames, mainFields, loader, define, inject, ...others } = bundling;
  const { banner, footer, sourceMap, sourceMapMode, sourcesContent, tsconfig, ...more } = others;
  // These do not change the bundle, or say what is external.
  const { logLevel: _, bundleAwsSDK: __, externalModules, ...unknown } = more;
  const isUnknown = Object.values(unknown).some((value) => value !== undefined);
  if (isUnknown || externalModules === undefined) return undefined;
  return withoutUndefined({
    bundle: true,
    platform: 'node',
    format,
    target,
    minify,
    keepNames,
    mainFields,
    loader,
    define,
    inject,
    external: externalModules,
    banner: banner === undefined ? undefined : { js: banner },
    footer: footer === undefined ? undefined : { js: footer },
    sourcemap: sourceMapOf(sourceMap, sourceMapMode),
    sourcesContent,
    tsconfig: tsconfig === undefined ? undefined : resolve(tsconfig),
  });
}

function sourceMapOf(wanted: boolean | undefined, mode: SourceMapMode | undefined) {
  // The mode "default" is true, too.
  const named = mode === undefined || (mode as string) === 'default' ? true : mode;
  return wanted || mode !== undefined ? named : undefined;
}

function withoutUndefined(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
