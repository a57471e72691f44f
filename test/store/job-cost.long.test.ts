import { BatchWriteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { Jobs } from '../../src/operate/jobs/index.js';
import { Tables } from '../../src/operate/tables.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { dynamoDbForFile } from './dynamodb-for-file.js';
import { clock } from './dynamodb-under-test.js';
import { iso } from './records.js';

const dynamoDb = dynamoDbForFile();

it('a job costs less than 100 write units per 1,000 records beside those of the records, and its undo brings them back', async () => {
  const { records, control } = dynamoDb.underTest.tables;
  const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  const document = DynamoDBDocumentClient.from(client);
  const at = iso();
  const error = { name: 'HttpError', message: 'the ERP answered 503', at, attempt: 7 };
  const dead = (i: number) => ({
    ...{ id: `order-${118_000 + i}`, queue: 'cost', status: 'DEAD', payload: { order: i }, insertedAt: at },
    ...{ lane: 'cost/dead', dueAt: new Date(Date.parse(at) + i).toISOString(), rev: `rev-${i}`, attempts: 7 },
    ...{ failures: 7, firstFailureAt: at, lastFailureAt: at, lastError: error, deadReason: 'maxAttempts' },
    expiresAt: 2_000_000_000,
  });
  for (let from = 0; from < 1000; from += 25) {
    const puts = Array.from({ length: 25 }, (_, i) => ({ PutRequest: { Item: dead(from + i) } }));
    await document.send(new BatchWriteCommand({ RequestItems: { [records]: puts } }));
  }
  const jobs = new Jobs(new Tables({ table: records, controlTable: control, client, clock }));
  const by = { by: 'ops', from: 'a test' };
  const { job, result } = await jobs.run(
    await jobs.create({ action: 'redrive', which: { queue: 'cost' } }, by),
  );
  expect(result.changed).toBe(1000);
  // The embedded DynamoDB reports one unit for each record: those of the index are left out.
  expect(result.writeUnits - 1000).toBeGreaterThan(10);
  expect(result.writeUnits - 1000).toBeLessThan(100);

  // A damaged page, such as a person has made, is left out.
  await document.send(
    new PutCommand({ TableName: control, Item: { key: `undo#${job.id}#1`, kept: 'gone' } }),
  );
  const undo = await jobs.run(await jobs.undo(job.id, by));
  expect(undo.result).toMatchObject({ changed: 900, skipped: {}, failed: 0 });
  client.destroy();
});
