import { hash32 } from '../../policies/hash.js';

const BYTES = 4;

/** Four bytes for each id: a claim on a hundred records must cost no more than it has to. */
export function fingerprintsOf(ids: readonly string[]): Uint8Array {
  const prints = Buffer.alloc(ids.length * BYTES);
  for (const [i, id] of ids.entries()) prints.writeUInt32BE(hash32(id), i * BYTES);
  return new Uint8Array(prints);
}

/** The numbers that `fingerprintsOf` wrote; none if the value is something else. */
export function numbersOf(prints: unknown): Set<number> {
  const bytes = prints instanceof Uint8Array ? Buffer.from(prints) : Buffer.alloc(0);
  const numbers = new Set<number>();
  for (let at = 0; at + BYTES <= bytes.length; at += BYTES) numbers.add(bytes.readUInt32BE(at));
  return numbers;
}

/** The ids that may be among them; rarely, one of these is not. */
export function idsAmong(ids: readonly string[], numbers: ReadonlySet<number>): string[] {
  return ids.filter((id) => numbers.has(hash32(id)));
}
