import { readdirSync, readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compactPng, rowsOf } from '../../scripts/compact-png.js';

/** A PNG of two pixels a row, whose rows are given with the numbers of their filters. */
function pngOf(...rows: number[][]): Buffer {
  const header = Buffer.from([0, 0, 0, 2, 0, 0, 0, rows.length, 8, 2, 0, 0, 0]);
  const chunks = [['IHDR', header] as const, ['IDAT', deflateSync(Buffer.from(rows.flat()))] as const];
  const parts = chunks.map(([type, data]) => {
    const typed = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(typed));
    return Buffer.concat([length, typed, check]);
  });
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts]);
}

it('a compact PNG has the same colours, without the filters of its rows', () => {
  const filtered = pngOf(
    [0, 10, 20, 30, 40, 50, 60],
    [1, 1, 2, 3, 4, 5, 6],
    [2, 1, 1, 1, 255, 255, 255],
    [3, 10, 10, 10, 10, 10, 10],
    [4, 1, 2, 3, 4, 5, 6],
  );
  const { rows } = rowsOf(compactPng(filtered));
  expect([...rows]).toEqual([
    ...[0, 10, 20, 30, 40, 50, 60],
    ...[0, 1, 2, 3, 5, 7, 9],
    ...[0, 2, 3, 4, 4, 6, 8],
    ...[0, 11, 11, 12, 17, 18, 20],
    ...[0, 12, 13, 15, 21, 23, 26],
  ]);
});

const images = new URL('../../docs/images/', import.meta.url);

it.each(readdirSync(images).filter((file) => file.endsWith('.png')))('%s is compact', (file) => {
  const { rows, bytesPerRow } = rowsOf(readFileSync(new URL(file, images)));
  const filters = new Set<number | undefined>();
  for (let at = 0; at < rows.length; at += bytesPerRow) filters.add(rows[at]);
  expect([...filters], 'npm run screenshots').toEqual([0]);
});
