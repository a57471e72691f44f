import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/protocol.md', ROOT), 'utf8');

it('the protocol has at most 30 concepts in 4,000 words, and each is in the code where the page says', () => {
  const [, section = ''] = /^## The words of this page\n([\s\S]*?)^## /m.exec(page) ?? [];
  const places = [...section.matchAll(/^\| .* \| `([^`]+)` \|$/gm)].map(([, place = '']) => place);
  expect(places.length).toBeGreaterThan(20);
  expect(places.length).toBeLessThanOrEqual(30);
  expect(places.filter((place) => !existsSync(new URL(place, ROOT)))).toEqual([]);
  const words = page.split(/\s+/).filter((word) => /\w/.test(word));
  expect(words.length).toBeLessThanOrEqual(4_000);
});
