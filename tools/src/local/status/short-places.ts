/** A place in a stack: it may be anywhere in a text that user code wrote. */
const PLACE = /[^\s()]+/g;
const ASSET_FOLDER = /[\\/](asset\.[0-9a-f]{8})[0-9a-f]*[\\/]/g;

/**
 * A stack whose places in a function's bundle are short, `asset.91048910/index.mjs:2:86450`: the folder of a function is
 * long, and says nothing.
 *
 * @param text the stack or one line of it; the time that this takes grows with its length, whatever it says
 */
export function withShortPlaces(text: string): string {
  return text.replace(PLACE, (place) => {
    const folder = [...place.matchAll(ASSET_FOLDER)].at(-1);
    if (folder === undefined) return place;
    const [all, name] = folder;
    return `${name}/${place.slice(folder.index + all.length)}`;
  });
}
