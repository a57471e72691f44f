import { type Duration, Token } from 'aws-cdk-lib';
import * as z from 'zod';
import type { QueueSettings } from '../../functions/settings.js';
import { parseOptions } from '../../src/support/validation.js';
import { duration } from '../support/values.js';
import { readSecret, refuseSecret, type UsedSecret } from './secrets.js';

type DeliverTo = QueueSettings['deliverTo'];

/** The props of a delivery. `parseQueues` checks the unknown ones, as it does in the function. */
const deliveryShape = z.strictObject({
  url: z.string(),
  method: z.unknown().optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
  secret: z.unknown().optional(),
  answers: z.unknown().optional(),
  requestTimeout: duration.optional(),
  batch: z.looseObject({ maxWait: duration.optional() }).optional(),
  allowPrivateAddresses: z.unknown().optional(),
});

export interface Delivery {
  /** The settings as the function gets them, not all of them checked yet. */
  readonly settings: unknown;
  /** The secrets that the function may read for the delivery. */
  readonly secrets: readonly UsedSecret[];
}

const CURRENT = ['AWSCURRENT'];
/** Signatures are made by both, as receivers change later. */
const CURRENT_AND_PREVIOUS = ['AWSCURRENT', 'AWSPREVIOUS'];

/**
 * Reads a delivery's props.
 *
 * @throws ConfigurationError naming the prop
 */
export function readDelivery(input: unknown, path: string): Delivery {
  if (typeof input !== 'object' || input === null) return { settings: input, secrets: [] };
  const { requestTimeout, headers, secret, batch, ...rest } = parseOptions(deliveryShape, input, path);
  const secrets: UsedSecret[] = [];
  const read = (value: unknown, name: string, stages: readonly string[]) => {
    if (typeof value !== 'object' || value === null) return refuseSecret(value, name);
    const { settings, used } = readSecret(value, name, stages);
    secrets.push(used);
    return settings;
  };
  const ofHeader = ([header, value]: [string, unknown]) => {
    const isPlain = typeof value === 'string';
    return [header, isPlain ? value : read(value, `${path}.headers.${header}`, CURRENT)] as const;
  };
  return {
    settings: {
      ...rest,
      ...(headers && { headers: Object.fromEntries(Object.entries(headers).map(ofHeader)) }),
      ...(secret !== undefined && { secret: read(secret, `${path}.secret`, CURRENT_AND_PREVIOUS) }),
      ...(requestTimeout && { requestTimeout: requestTimeout.toSeconds() }),
      ...(batch && { batch: withSeconds(batch) }),
    },
    secrets,
  };
}

function withSeconds({ maxWait, ...limits }: { readonly maxWait?: Duration | undefined }): object {
  return maxWait ? { ...limits, maxWait: maxWait.toSeconds() } : limits;
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
