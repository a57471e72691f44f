import type { Logger } from '@aws-lambda-powertools/logger';
import { eventBus } from '../events/event-bus.js';
import type { Publish } from '../events/publish.js';
import { sqsQueue, topic } from '../events/sns-sqs.js';
import type { RecordEventsSettings } from './settings.js';

/** The target of the settings. The local runtime has no buses and no topics: there, a line of the log stands for each event. */
export function publishTo(settings: RecordEventsSettings, logger: Logger): Publish {
  if (settings.bus !== undefined) return eventBus(settings.bus);
  if (settings.topic !== undefined) return topic(settings.topic);
  if (settings.queue !== undefined) return sqsQueue(settings.queue);
  return async (events) => {
    for (const { type, detail } of events) {
      const {
        payload: _,
        result: __,
        deadReason: ___,
        error: ____,
        ...shown
      } = JSON.parse(detail) as Record<string, unknown>;
      logger.info(type, { detail: shown });
    }
    return new Map();
  };
}
