import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './discovery.js';

const PREFIX = 'dynamo-backlog-run-';
/** Pattern of a folder's name, with the id of its process. */
const OWNER = /^dynamo-backlog-run-(\d+)-/;

/** A temporary folder for one runtime. What runtimes left behind that were killed is removed. */
export async function openScratch(parent = tmpdir()): Promise<string> {
  for (const name of await readdir(parent)) {
    const [, pid] = OWNER.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // Another user's is theirs to remove.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
  // Source maps of the bundles in it name files relative to where Node.js loads them from.
  return mkdtemp(join(await realpath(parent), `${PREFIX}${process.pid}-`));
}
