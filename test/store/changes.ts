import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import type { Item } from '../../src/record/index.js';
import { toAttributes } from '../../src/store/dynamodb/attribute-values.js';
import type { MemoryStore } from '../../src/store/index.js';

type Image = Readonly<Record<string, unknown>>;

/** A change of an item, as Lambda hands it to a function that reads the table's stream of new images. */
export interface Change {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: string;
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Image;
    readonly NewImage?: Image;
    readonly SequenceNumber: string;
    readonly SizeBytes?: number | undefined;
    readonly StreamViewType: string;
  };
}

let sequence = 100_000_000_000_000_000_000n;

/** Changes that a stream would have for the items that are put meanwhile. An item that is put as it was is no change. */
export function changesInMemory(store: MemoryStore, write: () => void): Change[] {
  const changes: Change[] = [];
  const { put } = store;
  store.put = (item) => {
    const before = store.item(String(item.id));
    if (!isDeepStrictEqual(before, item)) changes.push(insertedOrChanged(before, item));
    put.call(store, item);
  };
  try {
    write();
  } finally {
    store.put = put;
  }
  return changes;
}

function insertedOrChanged(before: Item | undefined, item: Item): Change {
  const image = toAttributes(item);
  return lambdaRecord(
    {
      eventID: String(sequence),
      eventName: before ? 'MODIFY' : 'INSERT',
      eventVersion: '1.1',
      awsRegion: 'us-east-1',
      dynamodb: {
        ApproximateCreationDateTime: new Date(),
        Keys: { id: { S: String(item.id) } },
        NewImage: image,
        SequenceNumber: String(sequence++),
        StreamViewType: 'NEW_IMAGE',
      },
    },
    'arn:aws:dynamodb:us-east-1:000000000000:table/memory/stream/test',
  );
}

/**
 * A record as the API of DynamoDB Streams gives it, made into what Lambda makes of it: times are numbers, bytes base64
 * text, and the source is named.
 */
export function lambdaRecord({ dynamodb = {}, ...record }: _Record, eventSourceARN: string): Change {
  const { ApproximateCreationDateTime: at, Keys, NewImage, ...rest } = dynamodb;
  return {
    eventID: record.eventID ?? '',
    eventName: record.eventName ?? 'INSERT',
    eventVersion: record.eventVersion ?? '',
    eventSource: 'aws:dynamodb',
    awsRegion: record.awsRegion ?? '',
    eventSourceARN,
    dynamodb: {
      ...rest,
      SequenceNumber: rest.SequenceNumber ?? '',
      StreamViewType: rest.StreamViewType ?? '',
      ApproximateCreationDateTime: Math.floor((at?.getTime() ?? 0) / 1000),
      Keys: withBase64(Keys),
      ...(NewImage ? { NewImage: withBase64(NewImage) } : {}),
    },
  };
}

function withBase64(image: Record<string, AttributeValue> = {}): Image {
  return JSON.parse(
    JSON.stringify(image, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value as unknown),
    ),
  );
}
