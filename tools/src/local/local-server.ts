import { createAdaptorServer, type HttpBindings, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { refusalOf } from './own-address.js';
import { RUNTIME_HEADER, runtimeHeader } from './port-holder.js';

export interface LocalServer {
  /** URL of the server, without a slash at its end. */
  readonly url: string;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

/** Application that `localApp` makes. */
export type LocalApp = Hono<{ Bindings: HttpBindings }>;

/** An HTTP application that answers only requests to this machine's own names, and none of a foreign web page. */
export function localApp(): LocalApp {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const header = runtimeHeader();
  app.use(async (context, next) => {
    const { headers, socket } = context.env.incoming;
    const refusal = refusalOf(headers, socket.localPort, true);
    if (refusal) return context.text(refusal.text, refusal.status);
    await next();
    context.header(RUNTIME_HEADER, header);
    return undefined;
  });
  return app;
}

/** Another application, behind the same check. */
export function withOwnHost(inner: { fetch(request: Request): Response | Promise<Response> }): LocalApp {
  const app = localApp();
  app.all('*', (context) => inner.fetch(context.req.raw));
  return app;
}

/** Serves it on this machine, for this machine. */
export function serveLocally(app: Pick<LocalApp, 'fetch'>, port: number): Promise<LocalServer> {
  return listenLocally(createAdaptorServer({ fetch: app.fetch, hostname: HOST }), port);
}

/** Lets a server listen on this machine, for this machine. */
export async function listenLocally(server: ServerType, port: number): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
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
