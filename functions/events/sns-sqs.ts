import { EVENT_SOURCE } from '../../src/record/index.js';
import { CLIENT_LIMITS } from '../service-limits.js';
import { type OutgoingEvent, type Publish, publishInGroups, type Refusal } from './publish.js';
import { madeOnce, runtimeSdk } from './runtime-sdk.js';

/** The answer of SNS and SQS to a batch. */
interface Answer {
  readonly Failed?:
    | readonly { readonly Id?: string; readonly Code?: string; readonly Message?: string }[]
    | undefined;
}

type Client = new (config: object) => { send(command: object): Promise<Answer> };

/** The part of the SDK of SNS that is used. */
interface Sns {
  readonly SNSClient: Client;
  readonly PublishBatchCommand: new (input: object) => object;
}

/** The part of the SDK of SQS that is used. */
interface Sqs {
  readonly SQSClient: Client;
  readonly SendMessageBatchCommand: new (input: object) => object;
}

/** Publishes events to an SNS topic. */
export function topic(arn: string, load = () => runtimeSdk<Sns>('@aws-sdk/client-sns')): Publish {
  const connect = madeOnce(() => {
    const { SNSClient, PublishBatchCommand } = load();
    return { client: new SNSClient(CLIENT_LIMITS), PublishBatchCommand };
  });
  return batches(arn, async (some) => {
    const { client, PublishBatchCommand } = connect();
    const entries = some.map(({ text, ...entry }) => ({ ...entry, Message: text }));
    return client.send(new PublishBatchCommand({ TopicArn: arn, PublishBatchRequestEntries: entries }));
  });
}

/** Sends events to an SQS queue. */
export function sqsQueue(url: string, load = () => runtimeSdk<Sqs>('@aws-sdk/client-sqs')): Publish {
  const connect = madeOnce(() => {
    const { SQSClient, SendMessageBatchCommand } = load();
    return {
      client: new SQSClient({ ...CLIENT_LIMITS, useQueueUrlAsEndpoint: false }),
      SendMessageBatchCommand,
    };
  });
  return batches(url, async (some) => {
    const { client, SendMessageBatchCommand } = connect();
    const entries = some.map(({ text, ...entry }) => ({ ...entry, MessageBody: text }));
    return client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries: entries }));
  });
}

interface Entry {
  readonly Id: string;
  readonly MessageGroupId?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
  readonly text: string;
}

function batches(name: string, send: (entries: readonly Entry[]) => Promise<Answer>): Publish {
  const isFifo = name.endsWith('.fifo');
  return (events) =>
    publishInGroups(events, async (some) => {
      const { Failed = [] } = await send(some.map((event, i) => entryOf(event, i, isFifo)));
      const byId = new Map(Failed.map((one) => [one.Id, one]));
      return some.map((_, i): Refusal | undefined => {
        const failed = byId.get(String(i));
        return failed && { code: failed.Code ?? 'Failed', message: failed.Message ?? '' };
      });
    });
}

function entryOf({ group, deduplicationId, ...event }: OutgoingEvent, i: number, isFifo: boolean): Entry {
  const order = isFifo ? { MessageGroupId: group, MessageDeduplicationId: deduplicationId } : {};
  return { Id: String(i), ...order, text: textOf(event) };
}

/** The event as EventBridge hands it to its targets. */
function textOf({ type, detail }: OutgoingEvent): string {
  return `{"source":"${EVENT_SOURCE}","detail-type":"${type}","detail":${detail}}`;
}
