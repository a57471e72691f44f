import { ConfigurationError } from '../support/errors.js';

const MIN_BYTES = 16;
const PREFIXED = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const RAW = /^[!-~]+$/;

/** @throws ConfigurationError that does not show what came */
export function parseSecrets(given: unknown, name: string): string[] {
  const texts: unknown[] = Array.isArray(given) ? given : [given];
  const secrets = texts.flatMap((text) => {
    if (typeof text !== 'string') return refuse(name, `a value of the type ${typeof text}`);
    return partsOf(text);
  });
  if (secrets.length === 0) return refuse(name, 'nothing');
  for (const secret of secrets)
    if (!isSecret(secret)) refuse(name, `${secret.length} characters that are not`);
  return [...new Set(secrets)];
}

/** Tells whether a text is one secret or several, each valid. */
export function areSecrets(text: string): boolean {
  const secrets = partsOf(text);
  return secrets.length > 0 && secrets.every(isSecret);
}

/** White space stands between secrets, never in one: so a text can hold several, and a file may end with a new line. */
function partsOf(text: string): string[] {
  return text.split(/\s+/).filter((secret) => secret !== '');
}

function isSecret(secret: string): boolean {
  if (!secret.startsWith('whsec_')) return RAW.test(secret) && secret.length >= MIN_BYTES;
  const [, base64] = PREFIXED.exec(secret) ?? [];
  return base64 !== undefined && Buffer.from(base64, 'base64').byteLength >= MIN_BYTES;
}

function refuse(name: string, got: string): never {
  throw new ConfigurationError(
    `${name}: expected "whsec_" and base64, or visible ASCII characters, of ${MIN_BYTES} or more bytes, got ${got}`,
  );
}
