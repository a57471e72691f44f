import { ConfigurationError } from '../../errors.js';

/**
 * Starts a server; a port that cannot be had is an error that names the flag to choose another.
 *
 * @throws ConfigurationError if the port is taken or not allowed
 */
export async function onPort<Server>(
  port: number,
  flag: string,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  try {
    return await start(port);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRINUSE') {
      throw new ConfigurationError(
        `port ${port} is taken by another program: choose another with ${flag} (0 for any free one)`,
        { cause: error },
      );
    }
    if (code === 'EACCES') {
      throw new ConfigurationError(`port ${port} is not allowed for this user: choose another with ${flag}`, {
        cause: error,
      });
    }
    throw error;
  }
}

function errorCode(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code ?? (cause === undefined || cause === null ? undefined : errorCode(cause));
}
