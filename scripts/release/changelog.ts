/** A section of CHANGELOG.md: a version, or what comes next. */
export interface Section {
  /** Such as `0.1.0`, or `Unreleased`. */
  readonly name: string;
  /** Such as `2026-11-24`; absent before the release. */
  readonly date: string | undefined;
  /** The place of its heading in the text. */
  readonly start: number;
  readonly end: number;
  /** Its text below the heading, without blank lines at its ends. */
  readonly body: string;
}

const UNRELEASED = 'Unreleased';

const HEADING = /^## \[?(Unreleased|\d+\.\d+\.\d+)\]?(?: - (.+)| \(.+\))?$/gm;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The sections of a changelog, the latest first, as Keep a Changelog orders them. */
export function sectionsOf(changelog: string): Section[] {
  const headings = [...changelog.matchAll(HEADING)];
  return headings.map((heading, at) => {
    const [line, name = '', rest] = heading;
    const end = heading.index + line.length;
    return {
      name,
      date: rest !== undefined && DATE.test(rest) ? rest : undefined,
      start: heading.index,
      end,
      body: changelog.slice(end, headings[at + 1]?.index).trim(),
    };
  });
}

/**
 * The changelog with a dated section of the version: what is under Unreleased, or a section that has the version's name already.
 * A blank Unreleased stays above it.
 *
 * @param date such as `2026-11-24`
 * @throws if it has no text for the version, or text under both
 */
export function withRelease(changelog: string, version: string, date: string): string {
  const sections = sectionsOf(changelog);
  const next = sections.find(({ name }) => name === UNRELEASED);
  const named = sections.find(({ name }) => name === version);
  const unreleased = next?.body ?? '';
  if (named !== undefined && unreleased !== '')
    throw new Error(`CHANGELOG.md has a section ${version}, and text under ${UNRELEASED} as well`);
  const section = named ?? next;
  if (section === undefined || section.body === '')
    throw new Error(`CHANGELOG.md has no text for ${version}: expected it under "## ${UNRELEASED}"`);
  if (section.date !== undefined) return changelog;
  const written = changelog.slice(section.start, section.end);
  const heading = written.includes('[') ? `## [${version}] - ${date}` : `## ${version} - ${date}`;
  const above = section === next ? `${written}\n\n` : '';
  return changelog.slice(0, section.start) + above + heading + changelog.slice(section.end);
}
