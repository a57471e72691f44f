import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { ConfigurationError } from './errors.js';
import { parseOptions } from './validation.js';

/** A text in a file of settings. Numbers are places in `BACKLOG_FILE_VALUES`: what only the deployment knows. */
export interface JoinedText {
  readonly $join: readonly (string | number)[];
}

/**
 * Reads the JSON of a variable. Without it: that of the file which `NAME_FILE` names, for what a function's 4 KB of
 * variables have no room for.
 *
 * @throws ConfigurationError naming the variable, and the path of the file
 */
export function readJson(env: Readonly<Record<string, string | undefined>>, name: string): unknown {
  const { [name]: text, [`${name}_FILE`]: file, BACKLOG_FILE_VALUES = '[]' } = env;
  if (text !== undefined || file === undefined) {
    return parseJson(parseOptions(z.string(), text, name), name);
  }
  try {
    const values = JSON.parse(BACKLOG_FILE_VALUES);
    return JSON.parse(readFileSync(file, 'utf8'), (_, value) =>
      value?.$join?.map
        ? // A value that is missing throws: part of an address would be another address.
          value.$join
            .map((part: string | number) => (typeof part === 'string' ? part : values[part].toString()))
            .join('')
        : value,
    );
  } catch (error) {
    throw new ConfigurationError(`${name}_FILE: cannot read ${file}: ${(error as Error).message}`);
  }
}

/** @throws ConfigurationError naming the variable, without what it holds */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigurationError(`${name}: expected JSON, got ${text.length} characters that are none`);
  }
}
