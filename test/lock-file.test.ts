import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Entry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  /** It comes inside the tarball of another package, whose integrity is its own. */
  readonly inBundle?: boolean;
}

const entriesOf = (path: string) => {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, Entry> };
  // A path without node_modules is a package of this repository.
  return Object.entries(packages).filter(([name, { link }]) => name.includes('node_modules/') && !link);
};

describe.each([
  ['the project', '../package-lock.json', 300],
  ['the tests in a browser', './browser/package-lock.json', 10],
  ['the mutation tests', './mutation/package-lock.json', 100],
  ['the documentation site', '../docs/site/package-lock.json', 100],
])('the lock file of %s', (_, path, least) => {
  const entries = entriesOf(path);

  it('has the integrity of every package, those of other platforms too', () => {
    expect(entries.length).toBeGreaterThan(least);
    const own = entries.filter(([, { inBundle }]) => !inBundle);
    const without = own.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==/.test(integrity ?? ''));
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('names no host of a registry', () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([name]) => name)).toEqual([]);
  });
});
