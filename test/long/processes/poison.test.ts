import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BacklogClient } from '../../../src/client/index.js';
import { createDynamoDbClient } from '../../../src/store/index.js';
import { CommandLine, until } from '../../cli/process.js';

let cli: CommandLine;
beforeEach(async () => {
  cli = await CommandLine.create();
});
afterEach(() => cli.close());

const POISON: Readonly<Record<string, string>> = { exits: 'exit', blocks: 'block' };
const WITHIN_MS = 180_000;

/** Twelve records of each queue: one of them ends the process of its attempt, or blocks it. */
const RECORDS = Object.entries(POISON).flatMap(([queue, payload]) =>
  Array.from({ length: 12 }, (_, i) => ({ id: `${queue}-${i}`, queue, payload: i === 4 ? payload : i })),
);

/** Indexed at once, the rules find them; otherwise they are attempted on arrival. Returns what reads the items. */
async function putAll(out: string, indexAtOnce: boolean) {
  const [, endpoint = '', table = ''] = /DynamoDB\s+(http:\S+)\s+table (\S+)/.exec(out) ?? [];
  const client = createDynamoDbClient({ endpoint, region: 'us-east-1' });
  const backlog = new BacklogClient({ client, table, indexAtOnce });
  await Promise.all(RECORDS.map((record) => backlog.insert(record)));
  const documents = DynamoDBDocumentClient.from(client);
  const items = async () => {
    const found: Record<string, unknown>[] = [];
    for await (const page of paginateScan({ client: documents }, { TableName: table, ConsistentRead: true }))
      found.push(...(page.Items ?? []));
    return found;
  };
  return { items, close: () => client.destroy() };
}

it.each([
  ['a rule', true],
  ['their insertion', false],
])(
  'attempted by %s, a record that ends or blocks its process keeps no other of twelve for three minutes',
  async (_, indexAtOnce) => {
    const runtime = await cli.startRuntime(
      '--app',
      'npx tsx test/long/fixtures/poison-app.ts',
      '--speed',
      '1',
    );
    const startedAt = Date.now();
    // A look by the command line would take most of a second of a core, for minutes.
    const { items, close } = await putAll(runtime.out(), indexAtOnce);
    const waitingIn = (records: readonly Record<string, unknown>[], queue: string) =>
      records
        .filter(({ id, status }) => String(id).startsWith(queue) && status !== 'SUCCESS')
        .map(({ id }) => id);
    const tookMs = async (queue: string) => {
      await until(async () => waitingIn(await items(), queue).length <= 1, 2 * WITHIN_MS, 3_000);
      return Date.now() - startedAt;
    };
    const all = await Promise.all(Object.keys(POISON).map(tookMs));
    for (const ms of all) expect(ms).toBeLessThan(WITHIN_MS);
    close();
    const records = await cli.records();
    expect(records).toHaveLength(RECORDS.length);
    for (const queue of Object.keys(POISON))
      expect(waitingIn(records as never, queue)).toEqual([`${queue}-4`]);
    expect(`${runtime.out()}${runtime.err()}`).toContain('the event loop is blocked');
    runtime.kill('SIGINT');
    expect(await runtime.ended).toBe(0);
  },
  600_000,
);
