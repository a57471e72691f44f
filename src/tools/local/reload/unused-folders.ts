import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalFunction } from '../template/local-app.js';

/**
 * Removes the syntheses and bundles that no function runs from any more. A day of saving would fill the disk.
 *
 * @param functions all that run, or are at work still
 * @param keep the folder of the newest synthesis
 */
export async function removeUnused(
  scratch: string,
  functions: readonly LocalFunction[],
  keep: string,
): Promise<void> {
  // Code is in them, and files that variables name.
  const used = JSON.stringify(functions.map(({ folder, environment }) => [folder, environment]));
  const bundles = join(scratch, 'bundles');
  const [syntheses, made] = await Promise.all([namesIn(scratch), namesIn(bundles)]);
  const folders = [
    ...syntheses.filter((name) => name.startsWith('synthesis-')).map((name) => join(scratch, name)),
    ...made.map((name) => join(bundles, name)),
  ];
  const isUsed = (folder: string) =>
    folder === keep || used.includes(`${folder}/`) || used.includes(`${folder}"`);
  const unused = folders.filter((folder) => !isUsed(folder));
  await Promise.all(unused.map((folder) => rm(folder, { recursive: true, force: true }).catch(() => {})));
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
