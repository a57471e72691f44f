import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListTablesCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { CommandLine, startReceiver, until } from '../cli/process.js';
import { webhookPayloads } from '../cli/webhook-payloads.js';

const COUNT = 135;
const FAILED_AT_FIRST = 2;

let cli: CommandLine;
let folder: string;
beforeEach(async () => {
  cli = await CommandLine.create();
  folder = await mkdtemp(join(tmpdir(), 'backlog-webhooks-'));
});
afterEach(() => cli.close());

const payloads = webhookPayloads(COUNT, 0);

/** Every third id is refused twice before it is taken. */
const answer = (id: string, delivery: number) =>
  [...payloads.keys()].indexOf(id) % 3 === 0 && delivery <= FAILED_AT_FIRST ? 503 : 200;

async function ndjson(): Promise<string> {
  const file = join(folder, 'webhooks.ndjson');
  const lines = [...payloads].map(([id, payload]) => JSON.stringify({ id, event: 'opened', payload }));
  await writeFile(file, lines.join('\n'));
  return file;
}

const allSucceeded = async () => {
  const records = await cli.records();
  return records.length === COUNT && records.every(({ status }) => status === 'SUCCESS');
};

/** The ids whose success stands in the tables of a local runtime that has ended. */
async function settledIn(dataDir: string): Promise<Set<string>> {
  const dynamodb = await startEmbeddedDynamoDb({ dataDir: join(dataDir, 'dynamodb') });
  const client = createDynamoDbClient({ endpoint: dynamodb.endpoint });
  const ids = new Set<string>();
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const TableName of TableNames) {
    const pages = paginateScan({ client, pageSize: 100 }, { TableName });
    for await (const { Items = [] } of pages) {
      for (const { id, status } of Items) if (status?.S === 'SUCCESS') ids.add(String(id?.S));
    }
  }
  client.destroy();
  await dynamodb.stop();
  return ids;
}

describe('webhooks through the local runtime', () => {
  it('all arrive as they were, those refused after their retries, none again after its success', async () => {
    const receiver = await startReceiver(answer);
    const runtime = await cli.startRuntime('--no-sample', '--speed', '60', '--deliver-to', receiver.url);
    expect((await cli.run('import', await ndjson())).err).toContain(
      'inserted 135, duplicates 0, bad lines 0',
    );
    await until(allSucceeded, 120_000, 4000);
    const delivered = receiver.deliveries.length;
    // Several ticks more, in which nothing may be delivered again.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    runtime.kill('SIGINT');
    expect(await runtime.ended).toBe(0);
    await receiver.stop();

    expect(receiver.deliveries.length).toBe(delivered);
    expect(delivered).toBe(COUNT + FAILED_AT_FIRST * (COUNT / 3));
    for (const { id, body } of receiver.deliveries) expect(JSON.parse(body)).toEqual(payloads.get(id));
  });

  it('survive kill -9 in the middle: none is lost, and none delivered again whose success was settled', async () => {
    const receiver = await startReceiver(answer);
    const dataDir = join(folder, 'data');
    const flags = ['--no-sample', '--speed', '60', '--deliver-to', receiver.url, '--data-dir', dataDir];
    const killed = await cli.startRuntime(...flags);
    expect((await cli.run('import', await ndjson())).err).toContain(
      'inserted 135, duplicates 0, bad lines 0',
    );
    await until(() => receiver.deliveries.length >= COUNT / 3, 120_000);
    killed.kill('SIGKILL');
    await killed.ended;
    // Its sandboxes end with it.
    await new Promise((resolve) => setTimeout(resolve, 1_000));

    const before = receiver.deliveries.length;
    const settled = await settledIn(dataDir);
    const runtime = await cli.startRuntime(...flags);
    await until(allSucceeded, 240_000, 4000);
    runtime.kill('SIGINT');
    expect(await runtime.ended).toBe(0);
    await receiver.stop();

    expect(settled.size).toBeGreaterThan(0);
    const after = receiver.deliveries.slice(before);
    expect(after.filter(({ id }) => settled.has(id))).toEqual([]);
    const taken = new Set(receiver.deliveries.filter(({ status }) => status === 200).map(({ id }) => id));
    expect(taken.size).toBe(COUNT);
    for (const { id, body } of receiver.deliveries) expect(JSON.parse(body)).toEqual(payloads.get(id));
  });
});
