import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeUnused } from '../../../src/tools/local/reload/unused-folders.js';
import { lambda } from './app-under-test.js';

async function world() {
  const scratch = await mkdtemp(join(tmpdir(), 'backlog-scratch-'));
  const made = [
    'synthesis-1',
    'synthesis-2',
    'synthesis-12',
    'logs',
    'bundles/a-1',
    'bundles/a-2',
    'bundles/a-22',
  ];
  for (const name of made) await mkdir(join(scratch, name), { recursive: true });
  const file = join(scratch, 'synthesis-1', 'asset.layer', 'queues.json');
  const used = [
    lambda('a', { folder: join(scratch, 'bundles', 'a-2') }),
    lambda('b', { folder: '/elsewhere', environment: { BACKLOG_QUEUES_FILE: file } }),
  ];
  const left = async () => [...(await readdir(scratch)), ...(await readdir(join(scratch, 'bundles')))].sort();
  return { scratch, used, left };
}

it('what a function runs from, or a variable names, stays, and the newest synthesis', async () => {
  const { scratch, used, left } = await world();
  await removeUnused(scratch, used, join(scratch, 'synthesis-12'));
  expect(await left()).toEqual(['a-2', 'bundles', 'logs', 'synthesis-1', 'synthesis-12']);
});

it('all syntheses stay while one may be under way', async () => {
  const { scratch, used, left } = await world();
  await removeUnused(scratch, used, undefined);
  expect(await left()).toEqual(['a-2', 'bundles', 'logs', 'synthesis-1', 'synthesis-12', 'synthesis-2']);
});
