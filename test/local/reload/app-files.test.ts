import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { expect, it } from 'vitest';
import { readAppFiles } from '../../../tools/src/local/reload/app-files.js';
import { appImports } from '../../../tools/src/local/reload/app-imports.js';

const folderWith = async (files: Record<string, string>) => {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-app-files-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
};

it('sources of an app are looked at; packages, folders with a dot, the output and the data are not', async () => {
  const cwd = await folderWith({});
  const { isSource, isIgnoredFolder } = await readAppFiles(cwd, join(cwd, 'data'));
  const sources = ['app.ts', 'infra/stack.mts', 'cdk.json', 'config.yaml', 'README.md', 'log.txt'];
  expect(sources.filter((path) => isSource(join(cwd, path)))).toEqual(sources.slice(0, 4));
  const folders = ['infra', 'node_modules', 'infra/node_modules', '.git', 'cdk.out', 'data', 'database'];
  expect(folders.filter((path) => !isIgnoredFolder(join(cwd, path)))).toEqual(['infra', 'database']);
});

it('an app in a folder with a dot is looked at', async () => {
  const { isIgnoredFolder } = await readAppFiles('/home/me/.work/app', undefined);
  expect(isIgnoredFolder('/home/me/.work/app')).toBe(false);
  expect(isIgnoredFolder('/home/me/.work/app/infra')).toBe(false);
});

it('what "watch.exclude" of cdk.json names is left out, as cdk watch has it', async () => {
  const watch = { include: ['**'], exclude: ['test', '**/*.test.ts', 'docs/**', 'tsconfig.json'] };
  const cwd = await folderWith({ 'cdk.json': JSON.stringify({ app: 'x', watch }) });
  const { isSource, isIgnoredFolder } = await readAppFiles(cwd, undefined);
  const left = ['infra/app.test.ts', 'app.test.ts', 'docs/a.ts', 'tsconfig.json'];
  expect(left.filter((path) => isSource(join(cwd, path)))).toEqual([]);
  expect(isIgnoredFolder(join(cwd, 'test'))).toBe(true);
  expect(isSource(join(cwd, 'infra', 'app.ts'))).toBe(true);
});

it('a cdk.json that is none leaves nothing out', async () => {
  const cwd = await folderWith({ 'cdk.json': '{ "app": ' });
  expect((await readAppFiles(cwd, undefined)).isSource(join(cwd, 'app.test.ts'))).toBe(true);
});

it('the files of an app are found from its command', async () => {
  const cwd = await folderWith({
    'app.ts': "import { names } from './names.js'; import 'aws-cdk-lib'; console.log(names);",
    'names.ts': "import data from './data.json'; export const names = data;",
    'data.json': '[]',
    'other.ts': '',
  });
  const files = await appImports(esbuild, 'npx tsx "app.ts" --flag', cwd);
  expect([...(files ?? [])].sort()).toEqual(
    ['app.ts', 'data.json', 'names.ts'].map((name) => join(cwd, name)),
  );
  expect(await appImports(esbuild, 'npm run synth', cwd)).toBeUndefined();
  await writeFile(join(cwd, 'names.ts'), 'export const = ;');
  expect(await appImports(esbuild, 'npx tsx app.ts', cwd)).toBeUndefined();
});
