import { html } from 'hono/html';
import { ownLoadsOnly, securityHeaders } from '../../console/security.js';
import { type LocalServer, localApp, serveLocally } from '../local-server.js';
import type { RuntimeActivity, RuntimeStatus } from './status.js';

/** Parts of the page once the runtime has started. */
export interface StatusPageParts {
  readonly status: () => RuntimeStatus;
  readonly activity: () => RuntimeActivity;
  /** The console; undefined: the app has no table of records. */
  readonly console: { fetch(request: Request): Response | Promise<Response> } | undefined;
}

/** The console for people, `/status.json` and `/activity.json` for programs, for this machine only. */
export async function startStatusPage(
  port: number,
  parts: () => StatusPageParts | undefined,
): Promise<LocalServer> {
  const app = localApp();
  // The status names payloads' errors, files and queues: pages of other sites may read it as little as the console.
  app.use(securityHeaders, ownLoadsOnly);
  app.get('/status.json', (context) => {
    const current = parts();
    return current ? context.json(current.status()) : context.json({ starting: true }, 503);
  });
  app.get('/activity.json', (context) => {
    const current = parts();
    return current ? context.json(current.activity()) : context.json({ starting: true }, 503);
  });
  app.all('*', (context) => {
    const current = parts();
    if (!current) return context.html(STARTING, 200, { 'Cache-Control': 'no-store' });
    return current.console?.fetch(context.req.raw) ?? context.html(NO_TABLE);
  });
  const { url, stop } = await serveLocally(app, port);
  return { url: `${url}/`, stop };
}

const STARTING = html`<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>backlog</title><p>The runtime is starting …</p>`;
const NO_TABLE = html`<!doctype html><html lang="en"><meta charset="utf-8"><title>backlog</title><p>The app has no table of records. <a href="/status.json">status.json</a></p>`;
