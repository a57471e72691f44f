import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Esbuild } from './handler-bundle.js';

/**
 * The files that an app is made of, with all that they import, packages excepted.
 *
 * @param command a shell command such as `npx tsx infra/app.ts`
 * @returns absolute paths; undefined if the command names no file, or the file cannot be read as it is now
 */
export async function appImports(
  esbuild: Esbuild,
  command: string,
  cwd: string,
): Promise<ReadonlySet<string> | undefined> {
  const words = command.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const files = words
    .map((word) => resolve(cwd, word.replace(/^(["'])(.*)\1$/, '$2')))
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && existsSync(path) && statSync(path).isFile());
  if (files.length === 0) return undefined;
  try {
    const { metafile } = await esbuild.build({
      entryPoints: files,
      absWorkingDir: cwd,
      bundle: true,
      platform: 'node',
      packages: 'external',
      outdir: 'nowhere',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    return new Set(Object.keys(metafile.inputs).map((path) => resolve(cwd, path)));
  } catch {
    return undefined;
  }
}
