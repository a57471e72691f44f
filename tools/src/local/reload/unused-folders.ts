import { readdir, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { LocalFunction } from '../template/local-app.js';

/**
 * Removes the folders of a parent that no function runs from any more. A day of saving would fill the disk.
 *
 * @param prefix that of their names; others stay
 * @param functions all that run, or are at work still
 */
export async function removeUnused(
  parent: string,
  prefix: string,
  functions: readonly LocalFunction[],
): Promise<void> {
  // Code is in them, and files that variables name.
  const used = functions.flatMap(({ folder, environment }) => [folder, ...Object.values(environment)]);
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  const folders = names.map((name) => join(parent, name));
  const isUsed = (folder: string) =>
    used.some((path) => path === folder || path.startsWith(`${folder}${sep}`));
  const unused = folders.filter((folder) => !isUsed(folder));
  await Promise.all(unused.map((folder) => rm(folder, { recursive: true, force: true }).catch(() => {})));
}
