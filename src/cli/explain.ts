import { ConfigurationError, InvalidRecordError } from '../errors.js';
import { StoreError } from '../store/index.js';

/** An error as the user should read it: what is expected to happen in one line, what is not with its stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return `error: ${String(error)}`;
  if (isCredentialProblem(error)) {
    return `error: no access to AWS: ${deepest(error).message} (set AWS_REGION and credentials, or start a local runtime with "npx backlog start")`;
  }
  const missing = missingPackage(error);
  if (missing !== undefined) {
    return `error: this needs the optional package ${missing}, which the installation left out: npm install --include=optional`;
  }
  const known =
    error instanceof ConfigurationError || error instanceof InvalidRecordError || error instanceof StoreError;
  return `error: ${known ? error.message : (error.stack ?? error.message)}`;
}

/** What only some commands use is left out by `npm install --omit=optional`, and where it cannot be installed. */
function missingPackage(error: Error): string | undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  return /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
}

function isCredentialProblem(error: Error): boolean {
  return /Region is missing|Could not load credentials|CredentialsProviderError/i.test(
    `${deepest(error).name} ${deepest(error).message}`,
  );
}

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error;
}
