import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';

/** The content security policy: scripts and styles are files of this server, and no text on a page can become either. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Sets headers on each answer, errors and refusals included. */
export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  headers.set('Content-Security-Policy', POLICY);
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('X-Frame-Options', 'DENY');
  // With `no-referrer` browsers send `Origin: null` with the console's own forms.
  headers.set('Referrer-Policy', 'same-origin');
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
};

/** Most bytes of a form. A payload has 400 KB at most; in a form each of its bytes can take three. */
const MAX_FORM_BYTES = 2_000_000;

/** Refuses larger forms before they are read, also those that do not say their length. */
export const formLimit: MiddlewareHandler = bodyLimit({
  maxSize: MAX_FORM_BYTES,
  onError: (context) => context.text('The form is too large: an item has 400 KB at most.\n', 413),
});

/**
 * Refuses what a page of another site loads from here, such as an image or a frame: it would cost read units, and tell
 * that page how long it took. A link to the console may stand anywhere.
 */
export const ownLoadsOnly: MiddlewareHandler = async (context, next) => {
  const isLink =
    context.req.header('sec-fetch-mode') === 'navigate' &&
    context.req.header('sec-fetch-dest') === 'document';
  if (isOwnRequest(context) || (isLink && context.req.method === 'GET')) return next();
  return context.text('Pages of other sites may not load this.\n', 403);
};

/** Guards pages that cost hundreds of read units: a page of another port of this machine could open them again and again. */
export const ownLinksOnly: MiddlewareHandler = async (context, next) => {
  if (isOwnRequest(context)) return next();
  return context.text('This page is expensive: open it from the console.\n', 403);
};

/** Tells whether a page of the console asks, or the user has typed the address. */
function isOwnRequest(context: Context): boolean {
  const site = context.req.header('sec-fetch-site') ?? 'none';
  return site === 'same-origin' || site === 'none';
}

/** The name of the field in each form. */
export const CSRF_FIELD = 'csrf';

/**
 * One token for each console that is started. A foreign page can send a form to this machine, but it cannot read a page
 * of this server, so it does not know the token.
 */
export class FormGuard {
  readonly token = randomBytes(24).toString('base64url');

  /** Gives the reason why a form is not accepted; undefined: it is the console's own. */
  refusal(context: Context, token: unknown): string | undefined {
    const site = context.req.header('sec-fetch-site');
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      return 'The form was sent by another site.';
    }
    if (typeof token === 'string' && isSame(token, this.token)) return undefined;
    return 'The form is not of this console, or of one that has ended since. Open the page again, and repeat.';
  }
}

/** Beginning of the name of the cookie with the key. */
export const CONSOLE_COOKIE = 'backlog-console-';

/**
 * Answers only a browser that has opened the address with the key. It then has a cookie, which lasts as long as the
 * browser runs. Other users of the machine can reach the port, but do not know the key.
 */
export function keyGuard(key: string): MiddlewareHandler {
  // Cookies do not tell ports apart: two consoles at a time must not overwrite each other's.
  const cookie = `${CONSOLE_COOKIE}${digest(key).toString('hex').slice(0, 12)}`;
  return async (context, next) => {
    const given = context.req.query('key');
    if (given !== undefined && isSame(given, key) && context.req.method === 'GET') {
      setCookie(context, cookie, key, { httpOnly: true, sameSite: 'Strict', path: '/' });
      return context.redirect('/');
    }
    const known = getCookie(context, cookie);
    if (known !== undefined && isSame(known, key)) return next();
    return context.text('Open the address that the command has printed: it has a key.\n', 401);
  };
}

/** Compares two texts, in the same time for each wrong one. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
