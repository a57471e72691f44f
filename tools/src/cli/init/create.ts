import { Command } from 'commander';
import { ConfigurationError } from 'dynamo-backlog';
import { VERSION } from 'dynamo-backlog/engine';
import { EXIT, type ExitCode, processOutput } from '../output.js';
import { initCommand } from './command.js';

// `npm create dynamo-backlog my-app`: `backlog init` alone, without what the other commands need.
let exitCode: ExitCode = EXIT.ok;
const program = new Command('create-dynamo-backlog').version(VERSION);
initCommand(program, processOutput, (code) => {
  exitCode = code;
});
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  processOutput.message(`error: ${error.message}`);
  exitCode = EXIT.failed;
}
process.exitCode = exitCode;
