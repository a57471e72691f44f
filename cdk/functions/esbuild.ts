import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface Places {
  /** A folder inside the package that will look for it: the CDK's own library. */
  readonly library: string;
  /** The folder in which its command is looked for otherwise. */
  readonly cwd: string;
}

/** Tells whether the CDK will find esbuild, as a package or as a command. Without esbuild, the CDK would start Docker. */
export function hasEsbuild(places: Partial<Places> = {}): boolean {
  const { library = libraryFolder(), cwd = process.cwd() } = places;
  try {
    createRequire(join(library, 'index.js')).resolve('esbuild/package.json');
    return true;
  } catch {
    const shell = process.platform === 'win32';
    return spawnSync('npx', ['--no-install', 'esbuild', '--version'], { cwd, shell }).status === 0;
  }
}

function libraryFolder(): string {
  return join(createRequire(import.meta.url).resolve('aws-cdk-lib/package.json'), '..');
}
