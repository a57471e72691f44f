import * as z from 'zod/mini';
import { parseOptions } from '../../src/support/validation.js';
import { asText } from '../service-limits.js';
import { type DeadRun, deadRunOf } from './dead-run.js';

/** A second in which records of a queue come due that wait for less than a tick. */
export interface ShortWait {
  readonly queue: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/** A message of the redelivery queue. */
export type Message =
  | {
      readonly type: 'redelivered';
      readonly messageId: string;
      readonly ids: readonly string[];
      /** A run that got these records on insertion has failed or was lost. */
      readonly lost: boolean;
      /** The sweep has found the records. */
      readonly swept: boolean;
      /** The process of that run has died. */
      readonly died?: DeadRun | undefined;
    }
  /** Records have come due whose times are kept to the second. */
  | { readonly type: 'shortWait'; readonly messageId: string; readonly wait: ShortWait }
  /** No records: a person has to look at it. */
  | {
      readonly type: 'foreign';
      readonly messageId: string;
      readonly body: string;
      /** It says that the process of a rule's run has died. */
      readonly died?: DeadRun | undefined;
    };

const text = z.string().check(z.minLength(1));
const eventSchema = z.object({
  Records: z
    .array(z.object({ eventSource: z.literal('aws:sqs'), messageId: text, body: z.string() }))
    .check(z.minLength(1)),
});

const names = z.array(text);
const ownBody = z.strictObject({ notIndexed: names, swept: z.optional(z.literal(true)) });
const waitBody = z.strictObject({ shortWait: z.strictObject({ queue: text, dueAt: z.int() }) });
/** The message that Lambda sends to an on-failure destination, for an event that the intake had sent. */
const lostRun = z.object({
  requestPayload: z.object({ arrivals: z.object({ ids: names }) }),
});

/** Most bytes of a message or an event. An event that comes back as a message holds what went wrong as well. */
export const MAX_MESSAGE_BYTES = 200_000;

/**
 * The bodies of messages about records that may still be under attempt: one, or as many as their bytes take. An id may
 * have 2 KB, and six times as many in JSON.
 *
 * @param swept the sweep has found them
 */
export function renderRedelivery(ids: readonly string[], swept = false): string[] {
  const bodies: string[][] = [];
  let bytes = 0;
  for (const id of ids.map((one) => asText(one))) {
    bytes += Buffer.byteLength(id) + 1;
    const body = bodies.at(-1);
    if (body && bytes <= MAX_MESSAGE_BYTES) body.push(id);
    else {
      bodies.push([id]);
      bytes = Buffer.byteLength(id) + 1;
    }
  }
  const origin = swept ? ',"swept":true' : '';
  return bodies.map((texts) => `{"notIndexed":[${texts.join(',')}]${origin}}`);
}

/**
 * Reads an event of the redelivery queue.
 *
 * @throws ConfigurationError if it is no event of an SQS queue
 */
export function parseQueueEvent(event: unknown): Message[] {
  return parseOptions(eventSchema, event, 'event').Records.map(({ messageId, body }) => {
    const content = parseJson(body);
    const own = ownBody.safeParse(content);
    if (own.success) {
      const { notIndexed: ids, swept = false } = own.data;
      return { type: 'redelivered', messageId, ids, lost: false, swept };
    }
    const wait = waitBody.safeParse(content);
    if (wait.success) return { type: 'shortWait', messageId, wait: wait.data.shortWait };
    const failed = lostRun.safeParse(content);
    const died = deadRunOf(content);
    if (!failed.success) return { type: 'foreign', messageId, body, died };
    const { ids } = failed.data.requestPayload.arrivals;
    return { type: 'redelivered', messageId, ids, lost: true, swept: false, died };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
