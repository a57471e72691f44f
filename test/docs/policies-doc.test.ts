import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../../scripts/policies-doc.js';
import { isSimulation, PAGES, shownOn } from '../../scripts/policies-page.js';
import { POLICY_TYPES, resolvePolicy } from '../../src/policies/index.js';
import { tiersOf } from '../../tools/src/lab/tiers-of.js';

const HOW = 'a page about policies is out of step: npm run docs:policies';
const docs = new URL('../../docs/', import.meta.url);
const pages = PAGES.map((url) => readFileSync(url, 'utf8'));
const reference = readFileSync(new URL('policies-reference.md', docs), 'utf8');
const pictures = pages.flatMap((page) =>
  shownOn(page).flatMap(({ command, file }) => (file === undefined ? [] : [{ command, file }])),
);
/** Their waits are all the same. */
const CONSTANT = ['constant', 'linear', 'progressive'];

// Their simulations take a minute: test/long/policies-doc.test.ts.
describe('the pages about policies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'backlog-docs-'));
  const generated: string[] = [];
  beforeAll(async () => {
    for (const page of pages)
      generated.push(await generate(page, folder, (command) => !isSimulation(command)));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('show what the commands print and what the policies say', () => {
    expect(generated, HOW).toEqual(pages);
  });

  it.each(pictures.filter(({ command }) => !isSimulation(command)))(
    'show the picture $file as it is drawn',
    ({ file }) => {
      // Compared as true or false: a message with a difference of 50 KB is of no use.
      const isSame = readFileSync(new URL(file, docs), 'utf8') === readFileSync(join(folder, file), 'utf8');
      expect(isSame, HOW).toBe(true);
      expect(pages.filter((page) => page.includes(`](${file})`))).toHaveLength(1);
    },
  );

  it('keep no picture that they do not show', () => {
    const kept = readdirSync(new URL('policies/', docs)).map((name) => `policies/${name}`);
    expect(kept.sort()).toEqual(pictures.map(({ file }) => file).sort());
  });

  it('have a section for every policy, with its picture, and its schedule unless all waits are the same', () => {
    for (const type of POLICY_TYPES) {
      expect(reference).toContain(`## \`${type}\`\n`);
      if (type === 'none') continue;
      if (!CONSTANT.includes(type)) expect(reference).toContain(`<!-- schedule: ${type} -->`);
      // It has the formula of `constant`.
      if (type !== 'linear')
        expect(reference).toContain(`<!-- picture policies/${type}.svg: policy ${type} -->`);
    }
  });

  it('count the attempts of the progressive schedule as the command does, in the tiers and in all', () => {
    const { ages = [], figures = [] } = tiersOf(resolvePolicy({ type: 'progressive' })) ?? {};
    const counts = figures.map(({ attempts }) => attempts);
    const inTiers = `${counts.slice(0, -1).join(', ')} and ${counts.at(-1)}`;
    expect(reference).toContain(
      `is attempted ${ages.length} times in all: ${inTiers} times in the six tiers`,
    );
    const source = readFileSync(new URL('../../src/policies/progressive.ts', import.meta.url), 'utf8');
    expect(source).toContain(`${ages.length} attempts in all`);
  });
});
