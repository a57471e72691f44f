import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generate, PAGE, picturesOf } from '../../scripts/policies-doc.js';
import { POLICY_TYPES } from '../../src/policies/index.js';

const HOW = 'docs/policies.md is out of step: npm run docs';
const page = readFileSync(PAGE, 'utf8');
const docs = new URL('.', PAGE);

describe('docs/policies.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'backlog-docs-'));
  let generated = '';
  beforeAll(async () => {
    generated = await generate(page, folder);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('shows what the commands print and what the policies say', () => {
    expect(generated, HOW).toBe(page);
  });

  test.each(picturesOf(page))('shows the picture %s as it is drawn', (file) => {
    // Compared as true or false: a difference of 50 KB helps nobody.
    expect(readFileSync(new URL(file, docs), 'utf8') === readFileSync(join(folder, file), 'utf8'), HOW).toBe(
      true,
    );
    expect(page).toContain(`](${file})`);
  });

  test('keeps no picture that it does not show', () => {
    const kept = readdirSync(new URL('policies/', docs)).map((name) => `policies/${name}`);
    expect(kept.sort()).toEqual(picturesOf(page).sort());
  });

  test('has a section, with its schedule and its picture, for every policy', () => {
    for (const type of POLICY_TYPES) {
      expect(page).toContain(`### \`${type}\`\n`);
      if (type === 'none') continue;
      expect(page).toContain(`<!-- schedule: ${type} -->`);
      expect(page).toContain(`<!-- picture policies/${type}.svg: policy ${type} -->`);
    }
  });

  test('links to sections that are there', () => {
    const slugs = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, anchor] of page.matchAll(/\]\(#([^)]*)\)/g)) expect(slugs).toContain(anchor);
  });
});
