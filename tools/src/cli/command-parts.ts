import { type Command, Option } from 'commander';
import { THEMES } from '../charts/theme.js';
import { flags } from './flags.js';

const EXIT_CODES = 'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done, and problems were found.';

/** The flags that say which table; by default that of the running local runtime. */
export function target(command: Command): Command {
  return command
    .option('--endpoint <url>', 'of DynamoDB (default: the running local runtime)', flags.endpoint)
    .option('--table <name>', 'of the records (default: the runtime’s; without a runtime, a table in AWS)')
    .addOption(
      new Option(
        '--stack <name>',
        'the deployed stack that has the tables, in place of their names',
      ).conflicts(['table', 'controlTable']),
    );
}

export function examples(...lines: readonly (readonly [command: string, remark: string])[]): string {
  const texts = lines.map(
    ([command, remark]) =>
      `  $ npx ${command}`
        .replace('npx gunzip', 'gunzip')
        .replace('npx AWS_', 'AWS_')
        .replace('| backlog', '| npx backlog') + (remark ? `   # ${remark}` : ''),
  );
  return `\nExamples:\n${texts.join('\n')}\n\n${EXIT_CODES}`;
}

/** The colours of a picture. */
export function theme(): Option {
  const what = 'colours of the picture (default: auto, as the viewer prefers; a PNG is light)';
  return new Option('--theme <theme>', what).choices(THEMES);
}
