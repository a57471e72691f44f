import { ConfigurationError } from 'dynamo-backlog';

/** Wrong usage; the message is for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Runs `ask`. A ConfigurationError becomes a UsageError: what the user has given is invalid. */
export async function usage<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
