import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('the README', () => {
  const readme = read('README.md');
  const quoted = [...readme.matchAll(/<!-- file: (\S+) -->\n```ts\n([\s\S]*?)```/g)];

  test('quotes files', () => expect(quoted.map(([, path]) => path)).toHaveLength(3));

  test.each(quoted.map(([, path = '', code]) => [path, code]))('quotes %s as it is', (path, code) => {
    expect(code).toBe(read(path));
  });

  test('names tests that there are', () => {
    const rows = readme.split('\n').filter((line) => /\| `test\//.test(line));
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) {
      const [, path = '', title = ''] = /`(test\/[^`]+)`(?:: "([^"]+)")? \|$/.exec(row) ?? [];
      expect(read(path), row).toContain(title);
    }
  });

  test('links only to what is there', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(5);
    for (const path of links) expect(() => read(path), path).not.toThrow();
  });
});
