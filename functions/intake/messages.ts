import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { ConfigurationError } from '../../src/support/errors.js';
import { asText, CLIENT_LIMITS } from '../service-limits.js';
import { renderRedelivery, type ShortWait } from './queue-event.js';
import type { IntakeSettings } from './settings.js';

/** The messages that the intake and its sweep send to queues. */
export interface Messages {
  /** Has records looked at again after so many seconds, at most 900. `swept`: the sweep has found them. */
  sendToRedelivery(ids: readonly string[], delaySeconds: number, swept?: boolean): Promise<void>;
  /** Tells the intake after so many seconds, at most 900, that records have come due. */
  sendShortWait(wait: ShortWait, delaySeconds: number): Promise<void>;
  /** Sends a message to the dead-letter queue for events, for an operator to look at. */
  giveUp(body: string): Promise<void>;
}

/** The client is made when it is first needed: most batches send nothing. */
export function createMessages({ redeliveryUrl, eventDlqUrl }: IntakeSettings): Messages {
  let sqs: SQSClient | undefined;
  const send = async (name: string, url: string | undefined, body: string, delaySeconds?: number) => {
    if (url === undefined) throw new ConfigurationError(`${name}: expected the URL of a queue, got nothing`);
    sqs ??= new SQSClient({ ...CLIENT_LIMITS, useQueueUrlAsEndpoint: false });
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: body,
        ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
      }),
    );
  };
  return {
    async sendToRedelivery(ids, delaySeconds, swept) {
      for (const body of renderRedelivery(ids, swept)) {
        await send('BACKLOG_REDELIVERY_URL', redeliveryUrl, body, delaySeconds);
      }
    },
    sendShortWait: (wait, delaySeconds) =>
      send('BACKLOG_REDELIVERY_URL', redeliveryUrl, asText({ shortWait: wait }), delaySeconds),
    giveUp: (body) => send('BACKLOG_EVENT_DLQ_URL', eventDlqUrl, body),
  };
}
