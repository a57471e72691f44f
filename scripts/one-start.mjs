import { readFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';

const RESOLVED = 'resolved';
const LOADERS = { '.ts': 'ts', '.js': 'js', '.mjs': 'js' };

/**
 * An esbuild plugin: has handlers load few files at a cold start. With `splitting`, esbuild makes a file of all modules that the
 * same parts share: with six parts for later, the start of a handler was in 10 to 26 files. Here each part for later imports the
 * handlers too, which are loaded by then in any case, so that it shares all of their modules. Each handler imports the small modules
 * that most of them share, which would be files of their own.
 *
 * @param small paths of such modules
 * @param handlers the modules that make the handlers of the bundle: absolute paths, each with the name of what it exports
 */
export function oneStart(handlers, small) {
  const all = Object.entries(handlers).map(
    ([file, name]) => `export { ${name} } from ${JSON.stringify(file)};`,
  );
  const shared = small.map((file, i) => `export * as shared${i} from ${JSON.stringify(file)};`);
  return {
    name: 'one start',
    setup(build) {
      if (!build.initialOptions.splitting) return;
      const later = new Set();
      const entries = new Set();
      build.onResolve({ filter: /./ }, async ({ path, kind, pluginData, ...where }) => {
        const kept = { 'dynamic-import': later, 'entry-point': entries }[kind];
        if (!kept || pluginData === RESOLVED) return undefined;
        const resolved = await build.resolve(path, { ...where, kind, pluginData: RESOLVED });
        if (!resolved.external) kept.add(resolved.path);
        return resolved;
      });
      build.onLoad({ filter: /\.(ts|m?js)$/ }, async ({ path }) => {
        const more = later.has(path) ? all : entries.has(path) ? shared : [];
        if (more.length === 0) return undefined;
        const contents = [await readFile(path, 'utf8'), ...more].join('\n');
        return { contents, loader: LOADERS[extname(path)], resolveDir: dirname(path) };
      });
    },
  };
}
