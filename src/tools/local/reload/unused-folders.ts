import { readdir, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { LocalFunction } from '../template/local-app.js';

/**
 * Removes the bundles and syntheses that no function runs from any more. A day of saving would fill the disk.
 *
 * @param functions all that run, or are at work still
 * @param newest the folder of the newest synthesis, which stays; undefined: one is under way, and all of them stay
 */
export async function removeUnused(
  scratch: string,
  functions: readonly LocalFunction[],
  newest: string | undefined,
): Promise<void> {
  // Code is in them, and files that variables name.
  const used = functions.flatMap(({ folder, environment }) => [folder, ...Object.values(environment)]);
  const bundles = join(scratch, 'bundles');
  const syntheses = (await namesIn(scratch)).filter((name) => name.startsWith('synthesis-'));
  const folders = [
    ...(await namesIn(bundles)).map((name) => join(bundles, name)),
    ...(newest === undefined ? [] : syntheses.map((name) => join(scratch, name))),
  ];
  const isUsed = (folder: string) =>
    folder === newest || used.some((path) => path === folder || path.startsWith(`${folder}${sep}`));
  const unused = folders.filter((folder) => !isUsed(folder));
  await Promise.all(unused.map((folder) => rm(folder, { recursive: true, force: true }).catch(() => {})));
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
