import { createHash, randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import * as z from 'zod';
import type { LocalApp } from '../local-server.js';
import type { SendMessage } from '../queues/queues.js';

/** Largest size of one message, and of a batch. */
const MAX_BYTES = 1_048_576;

const messageFields = { MessageBody: z.string().min(1), DelaySeconds: z.int().min(0).max(900).default(0) };

const messageSchema = z.object({ QueueUrl: z.string(), ...messageFields });
const batchSchema = z.object({
  QueueUrl: z.string(),
  Entries: z
    .array(z.object({ Id: z.string().min(1), ...messageFields }))
    .min(1)
    .max(10),
});

/** A request that SQS would not take. */
class Refused extends Error {
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

/** The part of SQS's API by which functions send messages. */
export function serveSqs(app: LocalApp, send: SendMessage): void {
  app.post('/', async (context) => {
    try {
      const answer = take(context.req.header('x-amz-target'), await bodyOf(context), send);
      return context.body(JSON.stringify(answer), 200, { 'content-type': 'application/x-amz-json-1.0' });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { type, message } = error;
      context.header('x-amzn-errortype', type);
      return context.json({ __type: `com.amazonaws.sqs#${type}`, message }, 400);
    }
  });
}

function take(target: string | undefined, body: unknown, send: SendMessage): object {
  switch (target) {
    case 'AmazonSQS.SendMessage': {
      const { QueueUrl, ...message } = parse(messageSchema, body);
      return put(QueueUrl, [message], send)[0] ?? {};
    }
    case 'AmazonSQS.SendMessageBatch': {
      const { QueueUrl, Entries } = parse(batchSchema, body);
      const ids = Entries.map(({ Id }) => Id);
      if (new Set(ids).size < ids.length) {
        throw new Refused('BatchEntryIdsNotDistinct', 'two messages of the batch have the same Id');
      }
      const answers = put(QueueUrl, Entries, send);
      return { Successful: answers.map((answer, i) => ({ Id: ids[i], ...answer })), Failed: [] };
    }
    default:
      throw new Refused(
        'UnsupportedOperation',
        'the local runtime takes SendMessage and SendMessageBatch only',
      );
  }
}

type Message = Pick<z.output<typeof messageSchema>, 'MessageBody' | 'DelaySeconds'>;

function put(url: string, messages: readonly Message[], send: SendMessage) {
  const bytes = messages.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0);
  if (bytes > MAX_BYTES)
    throw new Refused('InvalidParameterValue', `expected at most ${MAX_BYTES} bytes, got ${bytes}`);
  const name = url.slice(url.lastIndexOf('/') + 1);
  return messages.map(({ MessageBody, DelaySeconds }) => {
    if (!send(name, MessageBody, DelaySeconds)) {
      throw new Refused('QueueDoesNotExist', `the app has no queue ${name}`);
    }
    return {
      MessageId: randomUUID(),
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    };
  });
}

function parse<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  const input = schema.safeParse(body);
  if (input.success) return input.data;
  throw new Refused('InvalidParameterValue', input.error.message);
}

async function bodyOf(context: Context): Promise<unknown> {
  return context.req.json().catch(() => undefined);
}
