import type { Command } from 'commander';
import { VERSION } from 'dynamo-backlog/engine';
import { examples } from '../command-parts.js';
import type { ExitCode, Output } from '../output.js';
import { init } from './init.js';

/** Makes a command write an app: `backlog init`, and that of `npm create dynamo-backlog`. */
export function initCommand(command: Command, output: Output, onExit: (code: ExitCode) => void): void {
  command
    .description('Write a small app of your own: a CDK app, a handler with its test, a producer.')
    .argument('[folder]', 'of the new app, empty except for hidden files (default: the current one)')
    .option(
      '--package <spec>',
      `where the app gets dynamo-backlog from: a version, a tarball, or what npm takes (default: ^${VERSION})`,
    )
    .option('--tools-package <spec>', `the same for dynamo-backlog-tools (default: ^${VERSION})`)
    .addHelpText(
      'after',
      examples(
        ['create-dynamo-backlog my-app', 'then: cd my-app; npm install; npm test'],
        ['create-dynamo-backlog', 'in the current folder'],
        ['create-dynamo-backlog my-app --package ./dynamo-backlog-0.1.0.tgz', 'with a package of your own'],
      ),
    )
    .action(async (folder, options) => onExit(await init(folder, options, output)));
}
