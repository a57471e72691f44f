import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Design } from '../designs/design.js';

/** A design with a server of its own, which runs until it is stopped. */
export interface Served {
  readonly design: Design;
  stop(): Promise<void>;
}

/** Error if a design cannot be installed here: the comparison goes on without it. */
export class NotInstalledError extends Error {}

const CACHE = new URL('../../node_modules/.cache/', import.meta.url);

/**
 * Installs packages that this project does not depend on, in a folder of their own, and loads them.
 *
 * @param names with their versions, such as `bullmq@6`
 * @throws NotInstalledError
 */
export async function install(...names: readonly string[]): Promise<Record<string, unknown>[]> {
  const folder = fileURLToPath(new URL(`compared-${nameOf(names[0])}`, CACHE));
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  writeFileSync(manifest, '{ "private": true }\n');
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', '--prefix', folder, ...options, ...names], {
    stdio: 'ignore',
  });
  if (status !== 0) throw new NotInstalledError(`npm could not install ${names.join(' and ')}`);
  const { resolve } = createRequire(manifest);
  return Promise.all(names.map((name) => import(pathToFileURL(resolve(nameOf(name))).href)));
}

const nameOf = (versioned = '') => versioned.replace(/@[^@]*$/, '');

/** A port of 127.0.0.1 that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
