import { ParameterNotFoundError } from '@aws-lambda-powertools/parameters/errors';
import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import { SSMProvider } from '@aws-lambda-powertools/parameters/ssm';
import type { FetchSecret } from './secrets.js';

/** Limits of the clients: a run must not wait until its function is ended for a service that does not answer. */
const clientConfig = { maxAttempts: 3, requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000 } };

const providers: { secrets?: SecretsProvider; parameters?: SSMProvider } = {};

/** Reads a secret from AWS. This file is loaded when a queue has one: the two clients are as large as half the handler. */
export const fetchSecret: FetchSecret = async ({ secretsManager, parameter }, stage) => {
  // What is read is remembered elsewhere: these would remember neither what is not there, nor one stage beside the
  // other.
  if (parameter !== undefined) {
    providers.parameters ??= new SSMProvider({ clientConfig });
    return stage === 'AWSCURRENT'
      ? providers.parameters.get(parameter, { decrypt: true, forceFetch: true })
      : undefined;
  }
  providers.secrets ??= new SecretsProvider({ clientConfig });
  const isPrevious = stage === 'AWSPREVIOUS';
  const options = { forceFetch: true, throwOnMissing: isPrevious, sdkOptions: { VersionStage: stage } };
  try {
    const value: unknown = await providers.secrets.get(secretsManager ?? '', options);
    return typeof value === 'string' ? value : undefined;
  } catch (error) {
    if (isPrevious && error instanceof ParameterNotFoundError) return undefined;
    throw error;
  }
};
