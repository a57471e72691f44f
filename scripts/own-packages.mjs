import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Installs the packages of a folder with a package.json of its own, once per lock file, so that `npm ci` of the project stays small.
 *
 * @param path the folder, from the project's root
 * @param name what is installed, for the message
 */
export function installPackages(path, name) {
  const folder = join(root, path);
  const complete = join(folder, 'node_modules', '.complete');
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(complete) && readFileSync(complete, 'utf8') === wanted) return;
  process.stdout.write(`installing ${name} into ${path} ...\n`);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync('npm', ['ci', ...options], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write(
      `npm could not install it${error ? `: ${error.message}` : '; its reason is above'}\n`,
    );
    process.exit(1);
  }
  writeFileSync(complete, wanted);
}

/** Runs a program of node with the project as its folder; its exit code becomes ours. */
export function runNode(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
