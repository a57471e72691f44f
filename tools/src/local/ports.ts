import { ConfigurationError } from 'dynamo-backlog';
import { portHolder } from './port-holder.js';
import type { TakenPort } from './status/status.js';

export const CONSOLE_PORT = { otherwise: 8080, flag: '--port' };
export const FUNCTION_URL_PORT = { otherwise: 8090, flag: '--function-url-port' };
export const DYNAMODB_PORT = { otherwise: 8000, flag: '--dynamodb-port' };
/** Number of ports that are tried. */
const MAX_TRIED = 100;

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
        `port ${port} is taken by ${await portHolder(port)}: choose another with ${flag} (0 for any free one)`,
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

/** A port that the user may have chosen. */
export interface WantedPort {
  /** The one of the flag, and no other. Default: none was chosen. */
  readonly given: number | undefined;
  /** Port if none was chosen: this one, or the next that is free. */
  readonly otherwise: number;
  readonly flag: string;
  /** Called if the port is taken by another program, once the server has another one. */
  readonly onTaken: (taken: TakenPort) => void;
}

/**
 * Starts a server on the port that was chosen, or on the first of the others that is free. Each is tried by listening
 * there: of two runtimes that start at the same moment, one gets the next port.
 *
 * @throws ConfigurationError if the port that was chosen cannot be had, or none of the others
 */
export async function onWantedPort<Server>(
  { given, otherwise, flag, onTaken }: WantedPort,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  if (given !== undefined) return onPort(given, flag, start);
  for (let port = otherwise; port < otherwise + MAX_TRIED; port++) {
    try {
      const server = await start(port);
      if (port > otherwise) {
        onTaken({ port: otherwise, instead: port, by: await portHolder(otherwise) });
      }
      return server;
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE' && errorCode(error) !== 'EACCES') throw error;
    }
  }
  throw new ConfigurationError(
    `the ports from ${otherwise} to ${otherwise + MAX_TRIED - 1} are taken: choose another with ${flag} (0 for any free one)`,
  );
}

function errorCode(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code ?? (cause === undefined || cause === null ? undefined : errorCode(cause));
}
