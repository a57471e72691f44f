import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mustRun } from './run.js';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NPM_FLAGS = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

interface PackageJson {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

export async function ownPackageJson(): Promise<PackageJson> {
  return JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
}

/** Such as `aws-cdk-lib@2.276.0`, as this repository has it. */
export async function asLocked(name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
  return `${name}@${version}`;
}

/** Makes a user's app: a folder outside of this repository with these packages installed. */
export async function makeApp(
  name: string,
  packages: readonly string[],
  ...flags: string[]
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `backlog-${name}-`));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
  await install(folder, packages, ...flags);
  return folder;
}

export async function install(
  folder: string,
  packages: readonly string[],
  ...flags: string[]
): Promise<void> {
  await mustRun('npm', ['install', ...NPM_FLAGS, ...flags, ...packages], { cwd: folder });
}

/** Copies files of test/package/fixtures into an app. */
export async function addFixture(name: string, folder: string): Promise<void> {
  await cp(join(ROOT, 'test/package/fixtures', name), folder, { recursive: true });
}

/** The Node.js of a major version: this one, or one that npm fetches. */
export async function nodeOf(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const args = ['-y', `node@${major}`, '-p', 'process.execPath'];
  return (await mustRun('npx', args, { cwd: tmpdir() })).out.trim();
}
