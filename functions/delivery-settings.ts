import * as z from 'zod/mini';
import {
  type AllowedAddresses,
  type Answers,
  addressCheck,
  checkAddress,
  checkAnswers,
  checkHeaders,
  checkNetworks,
  type DeliveryBatch,
  deliveryShape,
  holdsCredentials,
  type Method,
  parseDeliveryUrl,
} from '../src/delivery/settings.js';
import { ConfigurationError } from '../src/support/errors.js';
import { parseOptions, show } from '../src/support/validation.js';
import { QUEUE_DEFAULTS } from '../src/worker/index.js';
import {
  type HeaderSecret,
  parseHeaderSecret,
  parseSecretSource,
  type SecretSource,
} from './secrets/secret-source.js';

/** The delivery of a queue's records by the built-in handlers. */
export interface DeliverySettings {
  readonly url: string;
  readonly method?: Method | undefined;
  readonly headers?: Readonly<Record<string, string | HeaderSecret>> | undefined;
  /** The secret that signs each delivery. */
  readonly secret?: SecretSource | undefined;
  readonly answers?: Answers | undefined;
  /** Seconds for connecting and the answer's headers. */
  readonly requestTimeout?: number | undefined;
  /** Several records in one request; its wait is in seconds. */
  readonly batch?: DeliveryBatch | undefined;
  /** Addresses that may be delivered to beside public ones. */
  readonly allowPrivateAddresses?: AllowedAddresses | undefined;
}

const deliverySchema = z.strictObject({
  url: z.string(),
  ...deliveryShape,
  headers: z.optional(z.record(z.string(), z.unknown())),
  secret: z.optional(z.unknown()),
});

/**
 * Reads where and how a queue delivers: a URL, or an object with one.
 *
 * @throws ConfigurationError with the path of what is wrong
 */
export function parseDelivery(
  input: unknown,
  name: string,
  attemptTimeout: number = QUEUE_DEFAULTS.attemptTimeout,
): string | DeliverySettings {
  if (typeof input !== 'object' || input === null) return parseUrl(input, false, name);
  const { secret, headers, ...settings } = parseOptions(deliverySchema, input, name);
  const { answers = {}, requestTimeout = 0, allowPrivateAddresses = false, batch } = settings;
  checkNetworks(allowPrivateAddresses, `${name}.allowPrivateAddresses`);
  const url = parseUrl(settings.url, allowPrivateAddresses, `${name}.url`);
  checkAnswers(answers, `${name}.answers`);
  if (requestTimeout > attemptTimeout) {
    throw new ConfigurationError(
      `${name}.requestTimeout: expected no more than the attempt's ${attemptTimeout} s, got ${show(requestTimeout)}`,
    );
  }
  const { maxWait = 0 } = batch ?? {};
  if (maxWait >= attemptTimeout) {
    throw new ConfigurationError(
      `${name}.batch.maxWait: expected less than the attempt's ${attemptTimeout} s, got ${show(maxWait)}`,
    );
  }
  return {
    ...settings,
    url,
    ...(headers === undefined ? {} : { headers: parseHeaders(headers, `${name}.headers`) }),
    ...(secret === undefined ? {} : { secret: parseSecretSource(secret, `${name}.secret`) }),
  };
}

/**
 * Checks the URL. This machine is allowed here, as the app is synthesized for the local runtime, too; the function
 * knows where it is.
 */
function parseUrl(input: unknown, allowed: AllowedAddresses, name: string): string {
  const url = parseDeliveryUrl(input as string, name);
  checkAddress(url, addressCheck(allowed, true), name);
  return url;
}

function parseHeaders(headers: Readonly<Record<string, unknown>>, name: string) {
  checkHeaders(headers, name);
  const entries = Object.entries(headers).map(([header, value]) => {
    const path = `${name}.${header}`;
    if (typeof value !== 'string') return [header, parseHeaderSecret(value, path)] as const;
    refuseReadable(header, path);
    return [header, value] as const;
  });
  return Object.fromEntries(entries);
}

function refuseReadable(header: string, name: string): void {
  if (!holdsCredentials(header)) return;
  throw new ConfigurationError(
    `${name}: expected a secret, as this is readable in the function's configuration`,
  );
}
