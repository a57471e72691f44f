// `npm run pack -- FOLDER` writes the tarballs of all packages, as npm would serve them: it builds nothing.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCRATCH = join(ROOT, 'node_modules', '.cache', 'dynamo-backlog');
/** Documents and examples, which the tools bring for those who develop an app. */
const SHARED = ['README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs', 'examples'];

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('npm run pack -- FOLDER\n');
  process.exit(2);
}
mkdirSync(resolve(folder), { recursive: true });
mkdirSync(SCRATCH, { recursive: true });
const scratch = mkdtempSync(join(SCRATCH, 'pack-'));
try {
  process.stdout.write(`${JSON.stringify([pack(ROOT), pack(tools())], null, 2)}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The folder of the tools as they are published: in the repository, their library is the folder above. */
function tools() {
  const own = JSON.parse(readFileSync(join(ROOT, 'tools', 'package.json'), 'utf8'));
  for (const name of ['bin', 'dist'])
    cpSync(join(ROOT, 'tools', name), join(scratch, name), { recursive: true });
  for (const name of SHARED) cpSync(join(ROOT, name), join(scratch, name), { recursive: true });
  const { private: _, ...published } = own;
  published.dependencies['dynamo-backlog'] = own.version;
  writeFileSync(join(scratch, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  return scratch;
}

/** Packs a folder, and returns what npm says of the tarball. */
function pack(cwd) {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', resolve(folder)];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  return JSON.parse(stdout)[0];
}
