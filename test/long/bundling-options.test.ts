import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import * as esbuild from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { Backlog } from '../../cdk/index.js';
import { LOCAL_CONTEXT } from '../../src/local-bundle.js';
import { readAssembly } from '../../src/tools/local/template/assembly.js';
import { readApp } from '../../src/tools/local/template/template.js';

const scratch = mkdtempSync(join(tmpdir(), 'backlog-bundling-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('an entry is bundled with the options of its queue beside those of the library', () => {
  const app = new App({ outdir: scratch, analyticsReporting: false });
  new Backlog(new Stack(app, 'Shop'), 'Backlog', {
    runtime: Runtime.NODEJS_22_X,
    queues: {
      imports: {
        retry: { type: 'none' },
        entry: 'test/cdk/fixtures/handler.ts',
        bundling: { banner: '/* of the shop */', sourceMap: true, externalModules: ['@aws-sdk/*'] },
      },
    },
  });
  app.synth();
  const bundles = readdirSync(scratch)
    .map((name) => join(scratch, name))
    .filter((folder) => existsSync(join(folder, 'index.mjs.map')));
  expect(bundles).toHaveLength(1);
  const code = readFileSync(join(bundles[0] as string, 'index.mjs'), 'utf8');
  expect(code.slice(0, 300)).toContain('createRequire as requireFrom');
  expect(code.slice(0, 300)).toContain('/* of the shop */');
  expect(code).toContain('from"@aws-sdk/');
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
