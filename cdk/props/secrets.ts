import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IStringParameter } from 'aws-cdk-lib/aws-ssm';
import * as z from 'zod';
import type { HeaderSecret } from '../../functions/secrets/secret-source.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { parseOptions, show } from '../../src/support/validation.js';

/** A secret or a parameter that a function reads. */
export interface UsedSecret {
  readonly holder: ISecret | IStringParameter;
  /** The versions of a secret in Secrets Manager that are read. */
  readonly stages: readonly string[];
}

const partShape = z.strictObject({
  secret: z.unknown().optional(),
  field: z.string().min(1).optional(),
  prefix: z.string().min(1).optional(),
});

/**
 * Reads where a secret is.
 *
 * @returns what the function gets, and what holds the secret; nothing for what is no object
 * @throws ConfigurationError for an object that is no secret
 */
export function readSecret(
  input: object,
  path: string,
  stages: readonly string[],
): { settings: HeaderSecret; used: UsedSecret } {
  if (isHolder(input)) return { settings: placeOf(input), used: { holder: input, stages } };
  const { secret, ...rest } = parseOptions(partShape, input, path);
  if (!isHolder(secret)) return refuseSecret(secret, `${path}.secret`);
  return { settings: { ...placeOf(secret), ...rest }, used: { holder: secret, stages } };
}

/** Refuses what is no secret. The error does not show a text, which may be the secret itself. */
export function refuseSecret(input: unknown, path: string): never {
  const got = typeof input === 'string' ? 'a text' : show(input);
  throw new ConfigurationError(
    `${path}: expected a secret of Secrets Manager (ISecret) or a parameter (IStringParameter) that holds it, got ${got}`,
  );
}

function placeOf(holder: ISecret | IStringParameter): HeaderSecret {
  return isSecret(holder) ? { secretsManager: holder.secretArn } : { parameter: holder.parameterName };
}

function isHolder(value: unknown): value is ISecret | IStringParameter {
  if (typeof value !== 'object' || value === null) return false;
  return isSecret(value) || 'parameterArn' in value;
}

/** Tells whether it is a secret of Secrets Manager. */
export function isSecret(value: object): value is ISecret {
  return 'secretArn' in value && 'grantRead' in value;
}
