import { join } from 'node:path';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { QueueProps } from '../../cdk/index.js';
import { BacklogClient } from '../../src/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { bootstrap, deploy, destroy, run, startErp, variable } from './cloud.js';

const client = createDynamoDbClient({});
const documents = DynamoDBDocumentClient.from(client);
let erp: Awaited<ReturnType<typeof startErp>>;
let table = '';
let queues: Record<string, QueueProps>;

const get = async (id: string) =>
  (await documents.send(new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true }))).Item;

/** A rule fires once a minute. */
const eventually = (id: string, expected: object) =>
  vi.waitFor(async () => expect(await get(id)).toMatchObject(expected), { timeout: 240_000, interval: 1000 });

beforeAll(async () => {
  erp = await startErp();
  queues = {
    default: { retry: { type: 'fibonacci' }, deliverTo: erp.url },
    bulk: { progressive: true, deliverTo: erp.url },
  };
  await bootstrap(queues);
  ({ TableName: table = '' } = await deploy(queues));
});
afterAll(async () => {
  client.destroy();
  await erp.stop();
});

/** With the contract's three attributes, and a queue. */
const PYTHON = `
import sys, boto3
table = boto3.resource("dynamodb").Table(sys.argv[1])
for id, answers in (("py-good", [200]), ("py-later", [503, 200]), ("py-never", [422])):
    table.put_item(Item={"id": id, "status": "NEW", "payload": {"answers": answers}})
table.put_item(Item={"id": "py-odd", "status": "new", "payload": {}, "insertedAt": 7})
table.put_item(Item={"id": "py-typo", "status": "NEW", "payload": {}, "queue": "oders"})
`;

describe('the deployed stack', () => {
  it('takes records from boto3, from the AWS command line and from the client', async () => {
    await run(join(variable('E2E_BIN'), 'python'), ['-c', PYTHON, table]);
    const item = { id: { S: 'cli' }, status: { S: 'NEW' }, payload: { M: {} } };
    const put = ['dynamodb', 'put-item', '--table-name', table, '--item', JSON.stringify(item)];
    await run(join(variable('E2E_BIN'), 'aws'), put);
    const backlog = new BacklogClient({ table, client });
    expect(await backlog.insert({ id: 'ts', payload: {} })).toEqual({ id: 'ts', inserted: true });
    await backlog.insert({ id: 'ts-bulk', payload: {}, queue: 'bulk' });
  });

  it('gives each its place within seconds of its insertion, and repairs what is wrong', async () => {
    const placed = { timeout: 20_000, interval: 200 };
    for (const [id, lane] of [
      ['py-good', 'default'],
      ['cli', 'default'],
      ['py-odd', 'default'],
      ['py-typo', 'oders'],
    ] as const) {
      await vi.waitFor(async () => {
        const item = await get(id);
        // Attempted already, it has none any more.
        if (item?.status !== 'SUCCESS')
          expect(item).toMatchObject({ lane, insertedAt: expect.stringMatching(/Z$/) });
      }, placed);
    }
    expect(await get('py-odd')).toMatchObject({ insertedAt: expect.stringMatching(/^20\d\d-.*Z$/) });
  });

  it('attempts them as its rules fire: success, success after a failure, death', async () => {
    for (const id of ['py-good', 'py-odd', 'cli', 'ts'])
      await eventually(id, { status: 'SUCCESS', attempts: 1 });
    await eventually('py-never', { status: 'DEAD', deadReason: 'HTTP 422: answer' });
    await eventually('py-later', { status: 'SUCCESS', attempts: 2 });
    expect(erp.attemptsOf('py-good')).toBe(1);
    expect(erp.attemptsOf('py-later')).toBe(2);
  });

  it('loses nothing when it is deployed again with another policy, the other way and a new queue', async () => {
    const backlog = new BacklogClient({ table, client });
    await backlog.insert({ id: 'waits', payload: { answers: [503, 200] } });
    await eventually('waits', { status: 'ERROR', failures: 1 });
    queues = {
      default: { retry: { type: 'constant', intervalSeconds: 60, jitter: 'none' }, deliverTo: erp.url },
      bulk: { retry: { type: 'fibonacci' }, deliverTo: erp.url },
      oders: { retry: { type: 'fibonacci' }, deliverTo: erp.url },
    };
    expect((await deploy(queues)).TableName).toBe(table);
    for (const id of ['waits', 'py-typo', 'ts-bulk']) await eventually(id, { status: 'SUCCESS' });
  });

  it('keeps its records when the stack is destroyed', async () => {
    await destroy(queues);
    expect(await get('py-good')).toMatchObject({ status: 'SUCCESS' });
  });
});
