import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../tools/src/cli/program.js';
import { backlog } from './in-process.js';

let script: string;

beforeAll(async () => {
  script = (await backlog('completion', 'bash')).out;
});

/** The words that a real bash offers after these; the last one is being typed. */
function completed(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const asked = `COMP_WORDS=(backlog ${quoted}); COMP_CWORD=${words.length}; _backlog_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-uc', `${script}\n${asked}`], {
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter(Boolean);
}

describe('completion in bash', () => {
  it.each([
    [['re'], ['redrive', 'resume', 'restore']],
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
      ['bash', 'zsh', 'fish'],
    ],
    [['help', 'sho'], ['show']],
    // Any text: bash offers files.
    [['list', '--queue', ''], []],
    [['import', ''], []],
    [['show', ''], []],
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
  expect(lines.filter((line) => !/^complete -c backlog -n ('[^']+'|\S+) .+$/.test(line))).toEqual([]);
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
    expect(list).toMatch(/Act on[\s\S]*^ {2}redrive \[ids\.\.\.\] {2,}make dead records pending again$/m);
    // A summary that is too long goes on in a line of its own.
    expect(list).not.toMatch(/^ {10,}/m);
  });

  it('refuses a shell that it does not know', async () => {
    expect((await backlog('completion', 'tcsh')).err).toMatch(/Allowed choices are bash, zsh, fish/);
  });
});
