import { createHash, randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import * as z from 'zod';
import type { SendMessage } from '../queues/queues.js';

const TARGET = 'AmazonSQS.SendMessage';
const MAX_BYTES = 1_048_576;

const messageSchema = z.object({
  QueueUrl: z.string(),
  MessageBody: z.string().min(1),
  DelaySeconds: z.int().min(0).max(900).default(0),
});

/** The part of SQS's API by which functions send messages. */
export function serveSqs(app: Hono, send: SendMessage): void {
  app.post('/', async (context) => {
    const refuse = (type: string, message: string) => {
      context.header('x-amzn-errortype', type);
      return context.json({ __type: `com.amazonaws.sqs#${type}`, message }, 400);
    };
    if (context.req.header('x-amz-target') !== TARGET) {
      return refuse('UnsupportedOperation', 'the local runtime takes SendMessage only');
    }
    const input = messageSchema.safeParse(await context.req.json().catch(() => undefined));
    if (!input.success) return refuse('InvalidParameterValue', input.error.message);
    const { QueueUrl, MessageBody, DelaySeconds } = input.data;
    if (Buffer.byteLength(MessageBody) > MAX_BYTES)
      return refuse('InvalidParameterValue', 'the message is too long');
    const name = QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1);
    if (!send(name, MessageBody, DelaySeconds))
      return refuse('QueueDoesNotExist', `the app has no queue ${name}`);
    context.header('content-type', 'application/x-amz-json-1.0');
    const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
    return context.json({ MessageId: randomUUID(), MD5OfMessageBody });
  });
}
