import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { backlog } from '../cli/in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'backlog-png-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'd.PNG');

it('--chart writes a PNG of 1280 pixels, twice what the picture has', async () => {
  writeFileSync(file, 'what was there before');
  expect((await backlog('policy', 'buckets', '--chart', file)).code).toBe(0);
  const png = readFileSync(file);
  expect(png.subarray(0, 8)).toEqual(Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]));
  expect(png.readUInt32BE(16)).toBe(1280);
  // Text is drawn with the package's own font: without it the picture is far smaller.
  expect(png.length).toBeGreaterThan(60_000);
});
