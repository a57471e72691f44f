import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

const DOCSTRING = /[ \t]*\/\*\*(?:[^*]|\*(?!\/))*\*\/\n?/g;
const EXPORTS = /export (?:type )?\{([^}]*)\} from ['"](\.[^'"]+)['"]/g;
const ALL_EXPORTS = /export (?:type )?\*(?: as (\w+))? from ['"](\.[^'"]+)['"]/g;
const EXTENDED = /\bextends\s+([^{]*)\{/g;
const ALL = '*';
/** The parts of the engine for runners of users. Its others are for the command line, which is built from the sources. */
const OF_ENGINE =
  'run RunDeps RunOptions RunSummary DynamoDbStore DynamoDbStoreDeps MemoryStore StoreTypes resolvePolicy'.split(
    ' ',
  );

/**
 * Removes the docstrings of declarations that no editor shows: files of which no entry of the package exports a name, and no declaration of
 * a file that has one extends any.
 *
 * @param folder of the compiled package
 * @param entries paths of its entries' declarations
 */
export async function stripInternalDeclarations(folder, entries) {
  const all = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
  const texts = new Map(
    await Promise.all(
      all.map(async (file) => [join(folder, file), await readFile(join(folder, file), 'utf8')]),
    ),
  );
  const shown = new Map();
  for (const entry of entries) {
    const names = entry.endsWith('engine.d.ts') ? OF_ENGINE : [ALL];
    show(entry, new Set(names), shown, texts);
  }
  const bases = new Set(
    [...shown.keys()].flatMap((file) =>
      [...texts.get(file).matchAll(EXTENDED)].flatMap(([, names]) => names.match(/\w+/g) ?? []),
    ),
  );
  const isBase = (text) =>
    [...text.matchAll(/(?:class|interface) (\w+)/g)].some(([, name]) => bases.has(name));
  const internal = [...texts].filter(([file, text]) => !shown.has(file) && !isBase(text));
  await Promise.all(internal.map(([file, text]) => writeFile(file, text.replace(DOCSTRING, ''))));
}

/** Notes the names that a file shows, and follows them to the files that they are from. */
function show(file, names, shown, texts) {
  const text = texts.get(file);
  const known = shown.get(file) ?? new Set();
  const fresh = [...names].filter((name) => !known.has(name));
  if (text === undefined || fresh.length === 0) return;
  shown.set(file, new Set([...known, ...fresh]));
  const at = (path) => normalize(join(dirname(file), path.replace(/\.js$/, '.d.ts')));
  const isShown = (name) => fresh.includes(ALL) || fresh.includes(name);
  for (const [, list, path] of text.matchAll(EXPORTS)) {
    const pairs = list.split(',').map((one) =>
      one
        .trim()
        .replace(/^type /, '')
        .split(' as '),
    );
    const inner = pairs.flatMap(([own, outer = own]) => (own !== '' && isShown(outer) ? [own] : []));
    if (inner.length > 0) show(at(path), new Set(inner), shown, texts);
  }
  for (const [, name, path] of text.matchAll(ALL_EXPORTS)) {
    if (name === undefined || isShown(name))
      show(at(path), new Set(name === undefined ? fresh : [ALL]), shown, texts);
  }
}
