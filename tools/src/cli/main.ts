#!/usr/bin/env node
import { CommanderError } from 'commander';
import { explain } from './explain.js';
import { EXIT, type ExitCode, processOutput } from './output.js';
import { createProgram } from './program.js';

// The SDK's remark on Node 20 concerns the package's developers, not a user who lists records.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

// A reader that goes away, as `| head` does, is no failure: what would be left half-way is ended in order.
// Neither is a terminal that was closed.
let isReaderGone = false;
let isTerminalGone = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    isTerminalGone ||= error.code === 'EIO';
    if (isReaderGone) return;
    isReaderGone = true;
    const signal = isTerminalGone ? 'SIGHUP' : 'SIGTERM';
    if (!process.emit(signal, signal)) process.exit(process.exitCode ?? EXIT.ok);
  });
}

let exitCode: ExitCode = EXIT.ok;
try {
  await createProgram(processOutput, (code) => {
    exitCode = code;
  }).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong, or shown the help that was asked for.
    exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  } else {
    processOutput.message(explain(error));
    exitCode = EXIT.failed;
  }
}
process.exitCode = isReaderGone && exitCode === EXIT.failed ? EXIT.ok : exitCode;
// Node.js aborts at its exit where it cannot reset a terminal that is gone: this ends the process before, as it ends others.
if (isTerminalGone) process.kill(process.pid, 'SIGHUP');
