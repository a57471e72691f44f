// `npm run release -- 0.2.0` makes the commit and the tag of a version: it dates the section in CHANGELOG.md, writes the version into
// package.json, its lock and the source, builds, and tries the publication. It pushes and publishes nothing: the tag's workflow does.
// `--dry-run` only says what it would do. `--verify v0.2.0` checks that a tag fits what is checked out.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Plan, planRelease, type Repository, verifyTag } from './release/plan.js';

const USAGE = 'npm run release -- VERSION [--dry-run]\nnpm run release -- --verify TAG';
const CHANGELOG = 'CHANGELOG.md';
/** The tarballs that the tag's workflow will publish. */
const PACKED = 'node_modules/.cache/packed';
/** Deliveries name the version; a bundle has no package.json to read it from. */
const VERSION_SOURCE = 'src/support/version.ts';
const WORKSPACES = ['tools', 'create'];
const MANIFESTS = ['package.json', ...WORKSPACES.map((name) => `${name}/package.json`)];
const LOCK = 'package-lock.json';
const WRITTEN = [CHANGELOG, VERSION_SOURCE, LOCK, ...MANIFESTS];

try {
  main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

function main(): void {
  const options = { 'dry-run': { type: 'boolean' }, verify: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [version, ...more] = positionals;
  if (more.length > 0 || (version === undefined) === (values.verify === undefined)) throw new Error(USAGE);
  if (values.verify !== undefined) {
    verifyTag(values.verify, repository());
    return;
  }
  const plan = planRelease(version ?? '', repository(), new Date().toISOString().slice(0, 10));
  if (values['dry-run']) {
    say(`${plan.tag} can be made. Nothing was changed.`);
    return;
  }
  release(plan);
  say(`${plan.tag} is made. To publish it: git push --atomic origin main ${plan.tag}`);
}

function repository(): Repository {
  return {
    branch: output('git', 'branch', '--show-current'),
    changes: lines(output('git', 'status', '--porcelain')),
    tags: lines(output('git', 'tag')),
    version: (JSON.parse(read('package.json')) as { version: string }).version,
    changelog: read(CHANGELOG),
  };
}

/** Writes, builds, tries and commits. A failure leaves the files as they were, and no tag. */
function release({ version, tag, changelog }: Plan): void {
  try {
    writeFileSync(CHANGELOG, changelog);
    writeFileSync(VERSION_SOURCE, withVersion(read(VERSION_SOURCE), version));
    for (const path of MANIFESTS) rewrite(path, (manifest) => ({ ...manifest, version }));
    rewrite(LOCK, (lock) => withVersions(lock, version));
    run('npm', 'run', 'build');
    run('npm', 'run', 'pack', '--', PACKED);
    if (output('git', 'status', '--porcelain') !== '')
      run('git', 'commit', '--all', '-m', `Release ${version}`);
    run('git', 'tag', '--annotate', tag, '-m', version);
  } catch (error) {
    run('git', 'checkout', 'HEAD', '--', ...WRITTEN);
    throw error;
  }
}

type Json = Record<string, unknown>;

function rewrite(path: string, change: (content: Json) => Json): void {
  writeFileSync(path, `${JSON.stringify(change(JSON.parse(read(path)) as Json), null, 2)}\n`);
}

/** The lock file with the version of all packages of the repository: `npm version` leaves those of workspaces as they were. */
function withVersions(lock: Json, version: string): Json {
  const packages = lock.packages as Readonly<Record<string, Json>>;
  const own = ['', ...WORKSPACES].map((name) => [name, { ...packages[name], version }]);
  return { ...lock, version, packages: { ...packages, ...Object.fromEntries(own) } };
}

function withVersion(source: string, version: string): string {
  const written = source.replace(/(?<=VERSION = ')[^']+(?=')/, version);
  if (!written.includes(`VERSION = '${version}'`))
    throw new Error(`${VERSION_SOURCE} has no VERSION to write`);
  return written;
}

function run(program: string, ...args: string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
}

function output(program: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
  return stdout.trim();
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

function lines(text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => line.trim());
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
