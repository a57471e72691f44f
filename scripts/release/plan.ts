import semver from 'semver';
import { sectionsOf, withRelease } from './changelog.js';

/** A repository before a release. */
export interface Repository {
  readonly branch: string;
  /** Lines of `git status --porcelain`. */
  readonly changes: readonly string[];
  readonly tags: readonly string[];
  /** The version in package.json. */
  readonly version: string;
  readonly changelog: string;
}

/** A release that may be made. */
export interface Plan {
  readonly version: string;
  readonly tag: string;
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
}

const tagOf = (version: string): string => `v${version}`;

/**
 * Plans a release.
 *
 * @param version the new version, such as `0.2.0`
 * @param date such as `2026-11-24`
 * @throws an error with a line for each thing that is in the way
 */
export function planRelease(version: string, repository: Repository, date: string): Plan {
  const { branch, changes, tags, changelog } = repository;
  const tag = tagOf(version);
  const problems = [...versionProblems(version, repository.version)];
  if (branch !== 'main') problems.push(`a release is made on main; this is ${branch || 'no branch'}`);
  if (changes.length > 0) {
    const more = changes.length > 3 ? `, and ${changes.length - 3} more` : '';
    problems.push(`there are changes that are not committed: ${changes.slice(0, 3).join(', ')}${more}`);
  }
  if (tags.includes(tag)) problems.push(`the tag ${tag} is there already`);
  try {
    const released = withRelease(changelog, version, date);
    if (problems.length === 0) return { version, tag, changelog: released };
  } catch (error) {
    problems.push((error as Error).message);
  }
  throw new Error(problems.join('\n'));
}

/** The first release may have the version that package.json has: no tag names it yet. */
function versionProblems(version: string, current: string): string[] {
  if (!/^\d+\.\d+\.\d+$/.test(version) || semver.valid(version) === null)
    return [`version: expected three numbers such as 0.2.0, got "${version}"`];
  if (semver.lt(version, current)) return [`version: expected ${current} or a later one, got ${version}`];
  return [];
}

/**
 * Checks that a tag is of the version in package.json, and that the changelog has a dated section of it.
 *
 * @throws an error with a line for each thing that is wrong
 */
export function verifyTag(
  tag: string,
  { version, changelog }: Pick<Repository, 'version' | 'changelog'>,
): void {
  const problems: string[] = [];
  if (tag !== tagOf(version)) problems.push(`the tag is ${tag}, but package.json has ${version}`);
  const section = sectionsOf(changelog).find(({ name }) => name === version);
  if (section?.date === undefined) problems.push(`CHANGELOG.md has no section ${version} with a date`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
