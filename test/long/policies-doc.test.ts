import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { generate } from '../../scripts/policies-doc.js';
import { isSimulation, PAGE, shownOn } from '../../scripts/policies-page.js';

const folder = mkdtempSync(join(tmpdir(), 'backlog-docs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('docs/policies.md shows every simulation as it is played and drawn: npm run docs:policies', async () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(await generate(page, folder, isSimulation)).toBe(page);
  for (const { command, file } of shownOn(page)) {
    if (file === undefined || !isSimulation(command)) continue;
    const shown = readFileSync(new URL(file, PAGE), 'utf8');
    expect([file, readFileSync(join(folder, file), 'utf8') === shown]).toEqual([file, true]);
  }
});
