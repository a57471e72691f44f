import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { lambdaImage } from 'dynamo-backlog/engine';

/** A part of a stream: its changes are in their order, and it ends some day. */
export interface Shard {
  readonly id: string;
  /** Id of the shard whose changes come before. */
  readonly parent: string | undefined;
  /** No more changes will be added. */
  readonly closed: boolean;
}

/** A place in a shard: its beginning, its end, or behind the change of that number. */
export type ShardPosition = 'start' | 'end' | { readonly after: string };

/** A change in the form that Lambda hands it over in. */
export interface StreamedChange {
  readonly before: Readonly<Record<string, unknown>> | undefined;
  readonly after: Readonly<Record<string, unknown>> | undefined;
  /** The time of the change, epoch milliseconds; to the second. */
  readonly at: number;
  readonly sequenceNumber: string;
}

export interface ShardPage {
  readonly changes: readonly StreamedChange[];
  /** The place to go on from; undefined at the end of a closed shard. */
  readonly next: string | undefined;
}

/** The stream of one table of an emulator. Errors are those of the client. */
export class TableStream {
  constructor(
    private readonly client: DynamoDBStreamsClient,
    private readonly arn: string,
  ) {}

  async shards(): Promise<Shard[]> {
    const shards: Shard[] = [];
    let from: string | undefined;
    do {
      const { StreamDescription } = await this.client.send(
        new DescribeStreamCommand({ StreamArn: this.arn, ...(from ? { ExclusiveStartShardId: from } : {}) }),
      );
      for (const { ShardId: id, ParentShardId: parent, SequenceNumberRange } of StreamDescription?.Shards ??
        []) {
        const closed = SequenceNumberRange?.EndingSequenceNumber !== undefined;
        if (id !== undefined) shards.push({ id, parent, closed });
      }
      from = StreamDescription?.LastEvaluatedShardId;
    } while (from !== undefined);
    return shards;
  }

  async open(shard: string, position: ShardPosition): Promise<string | undefined> {
    const { ShardIterator } = await this.client.send(
      new GetShardIteratorCommand({ StreamArn: this.arn, ShardId: shard, ...iteratorAt(position) }),
    );
    return ShardIterator;
  }

  async read(iterator: string): Promise<ShardPage> {
    const { Records = [], NextShardIterator } = await this.client.send(
      new GetRecordsCommand({ ShardIterator: iterator }),
    );
    return { changes: Records.map(changeOf), next: NextShardIterator };
  }
}

export function createStreamsClient(endpoint: string): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

/** @throws the client's error if there is no answer, or the server knows no streams */
export async function requireStreams(client: DynamoDBStreamsClient): Promise<void> {
  await client.send(new ListStreamsCommand({ Limit: 1 }));
}

function iteratorAt(position: ShardPosition) {
  if (position === 'start') return { ShardIteratorType: 'TRIM_HORIZON' } as const;
  if (position === 'end') return { ShardIteratorType: 'LATEST' } as const;
  return { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: position.after } as const;
}

function changeOf({ eventName, dynamodb = {} }: _Record): StreamedChange {
  const { Keys, NewImage, OldImage, ApproximateCreationDateTime, SequenceNumber = '' } = dynamodb;
  const before = eventName === 'INSERT' ? undefined : (OldImage ?? Keys ?? {});
  const after = eventName === 'REMOVE' ? undefined : (NewImage ?? Keys ?? {});
  return {
    before: before && lambdaImage(before),
    after: after && lambdaImage(after),
    at: ApproximateCreationDateTime?.getTime() ?? Date.now(),
    sequenceNumber: SequenceNumber,
  };
}
