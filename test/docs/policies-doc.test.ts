import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../../scripts/policies-doc.js';
import { isSimulation, PAGE, shownOn } from '../../scripts/policies-page.js';
import { POLICY_TYPES, resolvePolicy } from '../../src/policies/index.js';
import { tiersOf } from '../../src/tools/lab/tiers-of.js';

const HOW = 'docs/policies.md is out of step: npm run docs:policies';
const page = readFileSync(PAGE, 'utf8');
const docs = new URL('.', PAGE);
const pictures = shownOn(page).flatMap(({ command, file }) =>
  file === undefined ? [] : [{ command, file }],
);

// Its simulations take a minute: test/long/policies-doc.test.ts.
describe('docs/policies.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'backlog-docs-'));
  let generated = '';
  beforeAll(async () => {
    generated = await generate(page, folder, (command) => !isSimulation(command));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('shows what the commands print and what the policies say', () => {
    expect(generated, HOW).toBe(page);
  });

  it.each(pictures.filter(({ command }) => !isSimulation(command)))(
    'shows the picture $file as it is drawn',
    ({ file }) => {
      // Compared as true or false: a difference of 50 KB helps nobody.
      const isSame = readFileSync(new URL(file, docs), 'utf8') === readFileSync(join(folder, file), 'utf8');
      expect(isSame, HOW).toBe(true);
      expect(page).toContain(`](${file})`);
    },
  );

  it('keeps no picture that it does not show', () => {
    const kept = readdirSync(new URL('policies/', docs)).map((name) => `policies/${name}`);
    expect(kept.sort()).toEqual(pictures.map(({ file }) => file).sort());
  });

  it('has a section, with its schedule and its picture, for every policy', () => {
    for (const type of POLICY_TYPES) {
      expect(page).toContain(`### \`${type}\`\n`);
      if (type === 'none') continue;
      expect(page).toContain(`<!-- schedule: ${type} -->`);
      expect(page).toContain(`<!-- picture policies/${type}.svg: policy ${type} -->`);
    }
  });

  it('counts the attempts of the progressive schedule as the command does, in the tiers and in all', () => {
    const { ages = [], figures = [] } = tiersOf(resolvePolicy({ type: 'progressive' })) ?? {};
    const counts = figures.map(({ attempts }) => attempts);
    const inTiers = `${counts.slice(0, -1).join(', ')} and ${counts.at(-1)}`;
    expect(page).toContain(`is attempted ${ages.length} times in all: ${inTiers} times in the six tiers`);
    const source = readFileSync(new URL('../../src/policies/progressive.ts', import.meta.url), 'utf8');
    expect(source).toContain(`${ages.length} attempts in all`);
  });

  it('links to sections that are there', () => {
    const slugs = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, anchor] of page.matchAll(/\]\(#([^)]*)\)/g)) expect(slugs).toContain(anchor);
  });
});
