import { deliverByHttp } from '../src/delivery/index.js';
import { ConfigurationError } from '../src/errors.js';
import type { Process } from '../src/processor/index.js';
import type { Way } from '../src/record/index.js';
import { show } from '../src/validation.js';
import { type BacklogLambdaHandler, type HandlerSeams, makeHandler } from './make-handler.js';

/** The built-in handler: one function delivers for all queues of one way, each to its own URL. */
export function deliveryHandler(way: Way, seams: HandlerSeams = {}): BacklogLambdaHandler {
  const deliveries = new Map<string, Process>();
  return makeHandler(
    ({ queue, settings }) => {
      if (settings.way !== way) {
        throw new ConfigurationError(
          `event.queue: expected a queue of the way "${way}", got ${show(queue)} of the way "${settings.way}"`,
        );
      }
      const { deliverTo } = settings;
      if (deliverTo === undefined) {
        throw new ConfigurationError(
          `BACKLOG_QUEUES.${queue}.deliverTo: expected a URL such as https://erp.example.com/orders, got nothing`,
        );
      }
      const options = typeof deliverTo === 'string' ? { url: deliverTo } : deliverTo;
      const delivery = deliveries.get(queue) ?? deliverByHttp(options);
      deliveries.set(queue, delivery);
      return delivery;
    },
    {},
    seams,
  );
}
