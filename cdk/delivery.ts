import { Token } from 'aws-cdk-lib';
import * as z from 'zod';
import type { QueueSettings } from '../functions/settings.js';
import { parseOptions } from '../src/validation.js';
import { duration } from './values.js';

type DeliverTo = QueueSettings['deliverTo'];

/** What the function checks as well is left to `parseQueues`. */
const deliveryShape = z.strictObject({
  url: z.string(),
  method: z.unknown().optional(),
  headers: z.unknown().optional(),
  answers: z.unknown().optional(),
  timeout: duration.optional(),
});

/**
 * The props of a delivery as settings, not all of them checked yet.
 *
 * @throws ConfigurationError naming the prop
 */
export function readDelivery(input: unknown, path: string): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const { timeout, ...rest } = parseOptions(deliveryShape, input, path);
  return timeout ? { ...rest, timeoutSeconds: timeout.toSeconds() } : rest;
}

export function urlOf(deliverTo: DeliverTo): string | undefined {
  return typeof deliverTo === 'object' ? deliverTo.url : deliverTo;
}

const PLACEHOLDER = 'https://known-at-deployment.invalid/';

/** Checks settings of a queue. A URL that is known at deployment only (a token) is left to the function to check. */
export function checkWithToken<Settings extends { readonly deliverTo?: DeliverTo }>(
  settings: object & { readonly deliverTo?: unknown },
  check: (settings: object) => Settings,
): Settings {
  const given = settings.deliverTo as DeliverTo;
  const url = urlOf(given);
  if (!Token.isUnresolved(url)) return check(settings);
  const withUrl = (deliverTo: DeliverTo, url: string | undefined) =>
    typeof deliverTo === 'object' ? { ...deliverTo, url } : url;
  const checked = check({ ...settings, deliverTo: withUrl(given, PLACEHOLDER) });
  return { ...checked, deliverTo: withUrl(checked.deliverTo, url) };
}
