import { ConfigurationError } from 'dynamo-backlog';
import { onPort } from '../../local/ports.js';
import type { Address, WorkServer } from '../../work/http-server.js';

const LOCAL_HOST = '127.0.0.1';
/** Errors of an address that is not one of this machine. */
const NO_SUCH_ADDRESS: ReadonlySet<unknown> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']);

/** The values of a server's two flags, such as `--health-port` and `--health-host`. */
export interface ServerFlags {
  /** The beginning of both names, such as `--health`. */
  readonly flag: string;
  /** Default: no server. */
  readonly port: number | undefined;
  /** Default: 127.0.0.1. */
  readonly host: string | undefined;
}

/**
 * Starts a server if its port is given.
 *
 * @throws ConfigurationError that names the flag, if the port is taken or the address is not of this machine
 */
export async function serverAt(
  { flag, port: wanted, host = LOCAL_HOST }: ServerFlags,
  start: (at: Address) => Promise<WorkServer>,
): Promise<WorkServer | undefined> {
  if (wanted === undefined) return undefined;
  try {
    return await onPort(wanted, `${flag}-port`, (port) => start({ host, port }));
  } catch (error) {
    if (!NO_SUCH_ADDRESS.has((error as NodeJS.ErrnoException).code)) throw error;
    throw new ConfigurationError(`${flag}-host: expected an address of this machine, got ${host}`, {
      cause: error,
    });
  }
}
