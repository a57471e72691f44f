import { basename } from 'node:path';

const NO_NAME = 'backlog-app';
/** A stack's name may have 128 characters, and the names of its parts begin with it. */
const MAX_CHARACTERS = 50;

/**
 * The name of the app in a folder: valid for npm and for CloudFormation, and none of its own dependencies.
 * `Meine Aufträge` becomes `meine-auftrage`.
 */
export function appName(folder: string, dependencies: readonly string[]): string {
  const words = basename(folder)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const named = /^\d/.test(words) ? `app-${words}` : words || NO_NAME;
  const name = named.slice(0, MAX_CHARACTERS).replace(/-$/, '');
  return dependencies.includes(name) ? `${name}-app` : name;
}
