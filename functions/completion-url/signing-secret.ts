import { ConfigurationError } from '../../src/support/errors.js';
import { madeOnce, runtimeSdk } from '../events/runtime-sdk.js';
import { remembered } from '../secrets/remembered.js';
import { CLIENT_LIMITS } from '../service-limits.js';

type Stage = 'AWSCURRENT' | 'AWSPREVIOUS';

/** Gets a version of a secret; `undefined` if there is none, as before the first rotation. */
export type FetchVersion = (arn: string, stage: Stage) => Promise<string | undefined>;

/** The part of the SDK that is used. */
interface SecretsManager {
  readonly SecretsManagerClient: new (config: object) => { send(command: object): Promise<Version> };
  readonly GetSecretValueCommand: new (input: {
    readonly SecretId: string;
    readonly VersionStage: Stage;
  }) => object;
}

interface Version {
  readonly SecretString?: string | undefined;
}

const PACKAGE = '@aws-sdk/client-secrets-manager';
/** A shorter secret could be found by trying. The construct makes one of 64 characters. */
const MIN_CHARACTERS = 32;

const connect = madeOnce(() => {
  try {
    const { SecretsManagerClient, GetSecretValueCommand } = runtimeSdk<SecretsManager>(PACKAGE);
    return { client: new SecretsManagerClient(CLIENT_LIMITS), GetSecretValueCommand };
  } catch (error) {
    throw new ConfigurationError(
      `completionUrl: expected the package ${PACKAGE}, which functions of Lambda have, or the variable BACKLOG_COMPLETION_SECRET_VALUE: ${(error as Error).message}`,
    );
  }
});

/**
 * Reads a version from AWS Secrets Manager, by the client that Lambda's runtime has. The one of `../secrets/aws-secrets.ts` is in the bundles
 * of this package alone, and handlers of users sign links, too.
 */
export const fetchVersion: FetchVersion = async (arn, stage) => {
  const { client, GetSecretValueCommand } = connect();
  try {
    const command = new GetSecretValueCommand({ SecretId: arn, VersionStage: stage });
    return (await client.send(command)).SecretString;
  } catch (error) {
    if (stage === 'AWSPREVIOUS' && (error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

export interface SigningSecretDeps {
  readonly fetch: FetchVersion;
  /** Real time, epoch milliseconds. */
  readonly now: () => number;
  /** The secret could not be read again, and the previous value stays in use. */
  readonly onTrouble: (error: Error) => void;
}

/**
 * The versions of the secret that sign links, each kept for five minutes: that of now, and for what reads links the one before, as links
 * live longer than a rotation.
 *
 * @returns reads them; given milliseconds, again if what is known is older than that
 */
export function signingSecret(
  arn: string,
  stages: readonly Stage[],
  { fetch, ...deps }: SigningSecretDeps,
): (maxAgeMs?: number) => Promise<readonly string[]> {
  return remembered(async () => {
    const versions = await Promise.all(stages.map((stage) => fetch(arn, stage)));
    const secrets = versions.flatMap((version) => (version === undefined ? [] : [checkSecret(version, arn)]));
    if (secrets.length > 0) return secrets;
    throw new ConfigurationError(`completionUrl: expected a text in the secret ${arn}, got none`);
  }, deps);
}

/** @throws ConfigurationError for a secret that is too short, without showing it */
export function checkSecret(secret: string, name: string): string {
  if (secret.length >= MIN_CHARACTERS) return secret;
  throw new ConfigurationError(
    `completionUrl: expected a secret of at least ${MIN_CHARACTERS} characters in ${name}, got ${secret.length}`,
  );
}
