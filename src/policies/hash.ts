/**
 * FNV-1a (32 bits) over the UTF-8 bytes, finished by murmur3's fmix32. FNV-1a alone leaves sequential ids in
 * visible stripes (index of dispersion 3.4 to 4.4); with the finalizer they are at the Poisson limit.
 */
export function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    h = Math.imul(h ^ byte, 0x01000193);
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number in (0, 1) that stays with the record for life: its phase. */
export function phaseOf(id: string, queue?: string): number {
  return (hash32(queue === undefined ? id : `${queue}:${id}`) + 0.5) / 2 ** 32;
}
