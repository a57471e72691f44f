import { type HttpDelivery, type HttpDeliveryOptions, httpDelivery } from '../src/delivery/index.js';
import type { RetryMode } from '../src/record/index.js';
import { ConfigurationError } from '../src/support/errors.js';
import { show } from '../src/support/validation.js';
import { whenUsed } from '../src/support/when-used.js';
import type { BacklogLambdaHandler } from './backlog-lambda-handler.js';
import type { DeliverySettings } from './delivery-settings.js';
import { createLogger } from './logger.js';
import { makeHandler } from './make-handler.js';
import type { HandlerSeams } from './seams.js';
import type { FetchSecret, Secrets } from './secrets/secrets.js';

export interface DeliverySeams extends HandlerSeams {
  readonly fetchSecret?: FetchSecret | undefined;
  /** Real time, epoch milliseconds. */
  readonly now?: (() => number) | undefined;
}

/** The built-in handler: one function delivers for all queues of one retry mode, each to its own URL. */
export function deliveryHandler(
  retryMode: RetryMode,
  { fetchSecret = fetchFromAws, now = Date.now, ...overrides }: DeliverySeams = {},
): BacklogLambdaHandler {
  const logger = overrides.logger ?? createLogger();
  const deliveries = new Map<string, HttpDelivery>();
  const secrets = whenUsed(async () => {
    const { Secrets } = await import('./secrets/secrets.js');
    const onTrouble = ({ message }: Error) =>
      logger.warn('a secret could not be read again; its previous value stays in use', { reason: message });
    return new Secrets({ fetch: fetchSecret, now, onTrouble });
  });
  return makeHandler(
    ({ queue, settings }) => {
      if (settings.retryMode !== retryMode) {
        throw new ConfigurationError(
          `event.queue: expected a queue of retryMode "${retryMode}", got ${show(queue)} of retryMode "${settings.retryMode}"`,
        );
      }
      const { deliverTo } = settings;
      const name = `BACKLOG_QUEUES.${queue}.deliverTo`;
      if (deliverTo === undefined) {
        throw new ConfigurationError(
          `${name}: expected a URL such as https://erp.example.com/orders, got nothing`,
        );
      }
      const delivery = deliveries.get(queue) ?? httpDelivery(optionsOf(deliverTo, secrets), name);
      deliveries.set(queue, delivery);
      return delivery;
    },
    {},
    { ...overrides, logger },
  );
}

/** The options of a delivery, with functions in the place of the secrets. */
function optionsOf(
  deliverTo: string | DeliverySettings,
  secrets: Pick<Secrets, 'header' | 'signing'>,
): HttpDeliveryOptions {
  if (typeof deliverTo === 'string') return { url: deliverTo };
  const { secret, headers = {}, ...rest } = deliverTo;
  const values = Object.entries(headers).map(([header, value]) => [
    header,
    typeof value === 'string' ? value : () => secrets.header(value),
  ]);
  return {
    ...rest,
    headers: Object.fromEntries(values),
    ...(secret ? { secret: () => secrets.signing(secret) } : {}),
  };
}

/** Reads a secret. The code that does so is loaded for the first one only, as most functions have none. */
const fetchFromAws: FetchSecret = async (...request) => {
  const { fetchSecret } = await import('./secrets/aws-secrets.js');
  return fetchSecret(...request);
};
