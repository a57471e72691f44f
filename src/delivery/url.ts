import { isIP } from 'node:net';
import { ConfigurationError } from '../support/errors.js';

/**
 * Checks where records may be delivered: `https`, or `http` to this very machine (127.0.0.0/8, [::1], localhost).
 * Pure: the CDK app calls it at synthesis, the handler at start.
 *
 * @param name the option that the text came from, for the error
 * @returns the URL in its normal form
 * @throws ConfigurationError that shows no more of the text than scheme and host: paths and queries hold secrets
 */
export function parseDeliveryUrl(text: string, name: string): string {
  const refuse = (expectation: string): never => {
    throw new ConfigurationError(`${name}: expected ${expectation}, got ${outline(text)}`);
  };
  // The parser would drop tabs and line breaks in silence, and so join what was apart.
  if (typeof text !== 'string' || /\s/.test(text) || !URL.canParse(text)) {
    return refuse('a URL such as https://erp.example.com/orders');
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('an https URL');
  if (url.username !== '' || url.password !== '') return refuse('a URL without a user name or password');
  if (url.hash !== '') return refuse('a URL without a fragment');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return refuse('an https URL (http only to 127.0.0.1, [::1] or localhost)');
  }
  return url.href;
}

const NAMES_A_SECRET = /key|token|secret|sig|auth|pass|pwd|code|credential/i;
const MIN_UNNAMED_CHARACTERS = 16;

/** Tells by the name of a header, or of a part of a query, whether its value may be a secret. */
export function namesSecret(name: string): boolean {
  return NAMES_A_SECRET.test(name);
}

/** The values of a URL's query that are taken for secrets: those that are named so, or are too long to guess. */
export function secretsInUrl(url: string): string[] {
  return [...new URL(url).searchParams].flatMap(([name, value]) => {
    // A part without a value is a value without a name.
    const text = value || name;
    return (value !== '' && namesSecret(name)) || text.length >= MIN_UNNAMED_CHARACTERS ? [text] : [];
  });
}

/** The address that a URL names, without brackets, also for `localhost`. Undefined: it names another host. */
export function addressIn(url: string): string | undefined {
  const { hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(hostname)) return host === 'localhost' ? '127.0.0.1' : host;
  return isIP(host) === 0 ? undefined : host;
}

/** Tells whether a URL names this machine itself. */
export function namesLoopback(url: string): boolean {
  return isLoopback(new URL(url).hostname);
}

/** Expects a host as the URL parser writes it: decimal, hexadecimal and short forms of IPv4 are dotted by then. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

const MAX_OUTLINE_LENGTH = 60;

function outline(text: unknown): string {
  if (typeof text !== 'string') return text === undefined ? 'nothing' : `a ${typeof text}`;
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/*)?(.*)$/is.exec(text) ?? [];
  const authority = rest.split(/[/?#\\]/)[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const shown = `${scheme}${host === authority ? '' : '…@'}${host}`.slice(0, MAX_OUTLINE_LENGTH);
  return JSON.stringify(shown === text ? shown : `${shown}…`);
}
