import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandLinePage, PAGE } from '../../scripts/cli-doc.js';
import { createProgram } from '../../tools/src/cli/program.js';
import { pages } from './pages.js';

const program = createProgram({ data() {}, message() {} }, () => {});
/** Flags that are read before the program is made: `--help` is commander's own. */
const OF_ALL = ['--help', '--version'];

it('docs/cli.md has the commands, flags and defaults as they are: npm run docs:cli', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(commandLinePage());
});

const flagsOf = (command: Command) => command.options.flatMap(({ long, short }) => [long, short]);

/** The fault of a command line of a page: `backlog` and all up to a pipe, a remark or the end of the line. */
function complaint(line: string): string | undefined {
  const [name = '', ...words] = line.split(/\s+/).slice(1);
  const [wanted] = /^[a-z-]+/.exec(name) ?? [];
  if (wanted === undefined) return undefined;
  const command = program.commands.find((one) => one.name() === wanted);
  if (wanted === 'help') return undefined;
  if (command === undefined) return `there is no command ${wanted}`;
  const known = [...flagsOf(command), ...OF_ALL];
  const unknown = words
    .map((word) => word.replace(/[=,.:;)].*$/, ''))
    .filter((word) => /^--?[a-z]/.test(word) && !known.includes(word));
  return unknown.length === 0 ? undefined : `${wanted} has no ${unknown.join(', ')}`;
}

/** Command lines in blocks, and in the text between backticks. */
function commandLinesOf(page: string): string[] {
  const text = page.replace(/\\\n\s*/g, ' ');
  const inBlocks = [...text.matchAll(/(?<=npx |\$ |[A-Z_]+=\S+ )backlog [a-z][^\n`#|&>]*/gm)].map(
    ([line]) => line,
  );
  const inText = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)]
    .map(([, code = '']) => code.replace(/^npx /, '').replace(/[|&>].*/, ''))
    .filter((code) => /^backlog [a-z]/.test(code));
  return [...inBlocks, ...inText].map((line) => line.replace(/"[^"]*"|'[^']*'/g, 'TEXT').replace(/".*$/, ''));
}

describe('command lines in the pages', () => {
  const lines = pages().flatMap(({ path, text }) => commandLinesOf(text).map((line) => ({ path, line })));

  it('are found', () => {
    expect(lines.length).toBeGreaterThan(200);
  });

  it('name commands and flags that exist', () => {
    const complaints = lines.flatMap(({ path, line }) => {
      const reason = complaint(line);
      return reason === undefined ? [] : [`${path}: ${line}: ${reason}`];
    });
    expect(complaints).toEqual([]);
  });

  it('would be refused with an unknown command or flag', () => {
    expect(complaint('backlog redo order-7')).toBe('there is no command redo');
    expect(complaint('backlog list --state DEAD --json')).toBe('list has no --state');
  });
});
