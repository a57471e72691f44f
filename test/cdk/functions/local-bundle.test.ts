import { resolve } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';
import { describe, expect, it } from 'vitest';
import { esbuildOptions } from '../../../cdk/functions/local-bundle.js';
import { Backlog } from '../../../cdk/index.js';
import { BUNDLE_METADATA, LOCAL_CONTEXT } from '../../../src/support/local-bundle.js';

const ENTRY = 'test/cdk/fixtures/handler.ts';

/** The descriptions that the functions of an app give of their bundles. */
function described(context: Record<string, unknown>, bundling?: object): unknown[] {
  const app = new App({
    analyticsReporting: false,
    context: { 'aws:cdk:bundling-stacks': [], ...context },
  });
  const stack = new Stack(app, 'Shop');
  new Backlog(stack, 'Backlog', {
    queues: { orders: { retry: { type: 'none' }, entry: ENTRY, ...(bundling && { bundling }) } },
  });
  const functions = Template.fromStack(stack).findResources('AWS::Lambda::Function');
  return Object.values(functions).flatMap(({ Metadata = {} }) => Metadata[BUNDLE_METADATA] ?? []);
}

describe('what a function was bundled from', () => {
  it('is not in a template that is deployed', () => {
    expect(described({})).toEqual([]);
  });

  it('is told to the local runtime', () => {
    expect(described({ [LOCAL_CONTEXT]: 'true' })).toMatchObject([
      {
        entryPoints: [resolve(ENTRY)],
        absWorkingDir: process.cwd(),
        bundle: true,
        platform: 'node',
        format: 'esm',
        target: 'node24',
        minify: false,
        keepNames: true,
        external: [],
      },
    ]);
  });

  it('is not told where more than esbuild makes the code', () => {
    const hooks = { beforeBundling: () => [], beforeInstall: () => [], afterBundling: () => [] };
    const local = { [LOCAL_CONTEXT]: 'true' };
    expect(described(local, { commandHooks: hooks })).toEqual([]);
    expect(described(local, { esbuildArgs: { '--log-limit': '0' } })).toEqual([]);
    expect(described(local, { sourceMap: true })).toHaveLength(1);
  });
});

it.each([
  [{ sourceMap: true }, true],
  [{ sourceMap: true, sourceMapMode: SourceMapMode.DEFAULT }, true],
  [{ sourceMapMode: SourceMapMode.INLINE }, 'inline'],
  [{ sourceMap: false }, undefined],
  [{}, undefined],
])('%j makes the source map that the CDK makes', (bundling, sourcemap) => {
  const options = esbuildOptions({ format: OutputFormat.ESM, externalModules: [], ...bundling });
  expect(options?.sourcemap).toBe(sourcemap);
});
