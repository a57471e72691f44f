import type { AddressInfo } from 'node:net';
import { CreateTableCommand, PutItemCommand, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../src/store/index.js';
import { closeIterators } from '../../../tools/src/local/dynalite/close-iterators.js';
import { createDynalite } from '../../../tools/src/local/dynalite/create.js';
import { tableDefinitions } from '../../store/tables.js';

const TABLE = 'records';

it('dynalite leaves no iterator open: each would keep the items as they were', async () => {
  const { server, store } = createDynalite({ createTableMs: 0 });
  const iterators: { next(): Promise<unknown> }[] = [];
  const { values } = store.db;
  store.db.values = (options) => {
    const iterator = values.call(store.db, options);
    iterators.push(iterator);
    return iterator;
  };
  closeIterators(store.db);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createDynamoDbClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  await client.send(new CreateTableCommand(tableDefinitions({ records: TABLE, control: 'control' }).records));
  for (const id of ['a', 'b', 'c']) {
    const item = { id: { S: id }, lane: { S: 'orders' }, dueAt: { S: '2026' } };
    await client.send(new PutItemCommand({ TableName: TABLE, Item: item }));
  }
  const ofLane = {
    TableName: TABLE,
    IndexName: 'due',
    KeyConditionExpression: 'lane = :lane',
    ExpressionAttributeValues: { ':lane': { S: 'orders' } },
  };
  await client.send(new ScanCommand({ TableName: TABLE }));
  await client.send(new ScanCommand({ TableName: TABLE, Limit: 1 }));
  await client.send(new QueryCommand(ofLane));
  await client.send(new QueryCommand({ ...ofLane, Limit: 1 }));
  client.destroy();
  const errors = await Promise.allSettled(iterators.map((iterator) => iterator.next()));
  await new Promise((resolve) => server.close(resolve));
  expect(errors).toHaveLength(4);
  for (const error of errors) expect(error).toMatchObject({ reason: { code: 'LEVEL_ITERATOR_NOT_OPEN' } });
});
