import { readFile } from 'node:fs/promises';
import { ConfigurationError } from 'dynamo-backlog';
import * as z from 'zod';

/** The value of a secret or parameter of that name or ARN; `undefined` if there is none. */
export type FindSecret = (name: string) => Promise<string | undefined>;

const fileSchema = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.unknown())]));

/**
 * The secrets of an app, from a file: a JSON object of names, each with a text, or with an object whose JSON it is. It
 * is read again each time, as secrets change.
 *
 * @throws ConfigurationError if it cannot be read, without showing what is in it
 */
export async function secretsFile(file: string | undefined): Promise<FindSecret> {
  if (file === undefined) return async () => undefined;
  await readSecrets(file);
  return async (name) => {
    const secrets = await readSecrets(file);
    const key = namesOf(name).find((one) => Object.hasOwn(secrets, one));
    const value = key === undefined ? undefined : secrets[key];
    return typeof value === 'object' ? JSON.stringify(value) : value;
  };
}

async function readSecrets(file: string): Promise<z.output<typeof fileSchema>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError(`--secrets: ${file} cannot be read (${error.code})`);
  });
  const parsed = fileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(
    `--secrets: expected a JSON object of names and texts in ${file}, such as {"shop/webhooks": "whsec_..."}`,
  );
}

/** The parser's own error would quote the file. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A name or ARN, and the name in an ARN: Secrets Manager puts a hyphen and six characters behind it. */
export function namesOf(name: string): string[] {
  const inArn = /^arn:[^:]+:secretsmanager:[^:]*:\d*:secret:(.+?)(?:-[A-Za-z0-9]{6})?$/.exec(name)?.[1];
  return inArn === undefined ? [name] : [name, inArn];
}
