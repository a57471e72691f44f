import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for everything that tests leave in the temporary folder; it is removed at their end. */
export default async function setup(): Promise<() => Promise<void>> {
  const outer = process.env.TMPDIR;
  const folder = await mkdtemp(join(tmpdir(), 'backlog-tests-'));
  process.env.TMPDIR = folder;
  return async () => {
    if (outer === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outer;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
