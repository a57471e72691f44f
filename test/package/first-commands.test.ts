import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { nodeOf } from './apps.js';
import { LocalBacklog } from './local-backlog.js';
import { mustRun } from './run.js';

const library = inject('packed').file;
const tools = inject('packedTools').file;
const create = inject('packedCreate').file;
const OF_TARBALLS = ['--package', library, '--tools-package', tools];
const say = (line: string) => process.stdout.write(`${line}\n`);
const seconds = (since: number) => Math.round((Date.now() - since) / 100) / 10;

describe.each([20, 24])('from an empty folder, with Node %i', (major) => {
  /** Programs of npm, too, run on this Node.js. */
  const environment = async () => ({
    PATH: `${dirname(await nodeOf(major))}${delimiter}${process.env.PATH}`,
  });

  it('one command runs the demo with the console', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backlog-demo-'));
    const env = await environment();
    const npx = ['npx', '--yes', `--package=${library}`, `--package=${tools}`, 'backlog', 'start'] as const;
    const began = Date.now();
    await using demo = await LocalBacklog.start(folder, [], env, npx);
    const [file = ''] = await readdir(demo.runtimeFolder);
    const { statusPage } = JSON.parse(await readFile(join(demo.runtimeFolder, file), 'utf8'));
    const answer = await fetch(statusPage);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('<title>')]);
    say(`demo on Node ${major}: ${seconds(began)} s`);
  });

  it('three commands lead to a green test of a handler', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backlog-first-'));
    const env = await environment();
    const app = join(folder, 'my-app');
    const began = Date.now();
    const npx = ['--yes', `--package=${create}`, 'create-dynamo-backlog', 'my-app', ...OF_TARBALLS];
    await mustRun('npx', npx, { cwd: folder, env });
    await mustRun('npm', ['install'], { cwd: app, env });
    const { out } = await mustRun('npm', ['test'], { cwd: app, env });
    expect(out).toMatch(/5 passed/);
    say(`own app on Node ${major}: ${seconds(began)} s`);
  });
});
