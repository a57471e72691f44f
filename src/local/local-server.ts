import { type ServerType, serve } from '@hono/node-server';
import { Hono } from 'hono';

export interface LocalServer {
  /** Without a slash at its end. */
  readonly url: string;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

/**
 * An HTTP application that answers those only who mean this machine: a foreign page must not reach it through a name
 * that it lets point here.
 */
export function localApp(): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    const host = (context.req.header('host') ?? '').replace(/:\d+$/, '');
    return host === HOST || host === 'localhost' ? next() : context.text('unknown host', 403);
  });
  return app;
}

/** Serves it on this machine, for this machine. */
export async function serveLocally(app: Hono, port: number): Promise<LocalServer> {
  const server = await new Promise<ServerType>((resolve, reject) => {
    const listening = serve({ fetch: app.fetch, hostname: HOST, port }, () => resolve(listening));
    listening.once('error', reject);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${HOST}:${actual}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
