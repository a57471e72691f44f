import * as z from 'zod/mini';
import { EVENT_PARTS, type EventPart, RECORD_ENDS, type RecordEnd } from '../../src/record/index.js';
import { readJson } from '../../src/support/settings-file.js';
import { parseOptions } from '../../src/support/validation.js';

/** The events of one queue. */
export interface QueueEvents {
  readonly on: ReadonlySet<RecordEnd>;
  readonly include: ReadonlySet<EventPart>;
}

/** Settings of the function that sends events of records, from its environment. */
export interface RecordEventsSettings {
  /** The name of the table of records. */
  readonly table: string;
  readonly queues: ReadonlyMap<string, QueueEvents>;
  /** ARN of an EventBridge bus. At most one of the three is set; the local runtime has none of them. */
  readonly bus?: string | undefined;
  /** ARN of an SNS topic. */
  readonly topic?: string | undefined;
  /** URL of an SQS queue. */
  readonly queue?: string | undefined;
  /** URL of the queue for events that are refused permanently. */
  readonly eventDlqUrl: string;
}

const text = z.string().check(z.minLength(1));
const environmentSchema = z.object({
  BACKLOG_TABLE: text,
  BACKLOG_RECORD_EVENTS_BUS: z.optional(text),
  BACKLOG_RECORD_EVENTS_TOPIC: z.optional(text),
  BACKLOG_RECORD_EVENTS_QUEUE: z.optional(z.url()),
  BACKLOG_EVENT_DLQ_URL: z.url(),
});
const queuesSchema = z.record(
  text,
  z.strictObject({ on: z.array(z.enum(RECORD_ENDS)), include: z.optional(z.array(z.enum(EVENT_PARTS))) }),
);

/** @throws ConfigurationError naming the variable */
export function readRecordEventsSettings(
  env: Readonly<Record<string, string | undefined>>,
): RecordEventsSettings {
  const variables = parseOptions(environmentSchema, env, '');
  const name = 'BACKLOG_RECORD_EVENTS';
  const queues = Object.entries(parseOptions(queuesSchema, readJson(env, name), name));
  return {
    table: variables.BACKLOG_TABLE,
    queues: new Map(
      queues.map(([queue, { on, include }]) => [queue, { on: new Set(on), include: new Set(include) }]),
    ),
    bus: variables.BACKLOG_RECORD_EVENTS_BUS,
    topic: variables.BACKLOG_RECORD_EVENTS_TOPIC,
    queue: variables.BACKLOG_RECORD_EVENTS_QUEUE,
    eventDlqUrl: variables.BACKLOG_EVENT_DLQ_URL,
  };
}
