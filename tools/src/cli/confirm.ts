import { createInterface } from 'node:readline/promises';
import { ConfigurationError } from 'dynamo-backlog';

/**
 * Asks before something is changed.
 *
 * @throws ConfigurationError where there is no terminal to ask on, unless the user has said yes beforehand
 */
export async function confirmed(
  question: string,
  yes: boolean | undefined,
  signal?: AbortSignal,
): Promise<boolean> {
  if (yes) return true;
  requireTerminal();
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, signal ? { signal } : {});
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    return false;
  } finally {
    terminal.close();
  }
}

/** @throws ConfigurationError where there is no terminal to ask on: before long work that would end with a question */
export function requireTerminal(): void {
  if (process.stdin.isTTY && process.stderr.isTTY) return;
  throw new ConfigurationError(
    'there is no terminal to ask at: look with --dry-run, then give --yes to go ahead',
  );
}
