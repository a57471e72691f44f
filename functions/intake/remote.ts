import { InvocationType, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { ConfigurationError } from '../../src/errors.js';
import type { Invocation } from './arrivals.js';
import { renderReturned } from './queue-event.js';
import type { IntakeSettings } from './settings.js';

/** What the intake does outside of the table. */
export interface Remote {
  /**
   * Starts a function. `refused`: it was not started by this request (by its first try, whose answer was lost, perhaps);
   * `unknown`: nobody answered, it may have been.
   */
  invoke(invocation: Invocation): Promise<'accepted' | 'refused' | 'unknown'>;
  /** Has records looked at again after so many seconds, at most 900. */
  sendReturned(ids: readonly string[], delaySeconds: number): Promise<void>;
  /** Leaves a message to people. */
  giveUp(body: string): Promise<void>;
}

const LIMITS = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 5_000,
    socketTimeout: 5_000,
    throwOnRequestTimeout: true,
  },
};

/** Clients are made when they are first needed: most batches need one of them only. */
export function createRemote({ returnsUrl, givenUpUrl }: IntakeSettings): Remote {
  let lambda: LambdaClient | undefined;
  let sqs: SQSClient | undefined;
  const send = async (name: string, url: string | undefined, body: string, delaySeconds?: number) => {
    if (url === undefined) throw new ConfigurationError(`${name}: expected the URL of a queue, got nothing`);
    sqs ??= new SQSClient({ ...LIMITS, useQueueUrlAsEndpoint: false });
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: body,
        ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
      }),
    );
  };
  return {
    async invoke({ functionName, event }) {
      lambda ??= new LambdaClient(LIMITS);
      try {
        await lambda.send(
          new InvokeCommand({
            FunctionName: functionName,
            InvocationType: InvocationType.Event,
            Payload: Buffer.from(JSON.stringify(event)),
          }),
        );
        return 'accepted';
      } catch (error) {
        const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
        return status >= 400 && status < 500 ? 'refused' : 'unknown';
      }
    },
    sendReturned: (ids, delaySeconds) =>
      send('BACKLOG_RETURNS_URL', returnsUrl, renderReturned(ids), delaySeconds),
    giveUp: (body) => send('BACKLOG_GIVEN_UP_URL', givenUpUrl, body),
  };
}
