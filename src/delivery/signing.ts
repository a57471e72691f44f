import { ConfigurationError } from '../errors.js';

/** One secret or several, of which each signs: while receivers change from one to the next, both are at work. */
export type Secrets = string | readonly string[];

/** The secrets, or a function that gets them for each attempt: one that asks over the network should remember the answer. */
export type SecretsSource = Secrets | (() => Secrets | Promise<Secrets>);

/** The headers that sign one request. */
export type Sign = (id: string, body: string, now: number) => Promise<Record<string, string>>;

const LEAST_BYTES = 16;
const PREFIXED = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const RAW = /^[!-~]+$/;

/**
 * Signs by Standard Webhooks (https://www.standardwebhooks.com), with the secrets as they are now.
 *
 * @returns a function that gets the secrets, and gives one that signs with them
 * @throws ConfigurationError for secrets that make no sense, without showing them; of a function's, when it is asked
 */
export function signing(source: SecretsSource, name: string): () => Promise<Sign> {
  const fixed = typeof source === 'function' ? undefined : parseSecrets(source, name);
  return async () => {
    const secrets = fixed ?? parseSecrets(await (source as () => unknown)(), name);
    const { signature } = await import('./standard-webhooks.js');
    return async (id, body, now) => ({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': signature(secrets, id, new Date(now), body),
    });
  };
}

/** White space stands between secrets, never in one: so a text can hold several, and a file may end with a new line. */
function parseSecrets(given: unknown, name: string): string[] {
  const texts: unknown[] = Array.isArray(given) ? given : [given];
  const secrets = texts.flatMap((text) => {
    if (typeof text !== 'string') return refuse(name, `a value of the type ${typeof text}`);
    return text.split(/\s+/).filter((secret) => secret !== '');
  });
  if (secrets.length === 0) return refuse(name, 'nothing');
  for (const secret of secrets)
    if (!isSecret(secret)) refuse(name, `${secret.length} characters that are not`);
  return [...new Set(secrets)];
}

function isSecret(secret: string): boolean {
  if (!secret.startsWith('whsec_')) return RAW.test(secret) && secret.length >= LEAST_BYTES;
  const [, base64] = PREFIXED.exec(secret) ?? [];
  return base64 !== undefined && Buffer.from(base64, 'base64').byteLength >= LEAST_BYTES;
}

function refuse(name: string, got: string): never {
  throw new ConfigurationError(
    `${name}: expected "whsec_" and base64, or visible ASCII characters, of ${LEAST_BYTES} or more bytes, got ${got}`,
  );
}
