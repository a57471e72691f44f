// `npm run api` writes the public API into docs/api/: the names that each entry of the package exports, and
// the declarations of all that their users can reach, without comments. `npm run api -- --check` fails where a file is
// not what the sources say.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, 'docs', 'api');
const HEAD =
  '// Written by `npm run api`. Do not edit it: a change of the public API shows here, for its review.\n\n';

const scratch = await mkdtemp(join(tmpdir(), 'backlog-api-'));
try {
  await declare(scratch);
  const { name, exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const entries = Object.entries(exports).flatMap(([path, { types }]) =>
    types ? [[basename(path === '.' ? name : path), join(scratch, types.replace('./dist/', ''))]] : [],
  );
  const report = await reportOf(Object.fromEntries(entries));
  const previous = await readPrevious();
  const files = [...new Set([...report.keys(), ...previous.keys()])].sort();
  const differing = files.filter((file) => report.get(file) !== previous.get(file));
  if (!process.argv.includes('--check')) {
    await mkdir(FOLDER, { recursive: true });
    for (const [file, text] of report) await writeFile(join(FOLDER, file), text);
    await Promise.all(files.filter((file) => !report.has(file)).map((file) => rm(join(FOLDER, file))));
  } else if (differing.length > 0) {
    process.stderr.write(
      `The public API has changed (docs/api: ${differing.join(', ')}). Run "npm run api", and commit what it writes if the change is meant.\n`,
    );
    process.exitCode = 1;
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** The declarations of all sources that the entries reach, as the build writes them, without comments. */
async function declare(outDir) {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const flags = ['--emitDeclarationOnly', '--removeComments', '--outDir', outDir];
  const child = spawn(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...flags], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`tsc ended with exit code ${code}`);
}

/** The report by file: each entry's names, and one file with the declarations of all of them. */
async function reportOf(input) {
  const entries = new Set(Object.values(input));
  const bundle = await rollup({
    input,
    external: (id) => !/^[./]/.test(id),
    plugins: [dts({ tsconfig: false })],
  });
  const { output } = await bundle.generate({
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name].d.ts',
    manualChunks: (id) => (entries.has(id) ? undefined : 'declarations'),
    minifyInternalExports: false,
    hoistTransitiveImports: false,
  });
  await bundle.close();
  return new Map(output.map(({ fileName, code }) => [fileName, HEAD + readable(code)]));
}

/** One name a line, so that a change shows the name alone; private members are not public. */
function readable(code) {
  return code
    .replaceAll(
      /^(export .*)\{ (.+) \}/gm,
      (_, start, names) => `${start}{\n    ${names.split(', ').join(',\n    ')},\n}`,
    )
    .replaceAll(/^ +private .*;\n/gm, '');
}

async function readPrevious() {
  const files = await readdir(FOLDER).catch(() => []);
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(FOLDER, file), 'utf8')])),
  );
}
