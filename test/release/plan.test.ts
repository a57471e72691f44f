import { describe, expect, it } from 'vitest';
import { sectionsOf, withRelease } from '../../scripts/release/changelog.js';
import { planRelease, verifyTag } from '../../scripts/release/plan.js';

const TODAY = '2026-11-24';
const HEAD = '# Changelog\n\nAs Keep a Changelog says.\n\n';
const FIRST = '## 0.1.0 - 2026-10-01\n\n### Added\n\n- Queues.\n';
const CHANGELOG = `${HEAD}## Unreleased\n\n### Fixed\n\n- A pause ends.\n\n${FIRST}`;
const READY = {
  branch: 'main',
  changes: [],
  tags: ['v0.1.0'],
  version: '0.1.0',
  changelog: CHANGELOG,
};
const problemsOf = (version: string, more: object) => {
  try {
    planRelease(version, { ...READY, ...more }, TODAY);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};

describe('the changelog of a release', () => {
  it('has what was unreleased under the version and its date, below a blank section', () => {
    expect(withRelease(CHANGELOG, '0.2.0', TODAY)).toBe(
      `${HEAD}## Unreleased\n\n## 0.2.0 - 2026-11-24\n\n### Fixed\n\n- A pause ends.\n\n${FIRST}`,
    );
  });

  it('gets the date of a version that it has without one', () => {
    for (const heading of ['## 0.2.0', '## 0.2.0 (unreleased)', '## 0.2.0 - to come'])
      expect(withRelease(`${HEAD}${heading}\n\n- A pause.\n\n${FIRST}`, '0.2.0', TODAY)).toBe(
        `${HEAD}## 0.2.0 - 2026-11-24\n\n- A pause.\n\n${FIRST}`,
      );
  });

  it('keeps brackets around versions, and a section that is dated', () => {
    const linked = `${HEAD}## [Unreleased]\n\n- A pause.\n`;
    const released = `${HEAD}## [Unreleased]\n\n## [0.2.0] - 2026-11-24\n\n- A pause.\n`;
    expect(withRelease(linked, '0.2.0', TODAY)).toBe(released);
    expect(withRelease(released, '0.2.0', '2030-01-01')).toBe(released);
  });

  it('is refused without a text for the version, or with two', () => {
    const blank = `${HEAD}## Unreleased\n\n${FIRST}`;
    for (const changelog of [HEAD, FIRST, blank])
      expect(() => withRelease(changelog, '0.2.0', TODAY)).toThrow('no text for 0.2.0');
    expect(() => withRelease(CHANGELOG, '0.1.0', TODAY)).toThrow('text under Unreleased as well');
  });

  it('is read by the headings of versions only', () => {
    const sections = sectionsOf(`${CHANGELOG}\n## Older versions\n\n- none\n`);
    expect(sections.map(({ name, date }) => [name, date])).toEqual([
      ['Unreleased', undefined],
      ['0.1.0', '2026-10-01'],
    ]);
  });
});

describe('a release', () => {
  it('is planned on a clean main, with a tag and the changelog', () => {
    expect(planRelease('0.2.0', READY, TODAY)).toEqual({
      version: '0.2.0',
      tag: 'v0.2.0',
      changelog: withRelease(CHANGELOG, '0.2.0', TODAY),
    });
  });

  it('of the version that package.json has is the first one: no tag names it', () => {
    const first = { tags: [], changelog: `${HEAD}## 0.1.0 (unreleased)\n\n- Queues.\n` };
    expect(problemsOf('0.1.0', first)).toEqual([]);
    expect(problemsOf('0.1.0', { ...first, tags: ['v0.1.0'] })).toEqual(['the tag v0.1.0 is there already']);
  });

  it('is refused with all that is in its way', () => {
    expect(
      problemsOf('0.0.9', {
        branch: 'fix',
        changes: ['M a', 'M b', 'M c', '?? d', '?? e'],
        tags: ['v0.0.9'],
        changelog: HEAD,
      }),
    ).toEqual([
      'version: expected 0.1.0 or a later one, got 0.0.9',
      'a release is made on main; this is fix',
      'there are changes that are not committed: M a, M b, M c, and 2 more',
      'the tag v0.0.9 is there already',
      'CHANGELOG.md has no text for 0.0.9: expected it under "## Unreleased"',
    ]);
  });

  it.each(['v0.2.0', '0.2', '0.2.0-rc.1', '01.2.0', 'minor', ''])(
    'is refused for the version "%s"',
    (version) => {
      expect(problemsOf(version, {})[0]).toBe(
        `version: expected three numbers such as 0.2.0, got "${version}"`,
      );
    },
  );
});

describe('a tag', () => {
  it('is verified by package.json and by a dated section of the changelog', () => {
    expect(() => verifyTag('v0.1.0', READY)).not.toThrow();
    expect(() => verifyTag('v0.2.0', READY)).toThrow('the tag is v0.2.0, but package.json has 0.1.0');
    expect(() => verifyTag('v0.2.0', { ...READY, version: '0.2.0' })).toThrow('no section 0.2.0 with a date');
  });
});
