import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';

/** All records of a table's stream so far, shard by shard: changes of one item are in their order. */
export async function readStream(
  client: DynamoDBClient,
  streams: DynamoDBStreamsClient,
  table: string,
): Promise<_Record[]> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  const stream = { StreamArn: Table?.LatestStreamArn };
  const { StreamDescription } = await streams.send(new DescribeStreamCommand(stream));
  const records: _Record[] = [];
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const from = { ...stream, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
    let { ShardIterator } = await streams.send(new GetShardIteratorCommand(from));
    for (let page: _Record[] | undefined; ShardIterator && page?.length !== 0; ) {
      const answer = await streams.send(new GetRecordsCommand({ ShardIterator }));
      page = answer.Records ?? [];
      records.push(...page);
      ShardIterator = answer.NextShardIterator;
    }
  }
  return records;
}
