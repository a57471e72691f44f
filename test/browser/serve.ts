import { afterAll } from 'vitest';
import { type LocalServer, serveLocally, withOwnHost } from '../../tools/src/local/local-server.js';

const servers: LocalServer[] = [];

/** Serves consoles at ports of their own until the tests of the file have run. */
export function servesConsoles(): void {
  afterAll(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });
}

/** The origin at which it is served as a command would: behind the check of the `Host` header. */
export async function serve({ app }: { app: Parameters<typeof withOwnHost>[0] }): Promise<string> {
  const server = await serveLocally(withOwnHost(app), 0);
  servers.push(server);
  return server.url;
}
