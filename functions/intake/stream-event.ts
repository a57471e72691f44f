import * as z from 'zod/mini';
import { type BacklogRecord, type Item, parseRecord } from '../../src/record/index.js';
import { itemOfImage } from '../../src/store/index.js';
import { parseOptions } from '../../src/support/validation.js';

/** A record that was written. */
export interface StreamChange {
  /** The number from which on the stream comes again if this change cannot be handled now. */
  readonly sequenceNumber: string;
  readonly id: string;
  readonly kind: 'inserted' | 'changed';
  /** The record as it was written; it may have been changed since. Undefined if it cannot be read. */
  readonly record: BacklogRecord | undefined;
}

const text = z.string().check(z.minLength(1));
const change = z.object({
  eventSource: z.literal('aws:dynamodb'),
  eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
  dynamodb: z.object({
    SequenceNumber: text,
    Keys: z.object({ id: z.object({ S: text }) }),
    ApproximateCreationDateTime: z.optional(z.number()),
    NewImage: z.optional(z.unknown()),
    OldImage: z.optional(z.unknown()),
  }),
});

const eventSchema = z.object({ Records: z.array(change).check(z.minLength(1)) });

/**
 * Reads an event of a table's stream: the records that were written, in their order.
 *
 * @param now epoch milliseconds. Default: the time of each change, which is the same whenever it comes again
 * @throws ConfigurationError if it is no event of a stream of a table with the key `id`
 */
export function parseStreamEvent(event: unknown, now?: number): StreamChange[] {
  return parseOptions(eventSchema, event, 'event')
    .Records.filter(({ eventName }) => eventName !== 'REMOVE')
    .map(({ eventName, dynamodb }) => {
      const item = dynamodb.NewImage === undefined ? undefined : itemOfImage(dynamodb.NewImage);
      const seconds = dynamodb.ApproximateCreationDateTime;
      const changedAt = seconds === undefined ? Date.now() : Math.floor(seconds * 1000);
      return {
        sequenceNumber: dynamodb.SequenceNumber,
        id: dynamodb.Keys.id.S,
        kind: eventName === 'INSERT' ? 'inserted' : 'changed',
        record: item && readable(item, now ?? changedAt),
      };
    });
}

/** A record before or after a change. */
export interface RecordVersion {
  /** Undefined: the image has a form that is none. */
  readonly item: Item | undefined;
  /** Undefined: it cannot be read. */
  readonly record: BacklogRecord | undefined;
}

/** A change with the record before and after it. */
export interface VersionedChange extends Pick<StreamChange, 'sequenceNumber' | 'id'> {
  /** Undefined: it was not there, or the stream has no old images. */
  readonly before: RecordVersion | undefined;
  /** Undefined: it was deleted. */
  readonly after: RecordVersion | undefined;
}

/**
 * Reads an event of a table's stream with both images of each change, deletions too.
 *
 * @param now epoch milliseconds
 * @throws ConfigurationError as `parseStreamEvent`
 */
export function parseVersions(event: unknown, now: number): VersionedChange[] {
  const versionOf = (image: unknown): RecordVersion | undefined => {
    if (image === undefined) return undefined;
    const item = itemOfImage(image);
    return { item, record: item && readable(item, now) };
  };
  return parseOptions(eventSchema, event, 'event').Records.map(({ eventName, dynamodb }) => ({
    sequenceNumber: dynamodb.SequenceNumber,
    id: dynamodb.Keys.id.S,
    before: eventName === 'INSERT' ? undefined : versionOf(dynamodb.OldImage),
    after: eventName === 'REMOVE' ? undefined : versionOf(dynamodb.NewImage),
  }));
}

/** Reads the places of the changes of an event in the stream, in their order. */
export function parseStreamPlaces(event: unknown): string[] {
  return parseOptions(eventSchema, event, 'event').Records.map(({ dynamodb }) => dynamodb.SequenceNumber);
}

/** A change by which a run has settled a record, which waits for less than a tick; all others are by producers. */
export function isSettled({ record }: StreamChange): boolean {
  return record?.lane !== undefined && record.rev !== undefined;
}

/** Reads a record. One that cannot be read here is read again, by itself, where it is indexed. */
function readable(item: Item, now: number): BacklogRecord | undefined {
  try {
    return parseRecord(item, now);
  } catch {
    return undefined;
  }
}
