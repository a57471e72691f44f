import { lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';

/** Written first, then renamed: a file of the app is there in full or not at all. */
const PARTIAL = '.backlog-init';

export interface Place {
  /** Paths of the app with other contents, and names that are not the app's. */
  readonly inTheWay: readonly string[];
  /** Paths of the app that are not there yet. */
  readonly missing: readonly string[];
}

/** Compares a folder with the files that are to be in it, and in it alone. What is there with the same content is neither. */
export async function inspect(folder: string, files: ReadonlyMap<string, string>): Promise<Place> {
  const inTheWay = new Set(await foreignNames(folder, files));
  const missing: string[] = [];
  for (const [path, text] of files) {
    const obstacle = await obstacleOf(folder, path, text);
    if (obstacle === 'absent') missing.push(path);
    else if (obstacle !== undefined) inTheWay.add(obstacle);
  }
  return { inTheWay: [...inTheWay].toSorted(), missing };
}

/** Names in a folder that are not the app's. Hidden ones, such as git's or an editor's, do not count. */
async function foreignNames(folder: string, files: ReadonlyMap<string, string>): Promise<string[]> {
  const own = new Set([...files.keys()].map((path) => path.split('/')[0]));
  const names = (await readdir(folder).catch(ifAbsent)) ?? [];
  return names.filter((name) => !name.startsWith('.') && !own.has(name));
}

/** Writes what is missing. Repeated after it was interrupted, it writes the rest. */
export async function write(
  folder: string,
  files: ReadonlyMap<string, string>,
  paths: readonly string[],
): Promise<void> {
  const partial = join(folder, PARTIAL);
  await makeFolder(folder);
  try {
    for (const path of paths) {
      await makeFolder(dirname(join(folder, path)));
      await writeFile(partial, files.get(path) ?? '');
      await rename(partial, join(folder, path));
    }
  } finally {
    await rm(partial, { force: true });
  }
}

/** `recursive` of mkdir says ENOENT on a read-only file system, and does not end below /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(path))) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path);
  }
}

/** Returns the path in the way of a file, or `absent`; `undefined`: the same file is there. A folder of the app must be a real one: a link may lead anywhere. */
async function obstacleOf(folder: string, path: string, text: string): Promise<string | undefined> {
  for (const parent of parentsOf(path)) {
    const found = await lstat(join(folder, parent)).catch(ifAbsent);
    if (found === undefined) return 'absent';
    if (!found.isDirectory()) return parent;
  }
  const file = join(folder, path);
  const found = await lstat(file).catch(ifAbsent);
  if (found === undefined) return 'absent';
  return found.isFile() && (await readFile(file, 'utf8')) === text ? undefined : path;
}

/** `a/b/c` is in `a` and `a/b`. */
function parentsOf(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === '.' ? [] : [...parentsOf(parent), parent];
}

/** Tells whether there is a folder, or a link to one; `undefined`: there is nothing. */
export async function isFolder(path: string): Promise<boolean | undefined> {
  return (await stat(path).catch(ifAbsent))?.isDirectory();
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
