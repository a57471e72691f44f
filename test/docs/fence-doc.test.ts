import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FENCED } from '../../src/record/index.js';

it('the protocol page names the attributes that are compared, and no others', () => {
  const page = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
  const [, list = ''] = /^Compared are ([^.]*)\./m.exec(page) ?? [];
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named).toEqual(['rev', ...FENCED]);
});
