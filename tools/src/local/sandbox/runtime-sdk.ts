import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Makes a folder for `NODE_PATH` with the client of AWS that handlers expect there: Lambda's runtime has it, and no bundle does. It has
 * nothing more, as a package that only this machine has would be missing in the cloud.
 */
export async function linkRuntimeSdk(scratch: string): Promise<string> {
  const folder = join(scratch, 'sdk');
  const link = join(folder, '@aws-sdk', 'client-secrets-manager');
  await mkdir(dirname(link), { recursive: true });
  const file = fileURLToPath(import.meta.resolve('@aws-sdk/client-secrets-manager/package.json'));
  await symlink(dirname(file), link, 'junction');
  return folder;
}
