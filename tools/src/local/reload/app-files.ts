import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import picomatch from 'picomatch';
import * as z from 'zod';

/** Files that an app is written in. Others change what is synthesized so rarely that a restart will do. */
const SOURCE = /\.(?:[cm]?[jt]sx?|json|ya?ml)$/;

const watchSchema = z.object({
  watch: z
    .object({ exclude: z.union([z.string(), z.array(z.string())]).optional() })
    .optional()
    .catch(undefined),
});

export interface AppFiles {
  /** A folder that nothing below is looked at. */
  isIgnoredFolder(path: string): boolean;
  /** A file whose change may change what is synthesized. */
  isSource(path: string): boolean;
}

/**
 * Chooses the files below the app's folder that are looked at. Left out are packages, folders that begin with a dot,
 * what the CDK has synthesized, and what `watch.exclude` of a cdk.json names, as for `cdk watch`.
 *
 * @param dataDir the runtime writes there itself
 */
export async function readAppFiles(cwd: string, dataDir: string | undefined): Promise<AppFiles> {
  const excluded = picomatch(await excludes(cwd), { dot: true });
  const isExcluded = (path: string) => {
    const inside = relative(cwd, path).split(sep).join('/');
    return inside !== '' && (excluded(inside) || excluded(basename(path)));
  };
  return {
    isIgnoredFolder: (path) => {
      const name = basename(path);
      const isOurs = path === dataDir || name === 'node_modules' || name.startsWith('cdk.out');
      return path !== cwd && (isOurs || name.startsWith('.') || isExcluded(path));
    },
    isSource: (path) => SOURCE.test(path) && !isExcluded(path),
  };
}

/** Chooses the files of a folder that is synthesized already: templates and manifests. */
export function assemblyFiles(): AppFiles {
  return {
    isIgnoredFolder: (path) => basename(path).startsWith('asset.'),
    isSource: (path) => path.endsWith('.json') && !basename(dirname(path)).startsWith('asset.'),
  };
}

async function excludes(cwd: string): Promise<string[]> {
  try {
    const { watch } = watchSchema.parse(JSON.parse(await readFile(join(cwd, 'cdk.json'), 'utf8')));
    return [watch?.exclude ?? []].flat();
  } catch {
    // The synthesis says what is wrong with it.
    return [];
  }
}
