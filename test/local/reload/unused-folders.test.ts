import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeUnused } from '../../../tools/src/local/reload/unused-folders.js';
import { lambda } from './app-under-test.js';

it('what a function runs from, or a variable names, stays', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'backlog-scratch-'));
  const made = [
    'synthesis-1',
    'synthesis-2',
    'synthesis-12',
    'logs',
    'bundle-1-a',
    'bundle-2-a',
    'bundle-2-ab',
  ];
  for (const name of made) await mkdir(join(scratch, name));
  const file = join(scratch, 'synthesis-1', 'asset.layer', 'queues.json');
  const used = [
    lambda('a', { folder: join(scratch, 'bundle-2-a') }),
    lambda('b', { folder: join(scratch, 'synthesis-12', 'asset.b'), environment: { QUEUES_FILE: file } }),
  ];
  await removeUnused(scratch, 'synthesis-', used);
  const bundles = ['bundle-1-a', 'bundle-2-a', 'bundle-2-ab'];
  expect((await readdir(scratch)).sort()).toEqual([...bundles, 'logs', 'synthesis-1', 'synthesis-12']);
  await removeUnused(scratch, 'bundle-', used);
  expect((await readdir(scratch)).sort()).toEqual(['bundle-2-a', 'logs', 'synthesis-1', 'synthesis-12']);
});
