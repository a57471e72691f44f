// Reads the package as npm would publish it, as the last build has left it: publint and "are the types wrong?".

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'backlog-check-'));
try {
  // `attw --pack` would have npm build it again.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(run('npm', args, 'pipe'));
  const file = join(folder, filename);
  run('npx', ['publint', '--strict', file]);
  run('npx', ['attw', file, '--profile', 'esm-only']);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(program, args, out = 'inherit') {
  const { status, stdout, error } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', out, 'inherit'],
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args[0]} ended with ${status}`);
  return stdout;
}
