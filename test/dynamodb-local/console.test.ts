import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient, DynamoDbOperatorStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { consoleApp } from '../../tools/src/console/app.js';
import { get } from '../console/console-under-test.js';
import { LARGE_VIEWS, largeBacklog, noteQueues, putAll } from '../console/large-backlog.js';
import { meterOf } from '../console/read-meter.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

/** More would cost the same: `npm run bench:console` shows 100,000 that wait and a million that are finished. */
const SIZE = { waiting: 12_000, dead: 2_000, finished: 3_000 };
const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
const now = Date.now();
let tables: TestTables;

beforeAll(async () => {
  tables = await createTables(client);
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  await putAll(documents, tables.records, largeBacklog({ ...SIZE, now }));
  await noteQueues(new DynamoDbOperatorStore({ client, tables, clock: systemClock }), now);
}, 120_000);
afterAll(async () => {
  await deleteTables(client, tables);
  client.destroy();
});

/** Tests of the cost of a look, as docs/console.md has it. */
describe('the console of a backlog with thousands of records in each queue', () => {
  const meter = meterOf(client);
  const open = () =>
    consoleApp({
      backlog: { table: tables.records, controlTable: tables.control, client, clock: systemClock },
      name: 'shop',
      where: 'a test',
      access: { write: true, as: 'ops' },
      onAction: () => {},
    });

  it.each(Object.entries(LARGE_VIEWS))('%s: the first look is below 50 read units', async (_, path) => {
    meter.reset();
    const { status, text } = await get(open(), path);
    expect(status).toBe(200);
    expect(text).not.toContain('cannot be read');
    expect(meter.units()).toBeGreaterThan(0);
    expect(meter.units()).toBeLessThan(50);
  });

  it('shows the counts of the monitor as such', async () => {
    const { text } = await get(open(), '/');
    expect(text).toContain('≈ 7,200');
    expect(text).toContain('≈ 4,200');
    expect(text).toContain('≈ 2,000');
    expect(text).toMatch(/≈ counted by the monitor up to \d+ (s|min)/);
  });

  it('leads through several lanes and back, also where records are due at the same time', async () => {
    const app = open();
    const pages: (string | undefined)[][] = [];
    const look = async (path: string | undefined, rel: string) => {
      const { text } = await get(app, path ?? '');
      pages.push([...text.matchAll(/class="id" href="\/record\?id=([^"]+)"/g)].map(([, id]) => id));
      return new RegExp(`href="([^"]+)" rel="${rel}"`).exec(text)?.[1]?.replaceAll('&amp;', '&');
    };
    let path: string | undefined = '/records?order=reversed';
    for (let page = 0; page < 3; page++) path = await look(path, 'next');
    path = await look(path, 'prev');
    for (let page = 0; page < 3; page++) path = await look(path, 'prev');
    expect(new Set(pages.slice(0, 4).flat()).size).toBe(160);
    expect(pages.slice(4)).toEqual(pages.slice(0, 3).toReversed());
  });

  it('with large records, shows fewer of them', async () => {
    const documents = DynamoDBDocumentClient.from(client);
    const large = Array.from({ length: 30 }, (_, i) => ({
      id: `large-${i}`,
      status: 'NEW',
      queue: 'large',
      lane: 'large',
      dueAt: new Date(now + i).toISOString(),
      insertedAt: new Date(now).toISOString(),
      attempts: 0,
      rev: 'r',
      payload: 'x'.repeat(100_000),
    }));
    await putAll(documents, tables.records, large[Symbol.iterator](), 1);
    meter.reset();
    const { text } = await get(open(), '/records?queue=large');
    // A record of 100 KB is 13 read units.
    expect(meter.units()).toBeLessThan(150);
    expect([...text.matchAll(/href="\/record\?id=large-/g)].length).toBeLessThan(10);
    expect(text).toContain('after=');
  });
});
