import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamoDbOperatorStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { oldTable } from '../cli/old-table.js';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { OVERVIEW_ARN, parsed, viewer, widgets } from './widget-support.js';

const HOUR = 3_600_000;
const iso = (ms = 0) => new Date(Date.now() + ms).toISOString();
const QUEUES = {
  orders: { retryMode: 'perRecord' },
  bulk: { retryMode: 'progressive' },
  quiet: { retryMode: 'perRecord' },
} as const;

/** Tests of the cost of a look, as docs/dashboard.md has it, and of the rights of the roles. */
describe('the widget on DynamoDB', () => {
  let dynamodb: Awaited<ReturnType<typeof startDynamoDb>>;
  let records: Awaited<ReturnType<typeof oldTable>>;
  let control: Awaited<ReturnType<typeof oldTable>>;

  beforeAll(async () => {
    dynamodb = await startDynamoDb();
    records = await oldTable(dynamodb.endpoint, 'WidgetRecords');
    control = await oldTable(dynamodb.endpoint, 'WidgetControl', { key: 'key', index: false });
    const record = (queue: string, i: number) => ({
      id: `${queue}-${i}`,
      status: 'ERROR',
      queue,
      insertedAt: iso(-HOUR),
      lane: queue,
      dueAt: iso(-HOUR + i),
      rev: 'r',
    });
    const several = (queue: string) => Array.from({ length: 20 }, (_, i) => record(queue, i));
    await records.put(...several('orders'), ...several('bulk'));
  });
  afterAll(async () => {
    records.close();
    control.close();
    await dynamodb.stop();
  });

  function opened() {
    const requests: string[] = [];
    let readUnits = 0;
    const store = new DynamoDbOperatorStore({
      client: records.client,
      tables: { records: 'WidgetRecords', control: 'WidgetControl' },
      clock: systemClock,
      onConsumed: ({ operation, table, kind, units }) => {
        requests.push(`${operation} ${table}`);
        if (kind === 'read') readUnits += units;
      },
    });
    return { ...widgets(QUEUES, { store, clock: systemClock }), store, requests, readUnits: () => readUnits };
  }

  it('reads with the requests that its role allows, few of them', async () => {
    const { look, requests, readUnits } = opened();
    const { text, rows } = parsed(await look());
    expect(text('.h')[0]).toMatch(/^orders is 1 h late: 20 records due, no run has served it yet\.$/);
    expect(rows().map(([, waiting]) => waiting)).toEqual(['20', '20', '0']);
    expect(new Set(requests)).toEqual(new Set(['Query WidgetRecords', 'GetItem WidgetControl']));
    // 5 for each queue, and one for each of its leases.
    expect(requests).toHaveLength(23);
    expect(readUnits()).toBeLessThanOrEqual(24);
  });

  it('acts with the requests that its role allows', async () => {
    const { act, requests, store } = opened();
    const event = { action: 'pause', queue: 'quiet', overview: OVERVIEW_ARN, widgetContext: viewer() };
    expect(parsed(await act(event)).text('.h')).toEqual(['Pause quiet?']);
    expect(parsed(await act({ ...event, end: '2h' })).text('.h')).toEqual(['quiet is paused']);
    const [look, ...acted] = requests;
    expect(look).toBe('GetItem WidgetControl');
    expect(acted).toEqual(['GetItem WidgetControl', 'UpdateItem WidgetControl', 'GetItem WidgetControl']);
    expect((await store.queues.read('quiet')).paused).toBe(true);
    requests.length = 0;
    expect(parsed(await act({ ...event, action: 'resume' })).text('.h')).toEqual(['quiet goes on']);
    expect(requests).toEqual(['UpdateItem WidgetControl', 'GetItem WidgetControl']);
  });
});
