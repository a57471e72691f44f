import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { createDynamoDbClient } from '../src/store/index.js';
import { CommandLine, startReceiver, until } from '../test/cli/process.js';
import type { RuntimeStatus } from '../tools/src/local/status/status.js';
import { quantile } from './median.js';

const TRICKLE = 20;
const BURST = 75;
const PATIENCE_MS = 150_000;

/** Real time from a put to its first delivery, by the built command line with its runtime and database. */
export async function arrivals(): Promise<string> {
  const cli = await CommandLine.create();
  const deliveredAt = new Map<string, number>();
  const receiver = await startReceiver((id) => {
    if (!deliveredAt.has(id)) deliveredAt.set(id, performance.now());
    return 200;
  });
  try {
    const runtime = await cli.startRuntime('--no-sample', '--deliver-to', receiver.url);
    const [page] = /http:\S+(?=\n)/.exec(runtime.out().split('Console')[1] ?? '') ?? [];
    const { endpoint, tables } = (await (await fetch(`${page}status.json`)).json()) as RuntimeStatus;
    const documents = DynamoDBDocumentClient.from(createDynamoDbClient({ endpoint }));
    const latencyOf = async (id: string) => {
      const putAt = performance.now();
      await documents.send(
        new PutCommand({ TableName: tables[0], Item: { id, status: 'NEW', payload: { id } } }),
      );
      await until(() => deliveredAt.has(id), PATIENCE_MS);
      return (deliveredAt.get(id) ?? Number.NaN) - putAt;
    };
    // The first starts the function's sandbox.
    await latencyOf('warm-up');
    const trickle: number[] = [];
    for (let i = 0; i < TRICKLE; i++) trickle.push(await latencyOf(`trickle-${i}`));
    const burst = await Promise.all(Array.from({ length: BURST }, (_, i) => latencyOf(`burst-${i}`)));
    documents.destroy();
    runtime.kill('SIGTERM');
    await runtime.ended;
    const seconds = (values: readonly number[], share: number) =>
      `${(quantile(values, share) / 1000).toFixed(2)} s`;
    return [
      'Put to first attempt, on the local runtime',
      `one after the other (${TRICKLE}): median ${seconds(trickle, 0.5)}, p95 ${seconds(trickle, 0.95)}`,
      `in one burst (${BURST}): median ${seconds(burst, 0.5)}, p95 ${seconds(burst, 0.95)}`,
    ].join('\n');
  } finally {
    cli.close();
    await receiver.stop();
  }
}
