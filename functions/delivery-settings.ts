import * as z from 'zod/mini';
import {
  type Answers,
  checkAnswers,
  checkHeaders,
  deliveryShape,
  type Method,
  parseDeliveryUrl,
} from '../src/delivery/settings.js';
import { ConfigurationError } from '../src/errors.js';
import { parseOptions, show } from '../src/validation.js';

/** How the built-in handlers deliver the records of a queue. */
export interface DeliverySettings {
  readonly url: string;
  readonly method?: Method | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly answers?: Answers | undefined;
  /** Time for connecting and the answer's headers. */
  readonly timeoutSeconds?: number | undefined;
}

const deliverySchema = z.strictObject({
  url: z.string(),
  ...deliveryShape,
  headers: z.optional(z.record(z.string(), z.string())),
});

/** Of an attempt, where the queue does not say. */
const ATTEMPT_TIMEOUT_SECONDS = 30;

/**
 * Reads where and how a queue delivers: a URL, or an object with one.
 *
 * @throws ConfigurationError with the path of what is wrong
 */
export function parseDelivery(
  input: unknown,
  name: string,
  attemptTimeoutSeconds = ATTEMPT_TIMEOUT_SECONDS,
): string | DeliverySettings {
  if (typeof input !== 'object' || input === null) return parseDeliveryUrl(input as string, name);
  const settings = parseOptions(deliverySchema, input, name);
  const url = parseDeliveryUrl(settings.url, `${name}.url`);
  const { answers = {}, headers = {}, timeoutSeconds = 0 } = settings;
  checkAnswers(answers, `${name}.answers`);
  checkHeaders(headers, `${name}.headers`);
  for (const header of Object.keys(headers)) refuseReadable(header, `${name}.headers.${header}`);
  if (timeoutSeconds > attemptTimeoutSeconds) {
    throw new ConfigurationError(
      `${name}.timeoutSeconds: expected no more than the attempt's ${attemptTimeoutSeconds} s, got ${show(timeoutSeconds)}`,
    );
  }
  return { ...settings, url };
}

/** What these hold gives access to something, and settings are readable to many. */
const CREDENTIALS = /^(authorization|cookie|(x-)?(api-?key|auth-?token|access-?token|secret|secret-?key))$/i;

function refuseReadable(header: string, name: string): void {
  if (!CREDENTIALS.test(header)) return;
  throw new ConfigurationError(
    `${name}: expected a secret, as this is readable in the function's configuration`,
  );
}
