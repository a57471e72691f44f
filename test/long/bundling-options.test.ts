import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { afterAll, expect, it } from 'vitest';
import { Backlog } from '../../cdk/index.js';

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
}, 60_000);
