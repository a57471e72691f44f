import { readFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';

const RESOLVED = 'resolved';
const LOADERS = { '.ts': 'ts', '.js': 'js', '.mjs': 'js' };

/**
 * An esbuild plugin: has handlers load few files at a cold start. With `splitting`, esbuild makes a file of all modules that the
 * same parts share: with six parts for later, the start of a handler was in 10 to 26 files. Here each part for later imports the
 * handlers too, which are loaded by then in any case, so that it shares all of their modules.
 *
 * @param handlers the modules that make the handlers of the bundle: absolute paths, each with the name of what it exports
 */
export function oneStart(handlers) {
  const all = Object.entries(handlers).map(
    ([file, name]) => `export { ${name} } from ${JSON.stringify(file)};`,
  );
  return {
    name: 'one start',
    setup(build) {
      if (!build.initialOptions.splitting) return;
      const later = new Set();
      build.onResolve({ filter: /./ }, async ({ path, kind, pluginData, ...where }) => {
        if (kind !== 'dynamic-import' || pluginData === RESOLVED) return undefined;
        const resolved = await build.resolve(path, { ...where, kind, pluginData: RESOLVED });
        if (!resolved.external) later.add(resolved.path);
        return resolved;
      });
      build.onLoad({ filter: /\.(ts|m?js)$/ }, async ({ path }) => {
        if (!later.has(path)) return undefined;
        const contents = [await readFile(path, 'utf8'), ...all].join('\n');
        return { contents, loader: LOADERS[extname(path)], resolveDir: dirname(path) };
      });
    },
  };
}
