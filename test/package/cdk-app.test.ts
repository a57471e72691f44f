import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { addFixture, asLocked, install, makeApp, nodeOf, ownPackageJson } from './apps.js';
import { mustRun, run } from './run.js';

let app: string;
beforeAll(async () => {
  app = await makeApp('cdk-app', [
    inject('packed').file,
    await asLocked('aws-cdk-lib'),
    await asLocked('constructs'),
  ]);
  await addFixture('cdk-app', app);
});

/** Nothing to fall back on: what the CDK would start for want of esbuild. */
const NO_DOCKER = { CDK_DOCKER: 'no-such-docker' };

/** docs/cdk.md names it: esbuild is the app's own, and no peer. */
const OLDEST_ESBUILD = 'esbuild@0.18.0';

describe('without esbuild and Docker', () => {
  it('the built-in delivery synthesizes, from the bundles that come with the package', async () => {
    await mustRun('node', ['delivery.mjs'], { cwd: app, env: { ...NO_DOCKER, CDK_OUTDIR: 'out-delivery' } });
    const files = [
      'delivery/fibonacci',
      'delivery/progressive',
      'upkeep/intake',
      'upkeep/sweep',
      'upkeep/monitor',
    ];
    const out = join(app, 'out-delivery');
    const bundles = await Promise.all(files.map((file) => assetsWith(out, `${basename(file)}.mjs`)));
    const folder = join(app, 'node_modules/dynamo-backlog/dist/handlers');
    const ours = await Promise.all(files.map((file) => readFile(join(folder, `${file}.mjs`), 'utf8')));
    // Hashes: the code itself would fill the log of a failure.
    const hashes = (code: readonly string[]) =>
      code.map((text) => createHash('sha256').update(text).digest('hex')).toSorted();
    expect(hashes(bundles.flat())).toEqual(hashes(ours));
  });

  it('an entry says what is missing', async () => {
    const { code, err } = await run('node', ['entry.mjs'], { cwd: app, env: NO_DOCKER });
    expect(code).not.toBe(0);
    expect(err).toContain(
      'queues.orders.entry: expected esbuild to be installed, which bundles it: npm install --save-dev esbuild',
    );
  });
});

describe('with esbuild and TypeScript', () => {
  beforeAll(() => install(app, ['esbuild', 'tsx', '@types/node@20'], '--save-dev'));

  it.each([
    ['typescript-5', 'nodenext', true],
    ['typescript-7', 'nodenext', true],
    ['typescript-7', 'bundler', false],
  ])('%s takes the types, moduleResolution %s, exactOptionalPropertyTypes %s', async (...settings) => {
    expect(await complaints(...settings)).toEqual([]);
  });

  it.each([20, 24])('synthesizes on Node %i', async (major) => {
    const out = await synthesize(`out-${major}`, await nodeOf(major));
    const { Resources } = await template(out, 'Shop');
    const rules = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Events::Rule');
    // Four queues with one rule each, two with six, the sweep and the monitor.
    expect(rules).toHaveLength(18);
    const { Resources: imported } = await template(out, 'Tables');
    expect(JSON.stringify(imported)).toContain('table/orders/stream/2026-01-01T00:00:00.000');
    const bundles = await assetsWith(out, 'index.mjs');
    expect(bundles.filter((code) => code.includes('nothing to do'))).toHaveLength(1);
  });

  it.each([
    ['typescript-5', 20],
    ['typescript-7', 24],
  ])(
    'takes a CommonJS app, as `cdk init` makes it, compiled by %s and run on Node %i',
    async (compiler, major) => {
      const folder = join(app, `commonjs-${major}`);
      await mkdir(folder);
      await copyFile(join(app, 'delivery.mjs'), join(folder, 'app.ts'));
      await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'commonjs' }));
      const compilerOptions = {
        target: 'es2022',
        module: 'nodenext',
        strict: true,
        skipLibCheck: true,
        types: ['node'],
      };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }));
      const tsc = join(inject('compilers'), 'node_modules', compiler, 'bin', 'tsc');
      await mustRun(process.execPath, [tsc, '-p', '.'], { cwd: folder });
      expect(await readFile(join(folder, 'app.js'), 'utf8')).toContain('require("dynamo-backlog/cdk")');
      const env = { ...NO_DOCKER, CDK_OUTDIR: 'out' };
      const { err } = await mustRun(await nodeOf(major), ['app.js'], { cwd: folder, env });
      expect(err).not.toContain('Warning');
      expect(await template(join(folder, 'out'), 'Delivery')).toBeDefined();
    },
  );

  it('makes the same template on each of them, with the other account in the policies of table and key', async () => {
    const [old, recent] = await Promise.all(
      [20, 24].map((major) => readFile(join(app, `out-${major}`, 'Shop.template.json'), 'utf8')),
    );
    expect(recent).toBe(old);
    const { Resources } = JSON.parse(String(old)) as Template;
    const letIn = Object.values(Resources).filter(({ Properties }) =>
      JSON.stringify(Properties?.Replicas ?? Properties?.KeyPolicy ?? '').includes(':iam::222222222222:root'),
    );
    expect(letIn.map(({ Type }) => Type).toSorted()).toEqual(['AWS::DynamoDB::GlobalTable', 'AWS::KMS::Key']);
  });

  it('its handler runs as it was bundled', async () => {
    const script = `const { handler } = await import(process.argv[1]);
      await handler({ queue: 'imports' }, { getRemainingTimeInMillis: () => 1000 }).catch((error) => console.log(error.stack));`;
    const [bundle] = await assetFiles(join(app, 'out-20'), 'index.mjs', 'nothing to do');
    const { out } = await mustRun('node', ['--input-type=module', '-e', script, String(bundle)], {
      cwd: app,
    });
    // Without the construct's environment, which it names.
    expect(out).toContain('BACKLOG_TABLE');
    expect(out).toMatch(/ {4}at .*\(node_modules\/dynamo-backlog\/dist\/functions\/settings\.js:\d+:\d+\)/);
  });

  it('synthesizes with the oldest aws-cdk-lib, constructs and esbuild that the package takes', async () => {
    const { peerDependencies } = await ownPackageJson();
    const oldest = ['aws-cdk-lib', 'constructs'].map(
      (name) => `${name}@${peerDependencies[name]?.replace('^', '')}`,
    );
    const old = await makeApp('oldest', [inject('packed').file, ...oldest, OLDEST_ESBUILD, 'tsx']);
    await addFixture('cdk-app', old);
    const out = await synthesize('out-oldest', process.execPath, old);
    expect(await template(out, 'Shop')).toBeDefined();
    const [code] = (await assetsWith(out, 'index.mjs')).filter((text) => text.includes('nothing to do'));
    expect(code).toContain('prepareStackTrace');
  });
});

interface Template {
  readonly Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

async function synthesize(folder: string, node: string, cwd = app): Promise<string> {
  const tsx = join('node_modules', 'tsx', 'dist', 'cli.mjs');
  await mustRun(node, [tsx, 'app.ts'], { cwd, env: { ...NO_DOCKER, CDK_OUTDIR: folder } });
  return join(cwd, folder);
}

async function template(folder: string, stack: string): Promise<Template> {
  return JSON.parse(await readFile(join(folder, `${stack}.template.json`), 'utf8'));
}

/** The files of that name in the assets, with a text in them. */
async function assetFiles(folder: string, file: string, text = ''): Promise<string[]> {
  const assets = (await readdir(folder))
    .map((name) => join(folder, name, file))
    .filter((path) => existsSync(path));
  const codes = await Promise.all(assets.map((path) => readFile(path, 'utf8')));
  return assets.filter((_, i) => codes[i]?.includes(text));
}

async function assetsWith(folder: string, file: string): Promise<string[]> {
  return Promise.all((await assetFiles(folder, file)).map((path) => readFile(path, 'utf8')));
}

/** The compiler's complaints about the app and the types that come with the package; the CDK's own are its affair. */
async function complaints(compiler: string, moduleResolution: string, exact: boolean): Promise<string[]> {
  const project = join(app, `tsconfig.${compiler}-${moduleResolution}-${exact}.json`);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    declaration: true,
    target: 'es2022',
    module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
    moduleResolution,
    exactOptionalPropertyTypes: exact,
    skipLibCheck: false,
    types: ['node'],
  };
  await writeFile(
    project,
    JSON.stringify({ compilerOptions, files: ['app.ts', 'handler.ts', 'producer.ts', 'exported.ts'] }),
  );
  const tsc = join(inject('compilers'), 'node_modules', compiler, 'bin', 'tsc');
  const { out } = await run(process.execPath, [tsc, '--pretty', 'false', '-p', project], { cwd: app });
  const lines = out.split('\n').filter((line) => line.includes('error TS'));
  return exact ? lines.filter((line) => !/^node_modules\/(aws-cdk-lib|constructs)\//.test(line)) : lines;
}
