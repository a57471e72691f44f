import { BacklogClient, type NewRecord } from 'dynamo-backlog';

const client = new BacklogClient({ table: process.env.BACKLOG_TABLE ?? 'BacklogRecords' });

/** The parts of an SQS event that are read here (`SQSEvent` of @types/aws-lambda). */
export interface Messages {
  readonly Records: readonly {
    readonly messageId: string;
    readonly body: string;
    readonly attributes: { readonly SentTimestamp: string };
  }[];
}

/** An event source of the old queue and of its dead-letter queue: every message becomes a record, once. */
export const handler = (event: Messages) => forward(event, client);

export async function forward(event: Messages, backlog: BacklogClient) {
  const batchItemFailures: { readonly itemIdentifier: string }[] = [];
  for (const { messageId, body, attributes } of event.Records) {
    try {
      const record: NewRecord = {
        id: messageId, // a message that comes twice is one record
        queue: 'orders',
        payload: JSON.parse(body),
        insertedAt: new Date(Number(attributes.SentTimestamp)),
      };
      await backlog.insert(record);
    } catch {
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
}
