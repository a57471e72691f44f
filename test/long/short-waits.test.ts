import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { CommandLine, startReceiver } from '../cli/process.js';

it('waits of 4 seconds are kept by an app whose rules fire every minute, through its stream and its queue of messages', async () => {
  const times = new Map<string, number[]>();
  const receiver = await startReceiver((id) => {
    times.set(id, [...(times.get(id) ?? []), Date.now()]);
    return 500;
  });
  const cli = await CommandLine.create();
  const app = 'npx tsx test/long/fixtures/short-waits-app.ts';
  const runtime = await cli.startRuntime('--app', app, '--deliver-to', receiver.url);
  const endpoint = /DynamoDB +(http:\S+)/.exec(runtime.out())?.[1];
  const documents = DynamoDBDocumentClient.from(createDynamoDbClient({ endpoint }));
  try {
    for (const queue of ['onInsert', 'scheduled']) {
      const Item = { id: queue, status: 'NEW', queue, payload: 1 };
      await documents.send(new PutCommand({ TableName: 'BacklogRecords', Item }));
    }
    await vi.waitFor(() => expect([...times.values()].map(({ length }) => length)).toEqual([4, 4]), {
      timeout: 150_000,
      interval: 500,
    });
    for (const [queue, at] of times) {
      const waits = at.slice(1).map((time, i) => (time - (at[i] ?? 0)) / 1000);
      // The intake reads once a minute which function serves a queue; a function says so at its first run.
      for (const wait of queue === 'scheduled' ? waits.slice(1) : waits) {
        expect(wait, queue).toBeGreaterThan(3);
        expect(wait, queue).toBeLessThan(10);
      }
    }
  } finally {
    documents.destroy();
    runtime.kill('SIGTERM');
    await runtime.ended;
    cli.close();
    await receiver.stop();
  }
});
