import { ConfigurationError } from 'dynamo-backlog';
import { parseOptions } from 'dynamo-backlog/engine';
import * as z from 'zod';
import type { TemplateResource } from './assembly.js';
import { resolve } from './intrinsics.js';
import type { LocalSecret, StackContext } from './local-app.js';

const KINDS = {
  ExcludeLowercase: 'abcdefghijklmnopqrstuvwxyz',
  ExcludeUppercase: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  ExcludeNumbers: '0123456789',
  ExcludePunctuation: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
} as const;

const flag = z.stringbool().or(z.boolean()).default(false);

const generateSchema = z.object({
  PasswordLength: z.coerce.number().int().min(1).max(4096).default(32),
  ExcludeCharacters: z.string().default(''),
  ExcludeLowercase: flag,
  ExcludeUppercase: flag,
  ExcludeNumbers: flag,
  ExcludePunctuation: flag,
  IncludeSpace: flag,
  SecretStringTemplate: z.string().optional(),
  GenerateStringKey: z.string().min(1).optional(),
});

/**
 * Reads a secret whose value Secrets Manager makes up.
 *
 * @throws ConfigurationError if no value can be made by it
 */
export function readSecret(
  logicalId: string,
  { Type, Properties = {} }: TemplateResource,
  context: StackContext,
): LocalSecret | undefined {
  const { GenerateSecretString: given } = Properties;
  if (Type !== 'AWS::SecretsManager::Secret' || given === undefined) return undefined;
  const where = `${logicalId}.GenerateSecretString`;
  const options = parseOptions(generateSchema, resolve(given, context.references, where), where);
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const all: string[] = kinds.filter((kind) => !options[kind]).map((kind) => KINDS[kind]);
  if (options.IncludeSpace) all.push(' ');
  const characters = [...all.join('')].filter((one) => !options.ExcludeCharacters.includes(one)).join('');
  if (characters === '')
    throw new ConfigurationError(`${where}: expected characters to choose from, got none`);
  const { PasswordLength: length, SecretStringTemplate: template, GenerateStringKey: key } = options;
  if ((template === undefined) !== (key === undefined)) {
    throw new ConfigurationError(`${where}: expected SecretStringTemplate and GenerateStringKey together`);
  }
  return {
    name: context.nameOf(logicalId),
    length,
    characters,
    ...(template === undefined || key === undefined ? {} : { field: { of: objectOf(template, where), key } }),
  };
}

function objectOf(template: string, where: string): Readonly<Record<string, unknown>> {
  const { data } = z.record(z.string(), z.unknown()).safeParse(parseJson(template));
  if (data) return data;
  throw new ConfigurationError(`${where}.SecretStringTemplate: expected a JSON object`);
}

/** The parser's own error would quote the template. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
