import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BundleMap } from './bundle-map.js';

/** Most bytes of a map that is read: a function has other uses for its memory. */
const MAX_BYTES = 64_000_000;
/** A text can name any number of places of the bundle. */
const MAX_PLACES = 200;

/**
 * Makes what writes places in TypeScript for places in a bundle, wherever a text names them. The map is read with the
 * first such text, so that a function in which nothing is thrown pays nothing. Without a map that can be read, texts stay as they are.
 *
 * @param bundle the bundle's URL, as stacks name it; its map lies beside it
 * @param root the folder that sources on this machine are named from. Default: as the map names them
 */
export function stackTranslator(bundle: string, root?: string): (text: string) => string {
  let map: BundleMap | undefined;
  let isRead = false;
  const file = fileURLToPath(bundle);
  const place = new RegExp(`(?:${escaped(bundle)}|${escaped(file)}):(\\d+):(\\d+)`, 'g');
  const nameOf = (source: string) => {
    if (root === undefined || !source.startsWith('..')) return source;
    const path = join(file, '..', source);
    const named = relative(root, path);
    return (named.startsWith('..') || isAbsolute(named) ? path : named).split(sep).join('/');
  };
  return (text) => {
    if (!isRead) {
      isRead = true;
      map = readMap(`${file}.map`);
    }
    if (!map) return text;
    let count = 0;
    return text.replace(place, (raw: string, line: string, column: string) => {
      if (++count > MAX_PLACES) return raw;
      const found = map?.find(Number(line), Number(column));
      return found ? `${nameOf(found.source)}:${found.line}:${found.column}` : raw;
    });
  };
}

function readMap(file: string): BundleMap | undefined {
  try {
    return statSync(file).size > MAX_BYTES ? undefined : new BundleMap(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
