import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';
import { VERSION } from 'dynamo-backlog/engine';

/** Pattern of what npm reads as a path; anything else is a version, a tag or a URL. */
const PATH = /^(\.{1,2}([/\\]|$)|[/\\]|[a-z]:[/\\]|file:)|^(?!\w+:).*\.(tgz|tar\.gz)$/i;

/**
 * Returns a dependency for the new app's package.json. A path starts at the current folder, not at the app's.
 *
 * @param flag that it was given by
 */
export async function packageSpec(flag: string, given: string | undefined): Promise<string> {
  if (given === undefined) return `^${VERSION}`;
  if (given.trim() === '') {
    throw new ConfigurationError(`${flag}: expected a version, a tarball or a URL, got ""`);
  }
  if (!PATH.test(given)) return given;
  const path = resolve(given.replace(/^file:(\/\/(?=\/))?/, ''));
  const found = await stat(path).catch(() => undefined);
  if (found) return `file:${path}`;
  throw new ConfigurationError(`${flag}: expected the path of a tarball or a folder, got ${path}: not found`);
}
