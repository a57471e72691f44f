import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backlog, isSimulation, shownOn } from './policies-page.js';

/** Written by `npm run docs`. */
export const FINGERPRINTS = new URL('../test/docs/simulations.json', import.meta.url);

const FEW_RECORDS = 20;
const SELDOM = 0.02;

/**
 * What the page shows of each simulation, and what the same simulation comes to with few records, as a hash. It
 * changes with what stands on the page and with how the code behaves, and costs a twentieth of the simulation.
 */
export async function fingerprintsOf(page: string, docs: string): Promise<Record<string, string>> {
  const fingerprints: Record<string, string> = {};
  for (const { command, file, text } of shownOn(page)) {
    if (!isSimulation(command)) continue;
    const hash = createHash('sha256');
    hash.update(file === undefined ? (text ?? '') : readFileSync(join(docs, file)));
    hash.update(file === undefined ? await backlog(`${small(command)} --json`) : await smallPicture(command));
    fingerprints[command] = hash.digest('hex').slice(0, 16);
  }
  return fingerprints;
}

async function smallPicture(command: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'backlog-picture-'));
  try {
    const file = join(folder, 'picture.svg');
    await backlog(`${small(command)} --chart ${file}`);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The last value given for an option counts. */
function small(command: string): string {
  return `${command} ${command.includes('--rate ') ? `--rate ${SELDOM}` : `--records ${FEW_RECORDS}`}`;
}
