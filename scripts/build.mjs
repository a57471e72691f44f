// `npm run build`: the library by tsc and the deployable handlers by esbuild into dist/, the command line by esbuild into
// tools/dist/, and its `init` alone into create/dist/. Everything is built aside and then moved at once, so that a build that fails leaves the previous one as it was.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { COMMAND_LINE, CREATE } from './command-line.mjs';
import { FOLDERS, handlerBundle } from './handlers.mjs';
import { stripInternalDeclarations } from './internal-declarations.mjs';
import { licensesOf } from './licenses.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LICENSES = 'THIRD-PARTY-LICENSES.txt';
/** The comment of a private member in a declaration. */
const OF_PRIVATE_MEMBER = /\n[ \t]*\/\*\*(?:[^*]|\*(?!\/))*\*\/(?=\n[ \t]*private )/g;
/** A module of the package that a declaration imports. */
const IMPORTED = /(?:from|import|import\()\s*['"](\.[^'"]+)['"]/g;
const SCRATCH = join(ROOT, 'node_modules', '.cache', 'dynamo-backlog');

await mkdir(SCRATCH, { recursive: true });
const scratch = await mkdtemp(join(SCRATCH, 'build-'));
try {
  const library = join(scratch, 'library');
  const tools = join(scratch, 'tools');
  const create = join(scratch, 'create');
  const [, inTools, inCreate, ...inHandlers] = await Promise.all([
    compile(library)
      .then(() => dropUnusedDeclarations(library))
      .then(() => stripComments(library))
      .then(async () => stripInternalDeclarations(library, await declaredEntries(library))),
    bundle(COMMAND_LINE, tools),
    bundle(CREATE, create),
    ...Object.entries(FOLDERS).map(([folder, names]) =>
      bundle(handlerBundle(names), join(library, 'handlers', folder)),
    ),
  ]);
  await writeFile(join(library, LICENSES), await licensesOf(inHandlers.flat(), ROOT));
  await writeFile(join(tools, LICENSES), await licensesOf(inTools, ROOT));
  await writeFile(join(create, LICENSES), await licensesOf(inCreate, ROOT));
  // The command line serves them to browsers.
  await cp(join(ROOT, 'tools', 'src', 'console', 'assets'), join(tools, 'console'), { recursive: true });
  await Promise.all([writeStarter(join(tools, 'starter')), writeStarter(join(create, 'starter'))]);
  await replace(join(ROOT, 'dist'), library);
  await replace(join(ROOT, 'tools', 'dist'), tools);
  await replace(join(ROOT, 'create', 'dist'), create);
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

/**
 * Removes comments and indentation from compiled files: editors show those of the declarations, and the tarball is 10 % smaller.
 * Comments in the body of a class go with the white space, of which line ends are put back then: the line of a stack trace has one
 * statement. Declarations lose the comments of private members: no editor shows these.
 */
async function stripComments(folder) {
  const files = await readdir(folder, { recursive: true });
  const strip = async (file) => {
    const dense = (text) => transform(text, { legalComments: 'none', minifyWhitespace: true });
    const { code } = await transform((await dense(await readFile(file, 'utf8'))).code, {
      minifySyntax: true,
    });
    const flat = code.replace(/^ +/gm, '');
    // Indentation in the text of a template is no indentation of the code.
    const isSame = (await dense(flat)).code === (await dense(code)).code;
    await writeFile(file, isSame ? flat : code);
  };
  const stripPrivate = async (file) => {
    const text = (await readFile(file, 'utf8')).replace(OF_PRIVATE_MEMBER, '');
    await writeFile(file, text.replace(/^ {4,}(?=\S)/gm, ''));
  };
  const ending = (end) => files.filter((file) => file.endsWith(end)).map((file) => join(folder, file));
  await Promise.all([...ending('.js').map(strip), ...ending('.d.ts').map(stripPrivate)]);
}

/** Removes declarations that no entry of the package needs: their code has no types of its own for a user. */
async function dropUnusedDeclarations(folder) {
  const used = new Set();
  const visit = async (file) => {
    if (used.has(file)) return;
    used.add(file);
    const imported = [...(await readFile(file, 'utf8')).matchAll(IMPORTED)].map(([, path]) => path);
    await Promise.all(imported.map((path) => visit(join(dirname(file), path.replace(/\.js$/, '.d.ts')))));
  };
  await Promise.all((await declaredEntries(folder)).map(visit));
  const files = await readdir(folder, { recursive: true });
  const unused = files.filter((file) => file.endsWith('.d.ts') && !used.has(join(folder, file)));
  await Promise.all(unused.map((file) => rm(join(folder, file))));
}

/** The declarations of the package's entries. */
async function declaredEntries(folder) {
  const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const paths = Object.values(exports).flatMap(({ types }) => types ?? []);
  return paths.map((path) => join(folder, path.replace(/^\.\/dist\//, '')));
}

/** Gives the files that went into it. */
async function bundle(options, outdir) {
  const { metafile } = await build({ ...options, outdir, metafile: true });
  await removeUnloaded(metafile, options.absWorkingDir ?? process.cwd());
  return Object.keys(metafile.inputs);
}

/** Removes parts that no other part loads: esbuild makes one for each `import()`, also where the code around that was left out. */
async function removeUnloaded({ inputs, outputs }, folder) {
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  const later = new Set(imports.flatMap(({ kind, path }) => (kind === 'dynamic-import' ? path : [])));
  const loaded = new Set();
  const visit = (path) => {
    if (loaded.has(path) || !outputs[path]) return;
    loaded.add(path);
    for (const { path: imported } of outputs[path].imports) visit(imported);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs))
    if (entryPoint !== undefined && !later.has(entryPoint)) visit(path);
  const unloaded = Object.keys(outputs).filter((path) => path.endsWith('js') && !loaded.has(path));
  await Promise.all(unloaded.map((path) => rm(join(folder, path))));
}

/** Writes what `backlog init` writes, with the versions of other packages that the library is tested with. */
async function writeStarter(folder) {
  await cp(join(ROOT, 'examples', 'starter'), folder, {
    recursive: true,
    filter: (path) => !/[\\/](node_modules|cdk\.out|\.backlog)$/.test(path),
  });
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const versions = { ...devDependencies, ...dependencies };
  const file = join(folder, '_package.json');
  const text = (await readFile(file, 'utf8')).replace(/"([^"]+)": "\*"/g, (own, name) =>
    /^dynamo-backlog(-tools)?$/.test(name) ? own : `"${name}": ${JSON.stringify(versions[name])}`,
  );
  await writeFile(file, text);
}

async function replace(folder, fresh) {
  await rename(folder, `${fresh}-former`).catch(ignoreAbsent);
  await rename(fresh, folder);
}

function ignoreAbsent(error) {
  if (error.code !== 'ENOENT') throw error;
}
