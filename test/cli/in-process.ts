import { explain } from '../../tools/src/cli/explain.js';
import type { ExitCode } from '../../tools/src/cli/output.js';
import { createProgram } from '../../tools/src/cli/program.js';

/** Runs a command in this process: what it wrote, and its exit code or what it threw. */
export async function backlog(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  let code: ExitCode | undefined;
  const program = createProgram(
    { data: (line) => void out.push(line), message: (line) => void err.push(line) },
    (exit) => {
      code = exit;
    },
  );
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ writeErr: (text) => void err.push(text), writeOut: (text) => void out.push(text) });
  }
  let error: unknown;
  await program.parseAsync(['node', 'backlog', ...args]).catch((thrown: unknown) => {
    error = thrown;
  });
  return { code, error, out: out.join('\n'), err: [...err, ...(error ? [explain(error)] : [])].join('\n') };
}
