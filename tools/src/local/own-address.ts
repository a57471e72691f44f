import type { IncomingHttpHeaders } from 'node:http';

/** Reason why a request is not answered. */
export interface Refusal {
  readonly status: 403 | 421;
  readonly text: string;
}

const NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Refuses a request unless it comes from a program that means this very server. A web page can let a name of its own
 * lead to 127.0.0.1: the browser then takes this server for the page's own, but its requests name the page's host. Any
 * other request that a page sends to a foreign server names the page as its origin.
 *
 * @param port at which the server listens
 * @param ownPages whether pages of this server may send requests to it
 */
export function refusalOf(
  { host, origin }: IncomingHttpHeaders,
  port: number | undefined,
  ownPages: boolean,
): Refusal | undefined {
  const hosts = NAMES.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (!hosts.includes((host ?? '').toLowerCase())) {
    return { status: 421, text: `unknown host: expected ${hosts.join(' or ')} in the Host header\n` };
  }
  const isOwn = ownPages && hosts.some((one) => origin === `http://${one}`);
  if (origin === undefined || isOwn) return undefined;
  return { status: 403, text: 'web pages may not use this server\n' };
}
