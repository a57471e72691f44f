import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT, read } from './docs/pages.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly uses?: string;
  readonly permissions?: Record<string, string>;
  readonly strategy?: { readonly matrix: Record<string, readonly (string | number)[]> };
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const FOLDER = '.github/workflows';
const WORKFLOWS = readdirSync(join(ROOT, FOLDER)).map((name) => `${FOLDER}/${name}`);
const SCRIPTS = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);

const workflow = (path: string) => parse(read(path)) as Workflow;
const jobsOf = (path: string) => Object.entries(workflow(path).jobs);
const stepsOf = (job: Job) => job.steps ?? [];
/** The names of all steps: .ci/run lists them when it is asked for another one. */
const stepsOfCi = () => {
  const { stdout } = spawnSync('bash', [join(ROOT, '.ci/run'), 'none'], { encoding: 'utf8' });
  return /there are (.*)/.exec(stdout)?.[1]?.split(' ') ?? [];
};
/** The commands of a job, once for each value of its matrix. */
function runsOf(job: Job): string[] {
  const runs = stepsOf(job).flatMap(({ run }) => run ?? []);
  return runs.flatMap((run) => {
    const key = /\$\{\{ matrix\.(\w+) \}\}/.exec(run)?.[1];
    const values = key === undefined ? [''] : (job.strategy?.matrix[key] ?? []);
    return values.map((value) => run.replace(/\$\{\{ matrix\.\w+ \}\}/, String(value)));
  });
}

describe('the workflow of CI', () => {
  const jobs = workflow(`${FOLDER}/ci.yml`).jobs;
  const node = jobs.tests?.strategy?.matrix.node ?? [];

  it('runs every step of .ci/run, and no other', () => {
    const known = stepsOfCi();
    expect(known.length).toBeGreaterThan(10);
    const called = Object.values(jobs).flatMap(runsOf);
    const named = called.flatMap((run) => /^bash \.ci\/run (.*)$/.exec(run)?.[1]?.split(' ') ?? run);
    // Where .ci/run fetches another Node.js for the tests, the workflow has a matrix.
    const byMatrix = node.map((version) => `tests-${version}`);
    expect([...new Set([...named, ...byMatrix])].filter((name) => !known.includes(name))).toEqual([
      'tests-20',
    ]);
    expect(known.filter((name) => !named.includes(name) && !byMatrix.includes(name))).toEqual([]);
  });

  it('begins with the oldest version of Node.js that is supported, which is also that of .nvmrc', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(node[0]).toBe(Number(/^>=(\d+)/.exec(engines.node)?.[1]));
    expect(node[0]).toBe(Number(read('.nvmrc')));
  });
});

describe.each(WORKFLOWS)('%s', (path) => {
  it('uses actions by the tag of a major version', () => {
    const used = jobsOf(path).flatMap(([, job]) => stepsOf(job).flatMap(({ uses }) => uses ?? []));
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((uses) => !/^actions\/[\w-]+@v\d+$/.test(uses))).toEqual([]);
    for (const [, { uses }] of jobsOf(path))
      if (uses !== undefined) expect(WORKFLOWS).toContain(uses.slice(2));
  });

  it('may only read, except in the job that publishes', () => {
    expect(workflow(path).permissions).toEqual({ contents: 'read' });
    const more = jobsOf(path).filter(([, { permissions }]) => permissions !== undefined);
    expect(more.map(([name, { permissions }]) => [name, permissions])).toEqual(
      path.endsWith('release.yml') ? [['publish', { contents: 'read', 'id-token': 'write' }]] : [],
    );
  });

  it('puts no text of an event into a command', () => {
    const runs = jobsOf(path).flatMap(([, job]) => stepsOf(job).flatMap(({ run }) => run ?? []));
    expect(runs.filter((run) => /\$\{\{(?! matrix\.)/.test(run))).toEqual([]);
  });
});

it.each([
  '.ci/run',
  '.githooks/pre-commit',
  '.vscode/launch.json',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...WORKFLOWS,
])('%s calls scripts of package.json that exist', (path) => {
  const called = [...read(path).matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name);
  expect(called.filter((name = '') => !SCRIPTS.includes(name))).toEqual([]);
});

it('the launches of VS Code run programs and configurations that exist', () => {
  const launch = readFileSync(join(ROOT, '.vscode/launch.json'), 'utf8');
  const files = [...launch.matchAll(/"(?:\$\{workspaceFolder\}\/)?([\w./-]+\.(?:mjs|ts))"/g)];
  expect(files.map(([, file]) => file)).toContain('vitest.long.config.ts');
  expect(files.filter(([, file = '']) => !existsSync(join(ROOT, file)))).toEqual([]);
});
