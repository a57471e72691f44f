import { constants, crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Bytes of a pixel: red, green and blue. */
const PIXEL = 3;

/** The rows of a PNG with eight bits a colour, each behind the number of its filter. */
export function rowsOf(png: Buffer): { readonly rows: Buffer; readonly bytesPerRow: number } {
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return { rows: inflateSync(Buffer.concat(parts)), bytesPerRow: 1 + PIXEL * png.readUInt32BE(16) };
}

/**
 * The same picture in fewer bytes: a page of text and plain colours is a fifth smaller without the filters that suit photos.
 *
 * @param png a PNG as Chromium writes it: eight bits a colour, without transparency
 */
export function compactPng(png: Buffer): Buffer {
  const header = png.subarray(16, 29);
  const [depth, colors, , , interlace] = header.subarray(8);
  if (depth !== 8 || colors !== 2 || interlace !== 0) throw new Error('expected a PNG of 8-bit RGB');
  const { rows, bytesPerRow } = rowsOf(png);
  for (let at = 0; at < rows.length; at += bytesPerRow) withoutFilter(rows, at, bytesPerRow);
  const data = deflateSync(rows, { level: constants.Z_BEST_COMPRESSION, memLevel: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Replaces what a filter has left of the row at `start` by its colours. https://www.w3.org/TR/png-3/#9Filters */
function withoutFilter(rows: Buffer, start: number, bytesPerRow: number): void {
  const filter = rows[start];
  rows[start] = 0;
  for (let i = 1; i < bytesPerRow; i++) {
    const at = start + i;
    const left = i > PIXEL ? (rows[at - PIXEL] ?? 0) : 0;
    const above = start > 0 ? (rows[at - bytesPerRow] ?? 0) : 0;
    const corner = start > 0 && i > PIXEL ? (rows[at - bytesPerRow - PIXEL] ?? 0) : 0;
    rows[at] = (rows[at] ?? 0) + predicted(filter, left, above, corner);
  }
}

function predicted(filter: number | undefined, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const [toLeft, toAbove] = [Math.abs(above - corner), Math.abs(left - corner)];
  const toCorner = Math.abs(left + above - 2 * corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}
