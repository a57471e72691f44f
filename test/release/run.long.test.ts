import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const TSX = createRequire(import.meta.url).resolve('tsx/cli');
const SCRIPT = fileURLToPath(new URL('../../scripts/release.ts', import.meta.url));
const WORKSPACES = ['tools', 'create'];
const FILES = {
  '.gitignore': 'node_modules\n',
  'package.json': JSON.stringify({
    name: 'a',
    version: '0.1.0',
    workspaces: WORKSPACES,
    scripts: { build: 'node build.cjs', pack: 'node pack.cjs' },
  }),
  ...Object.fromEntries(
    WORKSPACES.map((name) => [
      `${name}/package.json`,
      JSON.stringify({ name: `a-${name}`, version: '0.1.0' }),
    ]),
  ),
  'package-lock.json': JSON.stringify({
    name: 'a',
    version: '0.1.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'a', version: '0.1.0', workspaces: WORKSPACES },
      ...Object.fromEntries(WORKSPACES.map((name) => [name, { name: `a-${name}`, version: '0.1.0' }])),
    },
  }),
  'build.cjs': '',
  'pack.cjs': "if (!process.argv[2]) throw new Error('pack needs a folder');",
  'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- A pause.\n',
  'src/support/version.ts': "export const VERSION = '0.1.0';\n",
};
/** No registry answers, and no setting of the machine counts. */
const env = {
  PATH: process.env.PATH,
  HOME: tmpdir(),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
  npm_config_registry: 'http://127.0.0.1:9',
  npm_config_fetch_retries: '0',
  npm_config_update_notifier: 'false',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message', 'all');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, args: string[]) =>
  spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
const git = (...args: string[]) => run('git', args).stdout.trim();
const release = (...args: string[]) => run(process.execPath, [TSX, SCRIPT, ...args]);
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const state = () => [git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')];

it('a dry run says that the release can be made, and changes nothing', () => {
  const before = state();
  const { status, stdout } = release('0.2.0', '--dry-run');
  expect([status, stdout]).toEqual([0, 'v0.2.0 can be made. Nothing was changed.\n']);
  expect(state()).toEqual(before);
});

it('a dry run of what is refused says why, and ends with 1', () => {
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n');
  const { status, stderr } = release('0.2.0', '--dry-run');
  expect(status).toBe(1);
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    'there are changes that are not committed: M CHANGELOG.md',
    'CHANGELOG.md has no text for 0.2.0: expected it under "## Unreleased"',
  ]);
});

it('a release is one commit with the version in all places, and a tag that verifies', () => {
  expect(release('0.2.0')).toMatchObject({ status: 0 });
  expect([git('log', '-1', '--format=%s'), git('status', '--porcelain'), git('tag')]).toEqual([
    'Release 0.2.0',
    '',
    'v0.2.0',
  ]);
  expect(git('rev-parse', 'v0.2.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
  for (const path of ['', 'tools/', 'create/'])
    expect(JSON.parse(read(`${path}package.json`)).version, path).toBe('0.2.0');
  const { packages } = JSON.parse(read('package-lock.json'));
  expect(['', ...WORKSPACES].map((name) => packages[name].version)).toEqual(['0.2.0', '0.2.0', '0.2.0']);
  expect(read('src/support/version.ts')).toBe("export const VERSION = '0.2.0';\n");
  expect(read('CHANGELOG.md')).toMatch(/## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n\n- A pause/);
  expect(release('--verify', 'v0.2.0').status).toBe(0);
  expect(release('--verify', 'v0.3.0')).toMatchObject({
    status: 1,
    stderr: 'the tag is v0.3.0, but package.json has 0.2.0\n',
  });
});

it('a release whose build fails leaves everything as it was', () => {
  writeFileSync(join(folder, 'build.cjs'), 'process.exit(3);');
  git('commit', '--quiet', '--all', '--message', 'broken');
  const before = state();
  const { status, stderr } = release('0.2.0');
  expect(status).toBe(1);
  expect(stderr).toContain('npm run build failed');
  expect(state()).toEqual(before);
});
