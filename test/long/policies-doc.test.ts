import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { generate } from '../../scripts/policies-doc.js';
import { isSimulation, PAGES, shownOn } from '../../scripts/policies-page.js';

const folder = mkdtempSync(join(tmpdir(), 'backlog-docs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(PAGES)(
  '%s shows every simulation as it is played and drawn: npm run docs:policies',
  async (url) => {
    const page = readFileSync(url, 'utf8');
    expect(await generate(page, folder, isSimulation)).toBe(page);
    for (const { command, file } of shownOn(page)) {
      if (file === undefined || !isSimulation(command)) continue;
      const shown = readFileSync(new URL(file, url), 'utf8');
      expect([file, readFileSync(join(folder, file), 'utf8') === shown]).toEqual([file, true]);
    }
  },
  600_000,
);
