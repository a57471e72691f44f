import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HOME = fileURLToPath(new URL('../../.python', import.meta.url));
const COMPLETE = join(HOME, 'complete');
const PACKAGES = ['boto3', 'prometheus-client'];

/** A Python that has the packages of tests, in a virtual environment that is made at the first call. Needs Python 3 with venv. */
export function pythonWithPackages(): string {
  const python = join(HOME, 'bin', 'python');
  const wanted = PACKAGES.join('\n');
  if (existsSync(COMPLETE) && readFileSync(COMPLETE, 'utf8') === wanted) return python;
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(HOME, { recursive: true });
  must(spawnSync('python3', ['-m', 'venv', HOME]), 'Python 3 with venv is needed');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES];
  must(spawnSync(python, pip), `pip could not fetch ${PACKAGES.join(', ')}`);
  writeFileSync(COMPLETE, wanted);
  return python;
}

function must({ status, stderr, error }: SpawnSyncReturns<Buffer>, problem: string): void {
  if (status !== 0) throw new Error(`${problem}: ${error?.message ?? stderr.toString()}`);
}
