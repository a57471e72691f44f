import { readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BundleMap } from '../../../functions/stacks/bundle-map.js';
import { bundleProject } from './bundle.js';

/** More segments than lie between two points that the map keeps. */
const MANY = Array.from(
  { length: 600 },
  (_, i) => `export const f${i} = (a: number, b: number) => (a > b ? a * ${i} : b + Math.max(a, ${i}));`,
).join('\n');

it('finds what Node.js finds, wherever in a bundle', async () => {
  const main =
    "import * as all from './many.js';\nimport * as path from 'node:path';\nconsole.log(all, path);";
  const { file, map } = await bundleProject({ 'main.ts': main, 'many.ts': MANY });
  const json = await readFile(map, 'utf8');
  const ours = new BundleMap(json);
  const known = new SourceMap(JSON.parse(json) as SourceMapPayload);
  let found = 0;
  for (const [i, code] of (await readFile(file, 'utf8')).split('\n').entries()) {
    for (let column = 0; column <= code.length; column += 41) {
      const entry = known.findEntry(i, column);
      const isHere = 'originalSource' in entry && entry.originalSource && entry.generatedLine === i;
      const expected = isHere
        ? { source: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
        : undefined;
      const place = ours.find(i + 1, column + 1);
      expect(place).toEqual(expected);
      if (place) found++;
    }
  }
  expect(found).toBeGreaterThan(500);
});

it.each([
  '',
  'null',
  '[]',
  '{}',
  '{"mappings":"AAAA"}',
  '{"mappings":1,"sources":[]}',
  '{"mappings":"AA~A","sources":["a"]}',
  '{"mappings":"ggggggggggggggggA","sources":["a"]}',
  '{"mappings":"g","sources":["a"]}',
])('refuses %s, which is no map', (json) => {
  expect(() => new BundleMap(json)).toThrow();
});

it('answers for any text of mappings, or refuses it', () => {
  const chars = fc.constantFrom(...'ABCDgghz+/09;,~ ');
  fc.assert(
    fc.property(
      fc.string({ unit: chars, maxLength: 60 }),
      fc.nat(5),
      fc.nat(300),
      (mappings, line, column) => {
        let map: BundleMap;
        try {
          map = new BundleMap(JSON.stringify({ mappings, sources: ['a.ts', 7, null] }));
        } catch (error) {
          expect((error as Error).message).toBe('not a source map');
          return;
        }
        const place = map.find(line, column);
        if (place) expect(place).toMatchObject({ source: 'a.ts' });
      },
    ),
  );
});
