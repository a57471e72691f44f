import { ConfigurationError, InvalidRecordError, StoreError } from 'dynamo-backlog';
import { withoutUrlSecrets } from 'dynamo-backlog/engine';

const MAX_TEXT_CHARACTERS = 20_000;

/** An error as the user should read it: what is expected to happen in one line, what is not with its stack. */
export function explain(error: unknown): string {
  return withoutUrlSecrets(textOf(error), MAX_TEXT_CHARACTERS);
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return `error: ${String(error)}`;
  if (isCredentialProblem(error)) {
    return `error: no access to AWS: ${deepest(error).message} (set AWS_REGION and credentials, or start a local runtime with "npx backlog start")`;
  }
  const known =
    error instanceof ConfigurationError || error instanceof InvalidRecordError || error instanceof StoreError;
  return `error: ${known ? error.message : (error.stack ?? error.message)}`;
}

function isCredentialProblem(error: Error): boolean {
  return /Region is missing|Could not load credentials|CredentialsProviderError/i.test(
    `${deepest(error).name} ${deepest(error).message}`,
  );
}

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error;
}
