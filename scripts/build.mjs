// `npm run build`: the library by tsc, the deployable handlers and the command line by esbuild. Everything is built
// aside and then moved to dist/ at once, so that a build that fails leaves the previous one as it was.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { COMMAND_LINE } from './command-line.mjs';
import { HANDLERS, handlerBundle } from './handlers.mjs';
import { licensesOf } from './licenses.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const SCRATCH = join(ROOT, 'node_modules', '.cache', 'dynamo-backlog');

await mkdir(SCRATCH, { recursive: true });
const scratch = await mkdtemp(join(SCRATCH, 'build-'));
try {
  const outdir = join(scratch, 'dist');
  const [, ...bundled] = await Promise.all([
    compile(outdir),
    bundle(COMMAND_LINE, join(outdir, 'cli')),
    ...HANDLERS.map((name) => bundle(handlerBundle(name), join(outdir, 'handlers', name))),
  ]);
  await writeFile(join(outdir, 'THIRD-PARTY-LICENSES.txt'), await licensesOf(bundled.flat(), ROOT));
  // The command line serves them to browsers.
  await cp(join(ROOT, 'tools', 'src', 'console', 'assets'), join(outdir, 'cli', 'console'), {
    recursive: true,
  });
  await chmod(join(outdir, 'cli', 'main.js'), 0o755);
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

/** Gives the files that went into it. */
async function bundle(options, outdir) {
  const { metafile } = await build({ ...options, outdir, metafile: true });
  return Object.keys(metafile.inputs);
}

function ignoreAbsent(error) {
  if (error.code !== 'ENOENT') throw error;
}
