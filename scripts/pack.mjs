// `npm run pack -- FOLDER` writes the tarballs of all packages, as npm would serve them: it builds nothing.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCRATCH = join(ROOT, 'node_modules', '.cache', 'dynamo-backlog');
/** Documents at the root of the repository, which the tools bring for those who develop an app. */
const DOCUMENTS = ['README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md'];

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('npm run pack -- FOLDER\n');
  process.exit(2);
}
mkdirSync(resolve(folder), { recursive: true });
mkdirSync(SCRATCH, { recursive: true });
const scratch = mkdtempSync(join(SCRATCH, 'pack-'));
try {
  const tools = published('tools', [...DOCUMENTS, 'docs', 'examples']);
  const create = published('create', ['LICENSE']);
  process.stdout.write(`${JSON.stringify([pack(ROOT), pack(tools), pack(create)], null, 2)}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/**
 * The folder of a workspace as it is published: in the repository it is private, and the library that tools depend on is the
 * folder above.
 */
function published(workspace, shared) {
  const folder = join(scratch, workspace);
  cpSync(join(ROOT, workspace, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(ROOT, workspace, 'dist'), join(folder, 'dist'), { recursive: true });
  for (const name of shared) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const { private: _, ...own } = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));
  if (own.dependencies) own.dependencies['dynamo-backlog'] = own.version;
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  return folder;
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
