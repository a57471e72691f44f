import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Entry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  /** It comes inside the tarball of another package, whose integrity is its own. */
  readonly inBundle?: boolean;
}

const file = new URL('../package-lock.json', import.meta.url);
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> };
const entries = Object.entries(packages).filter(([path]) => path !== '');

it('every package in the lock file has its integrity, those of other platforms too', () => {
  expect(entries.length).toBeGreaterThan(300);
  const own = entries.filter(([, { link, inBundle }]) => !link && !inBundle);
  const without = own.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==/.test(integrity ?? ''));
  expect(without.map(([path]) => path)).toEqual([]);
});

it('no package in the lock file names the host of a registry', () => {
  expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
