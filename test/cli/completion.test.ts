import { spawnSync } from 'node:child_process';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { knownIds, knownRecurring } from '../../tools/src/cli/known-ids.js';
import { knownQueues } from '../../tools/src/cli/known-queues.js';
import { createProgram } from '../../tools/src/cli/program.js';
import { announce } from '../../tools/src/local/discovery.js';
import { functionResource, writeAssembly } from '../local/assembly-fixture.js';
import { announcedRuntime } from './announced-runtime.js';
import { backlog } from './in-process.js';

let script: string;
/** A folder with a `backlog` that knows three queues. */
let folder: string;

beforeAll(async () => {
  script = (await backlog('completion', 'bash')).out;
  folder = await mkdtemp(join(tmpdir(), 'backlog-completion-'));
  const program = [
    '[ "$*" = "completion queues" ] && printf "%s\\n" bulk orders orders-slow',
    '[ "$*" = "completion ids order" ] && printf "%s\\n" order-7 order-71',
    '[ "$*" = "completion recurring night" ] && printf "%s\\n" nightly-report',
  ].join('\n');
  await writeFile(join(folder, 'backlog'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The words that a real bash offers after these; the last one is being typed. */
function completed(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const asked = `COMP_WORDS=(backlog ${quoted}); COMP_CWORD=${words.length}; _backlog_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-uc', `${script}\n${asked}`], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter(Boolean);
}

describe('completion in bash', () => {
  it.each([
    [['re'], ['recurring', 'redrive', 'resume', 'restore']],
    [['run'], ['run-now']],
    [['nothing'], []],
    [['list', '--stat'], ['--status']],
    [
      ['list', '--status', ''],
      ['NEW', 'ERROR', 'SUCCESS', 'DEAD'],
    ],
    [['export', 'order-7', '--status', 'S'], ['SUCCESS']],
    [
      ['policy', 'si'],
      ['sidekiq', 'sigmoid'],
    ],
    [['change-policy', '--policy', 'fib'], ['fibonacci']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'queues', 'ids', 'recurring'],
    ],
    [['help', 'sho'], ['show']],
    [
      ['list', '--queue', ''],
      ['bulk', 'orders', 'orders-slow'],
    ],
    [['stats', '--queues', 'b'], ['bulk']],
    [
      ['move', '--to', 'orders'],
      ['orders', 'orders-slow'],
    ],
    [
      ['pause', 'o'],
      ['orders', 'orders-slow'],
    ],
    // Any text: bash offers files.
    [['import', ''], []],
    [['show', ''], []],
    [
      ['show', 'order'],
      ['order-7', 'order-71'],
    ],
    [['recurring', 'pu'], ['put']],
    [['recurring', 'pause', 'night'], ['nightly-report']],
    [
      ['redrive', 'order-7', 'order'],
      ['order-7', 'order-71'],
    ],
  ])('%j', (words, expected) => {
    expect(completed(...words).sort()).toEqual([...expected].sort());
  });

  it('knows every command and every flag', () => {
    const { commands } = createProgram({ data: () => {}, message: () => {} }, () => {});
    expect(completed('').sort()).toEqual(
      [...commands.map((command) => command.name()), 'help', '--help', '--version'].sort(),
    );
    const redrive = commands.find((command) => command.name() === 'redrive');
    const flags = redrive?.options.map(({ long }) => long) ?? [];
    expect(completed('redrive', '--').sort()).toEqual([...flags, '--help'].sort());
  });
});

it('completion in zsh is that of bash, with its layer for it', async () => {
  const { out } = await backlog('completion', 'zsh');
  expect(out).toBe(`autoload -U +X bashcompinit && bashcompinit\n${script}`);
});

it('completion in fish has a line for each command and flag', async () => {
  const lines = (await backlog('completion', 'fish')).out.split('\n');
  expect(lines).toContain("complete -c backlog -n __fish_use_subcommand -f -a list -d 'records, as a table'");
  expect(lines).toContain(
    "complete -c backlog -n '__fish_seen_subcommand_from list' -l status -x -a 'NEW ERROR SUCCESS DEAD' -d 'NEW, ERROR, SUCCESS or DEAD'",
  );
  expect(lines).toContain(
    "complete -c backlog -n '__fish_seen_subcommand_from redrive' -f -a '(backlog completion ids (commandline -ct) 2>/dev/null)'",
  );
  expect(lines.filter((line) => !/^complete -c backlog -n ('[^']+'|\S+) .+$/.test(line))).toEqual([]);
});

describe('the queues that are completed', () => {
  const announced = (queues: string[]) =>
    announce({
      ...{ pid: process.pid, cwd: folder, startedAt: new Date().toISOString(), tables: [], queues },
      ...{ endpoint: 'http://127.0.0.1:1', statusPage: 'http://127.0.0.1:1/' },
      clock: { wallStart: 0, start: 0, speed: 1 },
    });
  const synthesized = async (queues: object) => {
    const Variables = { BACKLOG_TABLE: 'Records', BACKLOG_QUEUES: JSON.stringify(queues) };
    const { Properties } = functionResource;
    const out = await writeAssembly({
      Worker11112222: { ...functionResource, Properties: { ...Properties, Environment: { Variables } } },
    });
    const app = await mkdtemp(join(tmpdir(), 'backlog-app-'));
    await rename(out, join(app, 'cdk.out'));
    return app;
  };

  it('are those of the local runtime, if their names can be words of a shell', async () => {
    vi.stubEnv('BACKLOG_RUNTIME_DIR', join(folder, 'runtimes'));
    await announced(['orders', 'bulk', '$(touch hacked)', 'a b']);
    expect(await knownQueues(folder)).toEqual(['bulk', 'orders']);
    expect((await backlog('completion', 'queues')).out).toBe('bulk\norders');
  });

  it('are those of cdk.out if no runtime runs, and none where there is neither', async () => {
    vi.stubEnv('BACKLOG_RUNTIME_DIR', join(folder, 'none'));
    const queues = { mails: { retryMode: 'perRecord' }, prices: { retryMode: 'progressive' } };
    expect(await knownQueues(await synthesized(queues))).toEqual(['mails', 'prices']);
    expect(await knownQueues(folder)).toEqual([]);
  });
});

it('the ids that are completed are those of the local runtime, 50 at most, if they can be words of a shell', async () => {
  const runtime = await announcedRuntime();
  const { records, folder: apart } = await runtime.renew();
  const ids = Array.from({ length: 60 }, (_, i) => `order-${i}`);
  await records.put(...[...ids, 'invoice-1', 'invoice $(touch hacked)'].map((id) => ({ id, status: 'NEW' })));
  expect((await backlog('completion', 'ids', 'order-5')).out.split('\n')).toEqual(
    ids.filter((id) => id.startsWith('order-5')).sort(),
  );
  expect(await knownIds('order')).toHaveLength(50);
  expect(await knownIds('invoice')).toEqual(['invoice-1']);
  const schedules = ['nightly-report', 'tenants/7', 'a:b'].map((name) => ({
    id: `recurring:${name}`,
    status: 'NEW',
  }));
  await records.put(...schedules);
  expect(await knownRecurring('')).toEqual(['nightly-report', 'tenants/7']);
  expect((await backlog('completion', 'recurring', 'night')).out).toBe('nightly-report');
  vi.stubEnv('BACKLOG_RUNTIME_DIR', join(apart, 'none'));
  expect(await knownIds('order')).toEqual([]);
  await runtime.stop();
});

describe('the help of the program', () => {
  it('has its commands in groups, each on one line of 80 columns', async () => {
    const { out } = await backlog('--help');
    const groups = out.match(/^\S.*:$/gm);
    expect(groups).toEqual([
      'Options:',
      'Develop:',
      'Look:',
      'Act on records and queues:',
      'Plan, migrate and recover:',
      'Examples:',
    ]);
    const list = out.slice(out.indexOf('Develop:'), out.indexOf('Examples:'));
    expect(list).toMatch(/Act on[\s\S]*^ {2}redrive \[ids\.\.\.\] {2,}make dead records wait again$/m);
    // A summary that is too long goes on in a line of its own.
    expect(list).not.toMatch(/^ {10,}/m);
  });

  it('refuses a shell that it does not know', async () => {
    expect((await backlog('completion', 'tcsh')).err).toMatch(/Allowed choices are bash, zsh, fish/);
  });
});
