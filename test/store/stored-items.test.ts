import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StoredItems } from '../../src/store/dynamodb/stored-items.js';
import { systemClock } from '../../src/support/clock.js';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from './dynamodb-under-test.js';
import { startDynamoDb } from './start-dynamodb.js';

let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let underTest: DynamoDbUnderTest;
let items: StoredItems;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
  items = new StoredItems({ client: underTest.client, table: underTest.tables.records, clock: systemClock });
});
afterAll(async () => {
  await underTest.close();
  await dynamoDb.stop();
});

const item = (id: string, rev?: string) => ({
  id: { S: id },
  status: { S: 'NEW' },
  payload: { M: { a: { L: [{ N: '1.50' }] } } },
  ...(rev === undefined ? {} : { rev: { S: rev } }),
});

async function found(id: string) {
  const one = (await items.getMany([id])).get(id);
  if (!one) throw new Error(`no item ${id}`);
  return one;
}

async function setPayload(id: string) {
  const change = { UpdateExpression: 'SET payload = :p', ExpressionAttributeValues: { ':p': { S: 'new' } } };
  const request = { TableName: underTest.tables.records, Key: { id: { S: id } }, ...change };
  await underTest.client.send(new UpdateItemCommand(request));
}

it('an item is put only where its id is not there', async () => {
  expect(await items.putNew(item('a'))).toBe('written');
  expect(await items.putNew({ ...item('a'), status: { S: 'DEAD' } })).toBe('changed');
  expect((await found('a')).stored.status).toEqual({ S: 'NEW' });
});

it.each([undefined, 'r1'])(
  'an item takes the place of a record that is as it was read, rev %s',
  async (rev) => {
    const id = `replaced-${rev}`;
    await items.putNew(item(id, rev));
    const by = { id: { S: id }, status: { S: 'SUCCESS' }, own: { SS: ['x'] } };
    expect(await items.replace(await found(id), by, 'mine')).toBe('written');
    expect((await found(id)).stored).toEqual(by);
  },
);

it('an item takes no place of a record that has changed since', async () => {
  await items.putNew(item('bare'));
  const bare = await found('bare');
  await setPayload('bare');
  expect(await items.replace(bare, item('bare'), 'mine')).toBe('changed');
  expect((await found('bare')).stored).toMatchObject({ payload: { S: 'new' } });
  await items.putNew(item('written', 'r1'));
  const written = await found('written');
  await items.replace(written, item('written', 'r2'), 'x');
  expect(await items.replace(written, item('written', 'r3'), 'y')).toBe('changed');
  expect((await found('written')).stored.rev).toEqual({ S: 'r2' });
});
