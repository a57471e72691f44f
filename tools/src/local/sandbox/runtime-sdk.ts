import { mkdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PACKAGE = '@aws-sdk/client-secrets-manager';

/**
 * Makes a folder for `NODE_PATH` with the client of AWS that handlers expect there: Lambda's runtime has it, and no bundle does. It has
 * nothing more, as a package that only this machine has would be missing in the cloud.
 */
export async function linkRuntimeSdk(scratch: string): Promise<string> {
  const folder = join(scratch, 'sdk');
  const link = join(folder, PACKAGE);
  await mkdir(dirname(link), { recursive: true });
  const place = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
  await symlink(place, link, 'junction');
  return folder;
}
