// `npm run docs:cli` writes docs/cli.md, the reference of the command line, from the commands themselves. A test keeps it in step.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../tools/src/cli/program.js';

export const PAGE = new URL('../docs/cli.md', import.meta.url);

/** The page that says more about a command. */
const MORE: Readonly<Record<string, readonly [text: string, link: string]>> = {
  init: ['get started', 'get-started.md'],
  start: ['the local runtime', 'local.md'],
  work: ['a worker that runs anywhere', 'worker.md'],
  policy: ['policies, before they are used', 'policies.md#look-at-it-first'],
  simulate: ['a policy against an outage', 'policies.md#try-it-against-an-outage'],
  cost: ['cost', 'cost.md#the-whole-bill'],
  completion: ['completion in the shell', 'command-line.md#completion-in-the-shell'],
  list: ['list and show', 'command-line.md#backlog-list-and-show'],
  show: ['list and show', 'command-line.md#backlog-list-and-show'],
  failures: ['why records fail', 'stats-and-top.md#why-records-fail'],
  keys: ['which keys wait and fail', 'stats-and-top.md#which-keys-wait-and-fail'],
  stats: ['figures', 'stats-and-top.md#figures'],
  top: ['watch it in a terminal', 'stats-and-top.md#watch-it-in-a-terminal'],
  metrics: ['Prometheus and Grafana', 'prometheus.md'],
  console: ['the console', 'console.md'],
  import: ['what a file may contain', 'command-line.md#backlog-import-file'],
  export: ['export', 'operate.md#export'],
  redrive: ['operate', 'operate.md'],
  discard: ['operate', 'operate.md'],
  snooze: ['operate', 'operate.md'],
  'run-now': ['operate', 'operate.md'],
  edit: ['operate', 'operate.md'],
  move: ['operate', 'operate.md'],
  'change-policy': ['operate', 'operate.md'],
  complete: ['ends from outside', 'completion.md#by-hand'],
  fail: ['ends from outside', 'completion.md#by-hand'],
  heartbeat: ['ends from outside', 'completion.md#by-hand'],
  jobs: ['jobs', 'operate.md#jobs'],
  recurring: ['recurring records', 'recurring.md#operating'],
  groups: ['groups', 'groups.md'],
  lines: ['lines of keys', 'operate.md#lines-of-keys'],
  pause: ['pause and resume', 'operate.md#pause-and-resume'],
  resume: ['pause and resume', 'operate.md#pause-and-resume'],
  mute: ['mutes', 'monitoring.md#mutes'],
  unmute: ['mutes', 'monitoring.md#mutes'],
  doctor: ['the doctor', 'adopt.md#the-doctor'],
  diff: ['backlog diff', 'deployments.md#backlog-diff'],
  adopt: ['adopt an older table', 'adopt.md'],
  restore: ['recovery', 'recovery.md#backlog-restore'],
  owners: ['owners of queues', 'stacks.md#owners-of-queues'],
  transfer: ['blue/green', 'stacks.md#bluegreen'],
  failover: ['failover and failback', 'regions.md#failover-and-failback'],
};
const INTRODUCTION = `<!-- npm run docs:cli writes this page -->
# Command line

Every command with its arguments, flags and defaults, as \`npx backlog help COMMAND\` prints them. The package dynamo-backlog-tools has to be
installed in the folder, or in one above it. [Which table a command works on](command-line.md#which-table-a-command-works-on),
[what it prints for programs](command-line.md#output-for-programs), and [the permissions](operate.md#permissions) that it
needs in AWS are on pages of their own.

Data go to stdout, messages to stderr. Flags may stand before or behind the arguments. \`--help\` is a flag of every command.

| exit code | |
|---|---|
| 0 | Done. |
| 1 | Failed: a port is taken, no such record, no runtime, no access. Or interrupted. |
| 2 | Wrong usage. |
| 3 | Done, with problems: \`import\` had bad lines, \`adopt\` left some items, \`doctor\` found something, \`diff\` found a change that is not safe, \`--check\` of \`stats\` and \`top\` a queue in trouble. Or \`cost\` could not read all of a stack. |
`;

/** The commands by their groups, each as a page has it. */
export function commandLinePage(): string {
  const commands = createProgram({ data() {}, message() {} }, () => {}).commands;
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  const own = (group: string) => commands.filter((one) => one.helpGroup() === group && one.name() !== 'help');
  return [
    INTRODUCTION,
    ...groups.flatMap((group) => [`## ${group.replace(':', '')}\n`, ...own(group).map(section)]),
  ].join('\n');
}

function section(command: Command): string {
  const more = MORE[command.name()];
  if (more === undefined)
    throw new Error(`${command.name()}: scripts/cli-doc.ts knows no page that says more`);
  const help = command.createHelp();
  const [text, link] = more;
  return [
    `### \`backlog ${command.name()}\`\n`,
    `${prose(command.description())} More: [${text}](${link}).\n`,
    `\`\`\`text\nnpx ${help.commandUsage(command)}\n\`\`\`\n`,
    table('argument', command.registeredArguments.map(argumentRow)),
    table('flag', help.visibleOptions(command).filter(isOwn).map(optionRow)),
    examplesOf(command),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const isOwn = (option: Option) => option.long !== '--help';

/** A default that the description has in words, and the description without it. */
function described(text: string): { readonly text: string; readonly standard: string | undefined } {
  const [whole = '', standard] = / \(default: ([^()]*)\)/.exec(text) ?? [];
  return { text: text.replace(whole, ''), standard };
}

function argumentRow(argument: Argument): string {
  const { text, standard } = described(argument.description);
  return row(argument.name(), text, standard ?? (argument.required ? undefined : 'none'));
}

function optionRow({ flags, description, defaultValue }: Option): string {
  const { text, standard } = described(description);
  const isOfParser = typeof defaultValue === 'boolean' || defaultValue === undefined;
  return row(flags, text, standard ?? (isOfParser ? undefined : String(defaultValue)));
}

const row = (name: string, text: string, standard = '') =>
  `| \`${name}\` | ${prose(standard)} | ${prose(text)} |`;

function table(title: string, rows: readonly string[]): string {
  return rows.length === 0 ? '' : `| ${title} | default | |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** Text of a help, which is no Markdown. */
function prose(text: string): string {
  return text.replace(/[|<*_[]/g, '\\$&').replace(/`[^`]*`/g, (code) => code.replace(/\\(?=[<*_[])/g, ''));
}

/** The help's text behind the options, without its last line. */
function examplesOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 1_000 });
  command.outputHelp();
  const [, examples = ''] = /^Examples:\n([\s\S]*?)\n\n/m.exec(help) ?? [];
  if (examples === '') return '';
  const lines = examples.split('\n').map((line) => line.replace(/^ {2}\$ /, ''));
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, commandLinePage());
