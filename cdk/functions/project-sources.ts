/**
 * Run behind esbuild: `node project-sources.js OUTPUT_FOLDER PROJECT_ROOT` writes the sources of the bundle's map as they are
 * named in the project (`functions/orders.ts`). Relative to the output they would depend on where that lies: another machine
 * would make another asset, and stacks would have this one's folders in them.
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

const [output = '', root = ''] = process.argv.slice(2);
const file = join(output, 'index.mjs.map');
// A map within the bundle has none.
if (existsSync(file)) {
  const map = JSON.parse(readFileSync(file, 'utf8')) as { sources: string[] };
  const folders = [output, realpathSync(output)];
  const roots = [root, realpathSync(root)];
  const nameOf = (source: string) => {
    for (const folder of folders) {
      for (const from of roots) {
        const named = relative(from, resolve(folder, source));
        if (!named.startsWith('..') && !isAbsolute(named)) return named.split(sep).join('/');
      }
    }
    return source;
  };
  writeFileSync(file, JSON.stringify({ ...map, sources: map.sources.map(nameOf) }));
}
