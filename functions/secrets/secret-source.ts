import * as z from 'zod/mini';
import { ConfigurationError } from '../../src/support/errors.js';
import { parseOptions, show } from '../../src/support/validation.js';

/** The place of a secret: its name or ARN, never its value. */
export interface SecretSource {
  /** A secret of AWS Secrets Manager: its ARN or name. */
  readonly secretsManager?: string | undefined;
  /** A parameter of the SSM Parameter Store: its name. */
  readonly parameter?: string | undefined;
  /** The field that holds it, where the value is a JSON object. */
  readonly field?: string | undefined;
}

/** A header whose value, or the end of it, is a secret. */
export interface HeaderSecret extends SecretSource {
  /** The text before the secret, such as `"Bearer "`. */
  readonly prefix?: string | undefined;
}

const text = z.optional(z.string().check(z.minLength(1)));
const sourceShape = { secretsManager: text, parameter: text, field: text };
const sourceSchema = z.strictObject(sourceShape);
const headerSchema = z.strictObject({ ...sourceShape, prefix: text });

/** @throws ConfigurationError that names the option */
export function parseSecretSource(input: unknown, name: string): SecretSource {
  return withOnePlace(parseOptions(sourceSchema, input, name), name);
}

/** @throws ConfigurationError that names the option */
export function parseHeaderSecret(input: unknown, name: string): HeaderSecret {
  return withOnePlace(parseOptions(headerSchema, input, name), name);
}

function withOnePlace<Source extends SecretSource>(source: Source, name: string): Source {
  const { secretsManager, parameter } = source;
  if ((secretsManager === undefined) !== (parameter === undefined)) return source;
  throw new ConfigurationError(
    `${name}: expected either "secretsManager" or "parameter", got ${show(source)}`,
  );
}
