import { randomInt } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';
import * as z from 'zod';
import { folderTrouble } from './folder-trouble.js';
import { type FindSecret, namesOf } from './secrets-file.js';
import type { LocalSecret } from './template/local-app.js';

const fileSchema = z.record(z.string(), z.string());

/** The values of secrets that Secrets Manager makes up in the cloud. A data folder keeps them: what they signed stays valid. */
export class GeneratedSecrets {
  readonly #file: string | undefined;
  #values: ReadonlyMap<string, string>;

  private constructor(file: string | undefined, values: ReadonlyMap<string, string>) {
    this.#file = file;
    this.#values = values;
  }

  /** @throws ConfigurationError if the folder's file cannot be read, without showing what is in it */
  static async open(dataDir: string | undefined): Promise<GeneratedSecrets> {
    if (dataDir === undefined) return new GeneratedSecrets(undefined, new Map());
    const file = join(dataDir, 'secrets.json');
    return new GeneratedSecrets(file, await readValues(file));
  }

  /** Makes the values that are missing. @throws ConfigurationError if they cannot be written */
  async prepare(secrets: readonly LocalSecret[]): Promise<void> {
    const missing = secrets.filter(({ name }) => !this.#values.has(name));
    if (missing.length === 0) return;
    const values = new Map([
      ...this.#values,
      ...missing.map((secret) => [secret.name, newValue(secret)] as const),
    ]);
    if (this.#file !== undefined) await writeValues(this.#file, values);
    this.#values = values;
  }

  readonly find: FindSecret = async (name) =>
    namesOf(name)
      .map((one) => this.#values.get(one))
      .find((value) => value !== undefined);
}

function newValue({ length, characters, field }: LocalSecret): string {
  const random = Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
  return field ? JSON.stringify({ ...field.of, [field.key]: random }) : random;
}

async function readValues(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw folderTrouble(dirname(file), error);
  });
  const parsed = fileSchema.safeParse(parseJson(text));
  if (parsed.success) return new Map(Object.entries(parsed.data));
  throw new ConfigurationError(
    `${file}: expected a JSON object of names and texts; remove it, and links that its secrets signed are not valid any more`,
  );
}

async function writeValues(file: string, values: ReadonlyMap<string, string>): Promise<void> {
  const part = `${file}.part`;
  try {
    await writeFile(part, `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`, { mode: 0o600 });
    await rename(part, file);
  } catch (error) {
    throw folderTrouble(dirname(file), error);
  }
}

/** The parser's own error would quote the file. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
