import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { ConfigurationError, type RedactPayload } from 'dynamo-backlog';

/** The flag, for the help. */
export const REDACT_FLAG = [
  '--redact <file>',
  'a module whose default export says what is shown of a payload (default: all of it)',
] as const;

/**
 * Loads the module of `--redact`, relative to the current folder. Undefined: there is none.
 *
 * @throws ConfigurationError that names the flag, the file, and what is wrong
 */
export async function loadRedact(file: string | undefined): Promise<RedactPayload | undefined> {
  if (file === undefined) return undefined;
  const path = resolve(file);
  const module = await load(file, path);
  const redact = module.default;
  if (typeof redact === 'function' && !types.isAsyncFunction(redact)) return redact as RedactPayload;
  const names = Object.keys(module).join(', ') || 'nothing';
  const found =
    redact === undefined
      ? `its exports are: ${names}`
      : `it exports ${types.isAsyncFunction(redact) ? 'an async function' : typeof redact}`;
  throw new ConfigurationError(
    `--redact: expected ${file} to export a function as its default, (payload, { id, queue }) => what is shown; ${found}`,
  );
}

async function load(file: string, path: string): Promise<Record<string, unknown>> {
  if (!existsSync(path)) throw new ConfigurationError(`--redact: there is no file ${file}`);
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`--redact: cannot load ${file}: ${reason}`, { cause: error });
  }
}
