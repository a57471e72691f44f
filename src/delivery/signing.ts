import { parseSecrets } from './secret-text.js';

/** One secret or several, of which each signs: while receivers change from one to the next, both are at work. @inline */
export type Secrets = string | readonly string[];

/**
 * The secrets, or a function that gets them for each attempt: one that asks over the network should remember the
 * answer.
 *
 * @inline
 */
export type SecretsSource = Secrets | (() => Secrets | Promise<Secrets>);

/** The headers that sign one request. */
type Sign = (id: string, body: string, now: number) => Record<string, string>;

/**
 * Signs by Standard Webhooks (https://www.standardwebhooks.com), with the secrets as they are now.
 *
 * @returns a function that gets the secrets, and gives one that signs with them
 * @throws ConfigurationError for invalid secrets, without showing them; for those of a function, when it is called
 */
export function signing(source: SecretsSource, name: string): () => Promise<Sign> {
  const fixed = typeof source === 'function' ? undefined : parseSecrets(source, name);
  return async () => {
    const secrets = fixed ?? parseSecrets(await (source as () => unknown)(), name);
    const { signature } = await import('./standard-webhooks.js');
    return (id, body, now) => ({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': signature(secrets, id, new Date(now), body),
    });
  };
}
