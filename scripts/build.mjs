// `npm run build`: the library by tsc, the deployable handlers by esbuild. Everything is built aside and then
// moved to dist/ at once, so that a build that fails leaves the former one as it was.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { HANDLERS, handlerBundle } from './handlers.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const SCRATCH = join(ROOT, 'node_modules', '.cache', 'dynamo-backlog');

await mkdir(SCRATCH, { recursive: true });
const scratch = await mkdtemp(join(SCRATCH, 'build-'));
try {
  const outdir = join(scratch, 'dist');
  await Promise.all([compile(outdir), ...HANDLERS.map((name) => bundle(name, outdir))]);
  await chmod(join(outdir, 'src', 'cli', 'main.js'), 0o755).catch(ignoreAbsent);
  await rename(DIST, join(scratch, 'former')).catch(ignoreAbsent);
  await rename(outdir, DIST);
} catch (error) {
  process.stderr.write(`build failed: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function compile(outdir) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const child = spawn(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', outdir], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`tsc ended with exit code ${code}`);
}

async function bundle(name, outdir) {
  await build({ ...handlerBundle(name), outdir: join(outdir, 'handlers', name) });
}

function ignoreAbsent(error) {
  if (error.code !== 'ENOENT') throw error;
}
