import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of the worker: health checks, or metrics. */
export interface WorkServer {
  /** The address, such as `http://127.0.0.1:8090`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The address of a server, as the user has chosen it. */
export interface Address {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** Listens there; rejects with the error of Node.js if the port is taken or the address is not of this machine. */
export async function serve({ host, port }: Address, answer: RequestListener): Promise<WorkServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${actual}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
