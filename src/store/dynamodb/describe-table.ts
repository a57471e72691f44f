import { DescribeTableCommand, type DynamoDBClient, type KeySchemaElement } from '@aws-sdk/client-dynamodb';
import type { KeyElement } from './create-tables.js';

/** A table as it is. */
export interface FoundTable {
  readonly keys: readonly KeyElement[];
  readonly indexes: readonly { readonly name: string; readonly keys: readonly KeyElement[] }[];
  /** Its stream, if it has one. */
  readonly stream: { readonly arn: string; readonly viewType: string } | undefined;
}

export async function describeTable(client: DynamoDBClient, name: string): Promise<FoundTable> {
  const { Table = {} } = await client.send(new DescribeTableCommand({ TableName: name }));
  const { KeySchema, GlobalSecondaryIndexes = [], StreamSpecification, LatestStreamArn: arn } = Table;
  const viewType = StreamSpecification?.StreamEnabled ? StreamSpecification.StreamViewType : undefined;
  return {
    keys: keyElements(KeySchema),
    indexes: GlobalSecondaryIndexes.map((index) => ({
      name: index.IndexName ?? '',
      keys: keyElements(index.KeySchema),
    })),
    stream: arn === undefined || viewType === undefined ? undefined : { arn, viewType },
  };
}

function keyElements(keys: readonly KeySchemaElement[] = []): KeyElement[] {
  return keys.map(({ AttributeName = '', KeyType }) => ({
    name: AttributeName,
    type: KeyType === 'RANGE' ? 'RANGE' : 'HASH',
  }));
}
