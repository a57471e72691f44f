import * as z from 'zod';
import { parseOptions } from '../src/validation.js';

/** A record's change, as far as the intake looks at it. */
export interface StreamRecord {
  /** Where the stream goes on if this one cannot be dealt with now. */
  readonly sequenceNumber: string;
  readonly id: string;
}

const change = z.object({
  eventSource: z.literal('aws:dynamodb'),
  eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
  dynamodb: z.object({
    SequenceNumber: z.string().min(1),
    Keys: z.object({ id: z.object({ S: z.string().min(1) }) }),
  }),
});

const eventSchema = z.object({ Records: z.array(change).min(1) });

/**
 * Reads what a table's stream hands over: the ids of the records that were written, in their order. What the records
 * hold is not read here, but from the table itself.
 *
 * @throws ConfigurationError if it is no event of a stream of a table with the key `id`
 */
export function parseStreamEvent(event: unknown): StreamRecord[] {
  return parseOptions(eventSchema, event, 'event')
    .Records.filter(({ eventName }) => eventName !== 'REMOVE')
    .map(({ dynamodb: { SequenceNumber, Keys } }) => ({ sequenceNumber: SequenceNumber, id: Keys.id.S }));
}
