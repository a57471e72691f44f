import { createRequire } from 'node:module';

/**
 * The CDK's recommended flags, and the metadata that its command line asks for. In code, not in cdk.json: the template
 * must be the same for every user, and however the app is run.
 */
export const CONTEXT: Readonly<Record<string, unknown>> = {
  ...createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json'),
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:enable-asset-metadata': true,
};
