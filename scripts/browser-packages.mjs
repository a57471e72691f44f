import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'test', 'browser');
const complete = join(folder, 'node_modules', '.complete');

/** Installs the browser of test/browser once per lock file, so that `npm ci` of the project stays small. */
export function installBrowser() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(complete) && readFileSync(complete, 'utf8') === wanted) return;
  process.stdout.write('installing a browser into test/browser ...\n');
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
