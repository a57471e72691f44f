// Packs the library, as the last build has left it, into node_modules/.cache/dynamo-backlog/library.tgz, for `npm run check`: it builds
// nothing, as `npm pack` would.

import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'node_modules', '.cache', 'dynamo-backlog');

mkdirSync(FOLDER, { recursive: true });
const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', FOLDER];
const { status, stdout, stderr } = spawnSync('npm', args, {
  cwd: ROOT,
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
if (status === 0) renameSync(join(FOLDER, JSON.parse(stdout)[0].filename), join(FOLDER, 'library.tgz'));
else process.stderr.write(stderr);
process.exitCode = status ?? 1;
