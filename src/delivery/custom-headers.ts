import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';
import type { HiddenSecrets } from './hidden-secrets.js';
import type { HeaderValue } from './options.js';
import { namesSecret } from './url.js';

/** Headers that the library sets, or that belong to the connection (RFC 9110, 7.6.1). */
const TAKEN = new Set([
  'accept-encoding',
  'backlog-attempt',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
]);

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** One line of visible ASCII, with spaces inside: what every server understands, and no header can be smuggled in. */
const VALUE = /^[!-~]([ -~]*[!-~])?$/;

/**
 * Checks the names of headers, and the values that are there already.
 *
 * @throws ConfigurationError naming the header; it shows no value, as that may be a secret
 */
export function checkHeaders(headers: Readonly<Record<string, unknown>>, name: string): void {
  const seen = new Set<string>();
  for (const [header, value] of Object.entries(headers)) {
    const lower = header.toLowerCase();
    if (!NAME.test(header)) {
      throw new ConfigurationError(`${name}: expected the name of a header, got ${show(header)}`);
    }
    if (TAKEN.has(lower)) {
      throw new ConfigurationError(
        `${name}.${header}: expected another header, as the delivery sets this one`,
      );
    }
    if (seen.has(lower)) throw new ConfigurationError(`${name}.${header}: expected each header once`);
    seen.add(lower);
    if (typeof value === 'string') checkHeaderValue(value, `${name}.${header}`);
  }
}

/** @throws ConfigurationError that does not show the value */
function checkHeaderValue(value: unknown, name: string): asserts value is string {
  if (typeof value === 'string' && VALUE.test(value)) return;
  const got = typeof value === 'string' ? `${value.length} characters that are not` : typeOf(value);
  throw new ConfigurationError(
    `${name}: expected one line of visible ASCII characters, without spaces at its ends, got ${got}`,
  );
}

function typeOf(value: unknown): string {
  return value === undefined || value === null ? 'nothing' : `a value of the type ${typeof value}`;
}

export interface CustomHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Hides the secret parts of them. */
  readonly hidden: HiddenSecrets | undefined;
}

/** Names of headers whose values give access to something. Many people can read settings. */
const CREDENTIALS = /^(authorization|cookie|(x-)?(api-?key|auth-?token|access-?token|secret|secret-?key))$/i;

/** Tells by the name of a header whether its value gives access to something. */
export function holdsCredentials(header: string): boolean {
  return CREDENTIALS.test(header);
}

/**
 * The headers with what their functions give, which is taken for secret. So are fixed ones that may hold secrets by
 * their names, and the further secrets that are passed here.
 */
export function headerReader(
  headers: Readonly<Record<string, HeaderValue>>,
  name: string,
  otherSecrets: readonly string[],
) {
  const entries = Object.entries(headers);
  const areSecret = entries.some(([, value]) => typeof value === 'function');
  let last: { readonly key: string; readonly hidden: HiddenSecrets | undefined } | undefined;
  return {
    areSecret,
    async read(): Promise<CustomHeaders> {
      const secrets = [...otherSecrets];
      const read = entries.map(async ([header, given]) => {
        const value: unknown = typeof given === 'string' ? given : await given();
        checkHeaderValue(value, `${name}.${header}`);
        const isSecret = typeof given !== 'string' || holdsCredentials(header) || namesSecret(header);
        if (isSecret) secrets.push(...partsOf(value));
        return [header, value] as const;
      });
      const values = Object.fromEntries(await Promise.all(read));
      // The same ones mostly, of which the patterns are made once.
      const key = JSON.stringify(secrets);
      if (last?.key !== key) {
        const hidden =
          secrets.length === 0 ? undefined : (await import('./hidden-secrets.js')).hiddenSecrets(secrets);
        last = { key, hidden };
      }
      return { headers: values, hidden: last.hidden };
    },
  };
}

/** Schemes of `Authorization`, which are no secrets: what stands behind one is one without it. */
const SCHEMES = /^(basic|bearer|digest|hawk|token|api-?key|key|negotiate|hmac|signature)$/i;

function partsOf(value: string): string[] {
  return value.split(' ').filter((part, i) => i > 0 || !SCHEMES.test(part));
}
