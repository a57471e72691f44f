import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import * as esbuild from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { Backlog } from '../../cdk/index.js';
import { LOCAL_CONTEXT } from '../../src/support/local-bundle.js';
import { readAssembly } from '../../tools/src/local/template/assembly.js';
import { readApp } from '../../tools/src/local/template/template.js';

const scratch = mkdtempSync(join(tmpdir(), 'backlog-bundling-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The folders of the bundles of an entry, by the names of their queues. */
function bundle(queues: Readonly<Record<string, BundlingOptions>>, context: Record<string, string> = {}) {
  const outdir = mkdtempSync(join(scratch, 'out-'));
  const app = new App({ outdir, analyticsReporting: false, context });
  const queueOf = (name: string, bundling: BundlingOptions) => ({
    retry: { type: 'none' as const },
    entry: 'test/long/fixtures/throwing.ts',
    bundling: { ...bundling, banner: `/* of the queue ${name} */` },
  });
  new Backlog(new Stack(app, 'Shop'), 'Backlog', {
    runtime: Runtime.NODEJS_22_X,
    queues: Object.fromEntries(
      Object.entries(queues).map(([name, bundling]) => [name, queueOf(name, bundling)]),
    ),
  });
  app.synth();
  const folders = readdirSync(outdir)
    .map((name) => join(outdir, name))
    .filter((path) => existsSync(join(path, 'index.mjs')));
  const withBanner = (name: string) =>
    folders.find((one) => codeOf(one).includes(`/* of the queue ${name} */`));
  return Object.fromEntries(Object.keys(queues).map((name) => [name, withBanner(name) ?? '']));
}

const codeOf = (folder: string) => readFileSync(join(folder, 'index.mjs'), 'utf8');
const mapOf = (folder: string) => join(folder, 'index.mjs.map');
const stackOf = (folder: string, env: Record<string, string> = {}) =>
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      'await import(process.argv[1]).catch(({ stack }) => console.log(stack))',
      join(folder, 'index.mjs'),
    ],
    { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } },
  );
const IN_TYPESCRIPT =
  /^RangeError: throws at load\n {4}at (?:\w+\.)?check \(test\/long\/fixtures\/throwing\.ts:9:9\)\n {4}at test\/long\/fixtures\/throwing\.ts:11:1\n/;

const deployed = bundle({
  defaults: {},
  options: {
    externalModules: ['@aws-sdk/*'],
    inject: ['test/long/fixtures/injected.ts'],
    commandHooks: {
      beforeBundling: () => [],
      beforeInstall: () => [],
      afterBundling: (_, output) => [
        `node -e "fs.copyFileSync('${output}/index.mjs.map', '${output}/seen.json')"`,
      ],
    },
  },
  withoutMap: { sourceMap: false },
});

it('an entry has a map with the sources as the project names them, and its stacks do as well', () => {
  const { defaults: folder = '' } = deployed;
  const { sources, sourcesContent } = JSON.parse(readFileSync(mapOf(folder), 'utf8'));
  expect(sources).toContain('test/long/fixtures/throwing.ts');
  expect(sources.filter((source: string) => /^(\.\.|\/|file:|[a-z]:)/i.test(source))).toEqual([]);
  expect(sourcesContent).toBeUndefined();
  expect(codeOf(folder)).toMatch(/\/\/# sourceMappingURL=index\.mjs\.map\n?$/);
  expect(stackOf(folder)).toMatch(IN_TYPESCRIPT);
  // The flag of Node.js, which a user may have set, takes its place.
  expect(stackOf(folder, { NODE_OPTIONS: '--enable-source-maps' })).toContain(
    '/test/long/fixtures/throwing.ts:9:9)',
  );
});

it('an entry is bundled with the options of its queue beside those of the library', () => {
  const { options: folder = '' } = deployed;
  const code = codeOf(folder);
  expect(code.slice(0, 300)).toContain('createRequire as requireFrom');
  expect(code.slice(0, 300)).toContain('/* of the queue options */');
  expect(code).toContain('from"@aws-sdk/');
  expect(code).toContain('injected by the shop');
  expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8')).sources).toContain(
    'test/long/fixtures/throwing.ts',
  );
});

it('without a map the bundle has no code for it', () => {
  const { withoutMap: folder = '' } = deployed;
  expect(existsSync(mapOf(folder))).toBe(false);
  expect(codeOf(folder)).not.toContain('prepareStackTrace=');
  expect(codeOf(folder)).not.toContain('sourceMappingURL');
});

it('for the local runtime it can be debugged: names as they are written, a map of the files on this machine', () => {
  const { orders: folder = '' } = bundle({ orders: {} }, { [LOCAL_CONTEXT]: 'true' });
  // esbuild numbers names that several files have.
  expect(codeOf(folder)).toMatch(/function check\(text\d*\) \{/);
  const { sources } = JSON.parse(readFileSync(mapOf(folder), 'utf8')) as { sources: string[] };
  const files = sources.map((source) => join(folder, source));
  expect(files).toContain(join(process.cwd(), 'test', 'long', 'fixtures', 'throwing.ts'));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  expect(stackOf(folder, { BACKLOG_SOURCE_ROOT: process.cwd() })).toMatch(IN_TYPESCRIPT);
});

it('what the template tells the local runtime makes the same bundle as the CDK', async () => {
  const outdir = join(scratch, 'local');
  const app = new App({ outdir, analyticsReporting: false, context: { [LOCAL_CONTEXT]: 'true' } });
  const entry = 'test/cdk/fixtures/handler.ts';
  const bundling = {
    banner: '/* of the shop */',
    footer: '/* the end */',
    sourceMap: true,
    sourcesContent: false,
    define: { 'process.env.SHOP': '"1"' },
    externalModules: ['@aws-sdk/*'],
    minify: false,
  };
  new Backlog(new Stack(app, 'Shop'), 'Backlog', {
    queues: {
      plain: { retry: { type: 'none' }, entry },
      rich: { retry: { type: 'none' }, entry, bundling },
    },
  });
  app.synth();
  const described = readApp(await readAssembly(outdir)).functions.filter(({ bundle }) => bundle);
  expect(described.map(({ name }) => name).sort()).toEqual([
    'BacklogQueuesplainFunction',
    'BacklogQueuesrichFunction',
  ]);
  for (const { bundle, folder } of described) {
    const outfile = join(outdir, 'again', 'index.mjs');
    await esbuild.build({ ...(bundle as object), outfile });
    for (const name of readdirSync(folder)) {
      expect(readFileSync(join(outdir, 'again', name), 'utf8')).toBe(
        readFileSync(join(folder, name), 'utf8'),
      );
    }
  }
});
